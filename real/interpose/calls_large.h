/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with large counts, of MPI 4. A part of the table in real/interpose/calls.h. */

/* ---- Messages ---- */

CALL(SEND, Send_c, Isend_c, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(SEND, Ssend_c, Issend_c, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(SEND, Rsend_c, Irsend_c, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(WAITS, Recv_c, none, MPI_COMM_NULL,
     (void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buf, count, datatype, source, tag, comm, status))
CALL(WAITS, Mrecv_c, none, MPI_COMM_NULL,
     (void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status),
     (buf, count, datatype, message, status))
CALL(WAITS, Sendrecv_c, none, MPI_COMM_NULL,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
      MPI_Comm comm, MPI_Status *status),
     (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
      comm, status))
CALL(WAITS, Bsend_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(WAITS, Sendrecv_replace_c, none, MPI_COMM_NULL,
     (void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
      int recvtag, MPI_Comm comm, MPI_Status *status),
     (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
CALL(WAITS, Buffer_detach_c, none, MPI_COMM_NULL, (void *buffer_addr, MPI_Count *size),
     (buffer_addr, size))
CALL(LOCAL, Isend_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Ibsend_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Issend_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Irsend_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Irecv_c, none, MPI_COMM_NULL,
     (void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, source, tag, comm, request))
CALL(LOCAL, Imrecv_c, none, MPI_COMM_NULL,
     (void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
      MPI_Request *request),
     (buf, count, datatype, message, request))
CALL(LOCAL, Send_init_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Bsend_init_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Ssend_init_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Rsend_init_c, none, MPI_COMM_NULL,
     (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Recv_init_c, none, MPI_COMM_NULL,
     (void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, source, tag, comm, request))

/* ---- Collective calls ---- */

CALL(COPY, Bcast_c, Ibcast_c, comm,
     (void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm),
     (buffer, count, datatype, root, comm))
CALL(COPY, Gather_c, Igather_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
CALL(COPY, Gatherv_c, Igatherv_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
      MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
CALL(COPY, Scatter_c, Iscatter_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
CALL(COPY, Scatterv_c, Iscatterv_c, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
      MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
      MPI_Comm comm),
     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
CALL(COPY, Allgather_c, Iallgather_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Allgatherv_c, Iallgatherv_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
CALL(COPY, Alltoall_c, Ialltoall_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Alltoallv_c, Ialltoallv_c, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
CALL(COPY, Alltoallw_c, Ialltoallw_c, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
CALL(COPY, Neighbor_allgather_c, Ineighbor_allgather_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Neighbor_allgatherv_c, Ineighbor_allgatherv_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
CALL(COPY, Neighbor_alltoall_c, Ineighbor_alltoall_c, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Neighbor_alltoallv_c, Ineighbor_alltoallv_c, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
CALL(COPY, Neighbor_alltoallw_c, Ineighbor_alltoallw_c, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
CALL(MEET, Allreduce_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(MEET, Reduce_scatter_c, none, comm,
     (const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
      MPI_Op op, MPI_Comm comm),
     (sendbuf, recvbuf, recvcounts, datatype, op, comm))
CALL(MEET, Reduce_scatter_block_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, recvcount, datatype, op, comm))
CALL(MEET, Reduce_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      int root, MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, root, comm))
CALL(MEET, Scan_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(MEET, Exscan_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(START, Ibcast_c, none, comm,
     (void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, datatype, root, comm, request))
CALL(START, Ireduce_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      int root, MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, root, comm, request))
CALL(START, Iallreduce_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, request))
CALL(START, Ireduce_scatter_c, none, comm,
     (const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
      MPI_Op op, MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, recvcounts, datatype, op, comm, request))
CALL(START, Ireduce_scatter_block_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, recvcount, datatype, op, comm, request))
CALL(START, Iscan_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, request))
CALL(START, Iexscan_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, request))
CALL(START, Igather_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
CALL(START, Igatherv_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request))
CALL(START, Iscatter_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
CALL(START, Iscatterv_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
      MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
CALL(START, Iallgather_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Iallgatherv_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
CALL(START, Ialltoall_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Ialltoallv_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
      request))
CALL(START, Ialltoallw_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
      request))
CALL(START, Ineighbor_allgather_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Ineighbor_allgatherv_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
CALL(START, Ineighbor_alltoall_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Ineighbor_alltoallv_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
      request))
CALL(START, Ineighbor_alltoallw_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
      request))

/* ---- Windows ---- */

CALL(MEET, Win_create_c, none, comm,
     (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
     (base, size, disp_unit, info, comm, win))
CALL(MEET, Win_allocate_c, none, comm,
     (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
     (size, disp_unit, info, comm, baseptr, win))
CALL(MEET, Win_allocate_shared_c, none, comm,
     (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
     (size, disp_unit, info, comm, baseptr, win))
CALL(WAITS, Put_c, none, MPI_COMM_NULL,
     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
      int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
      MPI_Win win),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, win))
CALL(WAITS, Get_c, none, MPI_COMM_NULL,
     (void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, win))
CALL(WAITS, Accumulate_c, none, MPI_COMM_NULL,
     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
      int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
      MPI_Op op, MPI_Win win),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, op, win))
CALL(WAITS, Get_accumulate_c, none, MPI_COMM_NULL,
     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
      void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
      MPI_Win win),
     (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
      target_rank, target_disp, target_count, target_datatype, op, win))
CALL(LOCAL, Rput_c, none, MPI_COMM_NULL,
     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
      int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
      MPI_Win win, MPI_Request *request),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, win, request))
CALL(LOCAL, Rget_c, none, MPI_COMM_NULL,
     (void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
      MPI_Request *request),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, win, request))
CALL(LOCAL, Raccumulate_c, none, MPI_COMM_NULL,
     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
      int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
      MPI_Op op, MPI_Win win, MPI_Request *request),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
      target_datatype, op, win, request))
CALL(LOCAL, Rget_accumulate_c, none, MPI_COMM_NULL,
     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
      void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
      MPI_Win win, MPI_Request *request),
     (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
      target_rank, target_disp, target_count, target_datatype, op, win, request))

/* ---- Files ---- */

CALL(WAITS, File_read_at_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
      MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
CALL(WAITS, File_read_at_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
      MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
CALL(WAITS, File_write_at_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
      MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
CALL(WAITS, File_write_at_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
      MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
CALL(WAITS, File_read_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_read_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_write_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_write_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_read_shared_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_write_shared_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_read_ordered_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_write_ordered_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
CALL(WAITS, File_read_at_all_begin_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype),
     (fh, offset, buf, count, datatype))
CALL(WAITS, File_write_at_all_begin_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype),
     (fh, offset, buf, count, datatype))
CALL(WAITS, File_read_all_begin_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype), (fh, buf, count, datatype))
CALL(WAITS, File_write_all_begin_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
     (fh, buf, count, datatype))
CALL(WAITS, File_read_ordered_begin_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype), (fh, buf, count, datatype))
CALL(WAITS, File_write_ordered_begin_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype),
     (fh, buf, count, datatype))
CALL(LOCAL, File_iread_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPIO_Request *request),
     (fh, buf, count, datatype, request))
CALL(LOCAL, File_iwrite_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPIO_Request *request),
     (fh, buf, count, datatype, request))
CALL(LOCAL, File_iread_at_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
      MPIO_Request *request),
     (fh, offset, buf, count, datatype, request))
