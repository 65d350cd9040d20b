/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI 4 has and MPI 3 has not. A part of the table in real/interpose/calls.h. Without
 * MPI_Pready_list, whose type is not the standard's in MPICH 4.0. */

/* ---- Sessions, messages and persistent collective calls ---- */

PLAIN(LIFE, Session_init, none, MPI_COMM_NULL,
      (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session), (info, errhandler, session))
PLAIN(LIFE, Session_finalize, none, MPI_COMM_NULL, (MPI_Session * session), (session))
PLAIN(LIFE, Comm_create_from_group, none, MPI_COMM_NULL,
      (MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
       MPI_Comm *newcomm),
      (group, stringtag, info, errhandler, newcomm))
PLAIN(LIFE, Intercomm_create_from_groups, none, MPI_COMM_NULL,
      (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
       const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm),
      (local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler,
       newintercomm))
COUNTED(LOCAL, Isendrecv, none, MPI_COMM_NULL,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, int sendtag,
         void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, int source, int recvtag,
         MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
         comm, request))
COUNTED(LOCAL, Isendrecv_replace, none, MPI_COMM_NULL,
        (void *buf, COUNT count, MPI_Datatype datatype, int dest, int sendtag, int source,
         int recvtag, MPI_Comm comm, MPI_Request *request),
        (buf, count, datatype, dest, sendtag, source, recvtag, comm, request))
PLAIN(LOCAL, Psend_init, none, MPI_COMM_NULL,
      (const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
       MPI_Comm comm, MPI_Info info, MPI_Request *request),
      (buf, partitions, count, datatype, dest, tag, comm, info, request))
PLAIN(LOCAL, Precv_init, none, MPI_COMM_NULL,
      (void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
       MPI_Comm comm, MPI_Info info, MPI_Request *request),
      (buf, partitions, count, datatype, dest, tag, comm, info, request))
PLAIN(LOCAL, Pready, none, MPI_COMM_NULL, (int partition, MPI_Request request),
      (partition, request))
PLAIN(LOCAL, Pready_range, none, MPI_COMM_NULL,
      (int partition_low, int partition_high, MPI_Request request),
      (partition_low, partition_high, request))
PLAIN(LOCAL, Parrived, none, MPI_COMM_NULL, (MPI_Request request, int partition, int *flag),
      (request, partition, flag))
PLAIN(START, Comm_idup_with_info, none, comm,
      (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request),
      (comm, info, newcomm, request))
PLAIN(START, Barrier_init, none, comm, (MPI_Comm comm, MPI_Info info, MPI_Request *request),
      (comm, info, request))
COUNTED(START, Bcast_init, none, comm,
        (void *buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (buffer, count, datatype, root, comm, info, request))
COUNTED(START, Reduce_init, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, root, comm, info, request))
COUNTED(START, Allreduce_init, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, comm, info, request))
COUNTED(START, Reduce_scatter_init, none, comm,
        (const void *sendbuf, void *recvbuf, const COUNT recvcounts[], MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request))
COUNTED(START, Reduce_scatter_block_init, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT recvcount, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request))
COUNTED(START, Scan_init, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, comm, info, request))
COUNTED(START, Exscan_init, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, comm, info, request))
COUNTED(START, Gather_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
COUNTED(START, Gatherv_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, int root,
         MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
         request))
COUNTED(START, Scatter_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
COUNTED(START, Scatterv_init, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE displs[], MPI_Datatype sendtype,
         void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
         MPI_Info info, MPI_Request *request),
        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
         request))
COUNTED(START, Allgather_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
COUNTED(START, Allgatherv_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Info info, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request))
COUNTED(START, Alltoall_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
COUNTED(START, Alltoallv_init, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], const PLACE rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
         request))
COUNTED(START, Alltoallw_init, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],
         const PLACE rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         info, request))
COUNTED(START, Neighbor_allgather_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
COUNTED(START, Neighbor_allgatherv_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Info info, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request))
COUNTED(START, Neighbor_alltoall_init, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
COUNTED(START, Neighbor_alltoallv_init, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], const PLACE rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
         request))
COUNTED(START, Neighbor_alltoallw_init, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const MPI_Aint sdispls[],
         const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],
         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
         MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         info, request))
