/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI 4 has and MPI 3 has not, but for large counts. A part of the table in
 * real/interpose/calls.h. */

/* ---- Sessions, messages and persistent collective calls ---- */

CALL(LIFE, Session_init, none, MPI_COMM_NULL,
     (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session), (info, errhandler, session))
CALL(LIFE, Session_finalize, none, MPI_COMM_NULL, (MPI_Session * session), (session))
CALL(LIFE, Comm_create_from_group, none, MPI_COMM_NULL,
     (MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
      MPI_Comm *newcomm),
     (group, stringtag, info, errhandler, newcomm))
CALL(LOCAL, Isendrecv, none, MPI_COMM_NULL,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
      void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
      comm, request))
CALL(LOCAL, Isendrecv_replace, none, MPI_COMM_NULL,
     (void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
      MPI_Comm comm, MPI_Request *request),
     (buf, count, datatype, dest, sendtag, source, recvtag, comm, request))
CALL(LOCAL, Psend_init, none, MPI_COMM_NULL,
     (const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (buf, partitions, count, datatype, dest, tag, comm, info, request))
CALL(LOCAL, Precv_init, none, MPI_COMM_NULL,
     (void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (buf, partitions, count, datatype, dest, tag, comm, info, request))
CALL(START, Comm_idup_with_info, none, comm,
     (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request),
     (comm, info, newcomm, request))
CALL(START, Barrier_init, none, comm, (MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (comm, info, request))
CALL(START, Bcast_init, none, comm,
     (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (buffer, count, datatype, root, comm, info, request))
CALL(START, Reduce_init, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, root, comm, info, request))
CALL(START, Allreduce_init, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, info, request))
CALL(START, Reduce_scatter_init, none, comm,
     (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request))
CALL(START, Reduce_scatter_block_init, none, comm,
     (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request))
CALL(START, Scan_init, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, info, request))
CALL(START, Exscan_init, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, info, request))
CALL(START, Gather_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
CALL(START, Gatherv_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
      MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
      request))
CALL(START, Scatter_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
CALL(START, Scatterv_init, none, comm,
     (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
      void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
      request))
CALL(START, Allgather_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Allgatherv_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request))
CALL(START, Alltoall_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Alltoallv_init, none, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
      void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
      request))
CALL(START, Alltoallw_init, none, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
      const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
      request))
CALL(START, Neighbor_allgather_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Neighbor_allgatherv_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request))
CALL(START, Neighbor_alltoall_init, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
CALL(START, Neighbor_alltoallv_init, none, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
      void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
      MPI_Comm comm, MPI_Info info, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
      request))
CALL(START, Neighbor_alltoallw_init, none, comm,
     (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
      MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
      request))