CALL(LOCAL, File_iwrite_at_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
      MPIO_Request *request),
     (fh, offset, buf, count, datatype, request))
CALL(LOCAL, File_iread_shared_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPIO_Request *request),
     (fh, buf, count, datatype, request))
CALL(LOCAL, File_iwrite_shared_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPIO_Request *request),
     (fh, buf, count, datatype, request))
CALL(LOCAL, File_iread_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request),
     (fh, buf, count, datatype, request))
CALL(LOCAL, File_iwrite_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request),
     (fh, buf, count, datatype, request))
CALL(LOCAL, File_iread_at_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
      MPI_Request *request),
     (fh, offset, buf, count, datatype, request))
CALL(LOCAL, File_iwrite_at_all_c, none, MPI_COMM_NULL,
     (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
      MPI_Request *request),
     (fh, offset, buf, count, datatype, request))

/* ---- MPI 4 ---- */

CALL(LOCAL, Isendrecv_c, none, MPI_COMM_NULL,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
      comm, request))
CALL(LOCAL, Isendrecv_replace_c, none, MPI_COMM_NULL,
     (void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
      int recvtag, MPI_Comm comm, MPI_Request *request),
     (buf, count, datatype, dest, sendtag, source, recvtag, comm, request))
CALL(START, Bcast_init_c, none, comm,
     (void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (buffer, count, datatype, root, comm, info, request))
CALL(START, Reduce_init_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, root, comm, info, request))
CALL(START, Allreduce_init_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, info, request))
CALL(START, Reduce_scatter_init_c, none, comm,
     (const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
      MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request))
CALL(START, Reduce_scatter_block_init_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request))
CALL(START, Scan_init_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, info, request))
CALL(START, Exscan_init_c, none, comm,
     (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, info, request))
CALL(START, Gather_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
CALL(START, Gatherv_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
      request))
CALL(START, Scatter_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
CALL(START, Scatterv_init_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
      MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
      request))
CALL(START, Allgather_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Allgatherv_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request))
CALL(START, Alltoall_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Alltoallv_init_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
      request))
CALL(START, Alltoallw_init_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
      request))
CALL(START, Neighbor_allgather_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Neighbor_allgatherv_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request))
CALL(START, Neighbor_alltoall_init_c, none, comm,
     (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Neighbor_alltoallv_init_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
      request))
CALL(START, Neighbor_alltoallw_init_c, none, comm,
     (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
      request))
