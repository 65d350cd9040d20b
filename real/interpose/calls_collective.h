/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls, and those that make communicators. A part of the table in
 * real/interpose/calls.h. */

/* ---- Collective calls ---- */

PLAIN(COPY, Barrier, Ibarrier, comm, (MPI_Comm comm), (comm))
COUNTED(COPY, Bcast, Ibcast, comm,
        (void *buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm),
        (buffer, count, datatype, root, comm))
COUNTED(COPY, Gather, Igather, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
COUNTED(COPY, Gatherv, Igatherv, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, int root,
         MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
COUNTED(COPY, Scatter, Iscatter, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
COUNTED(COPY, Scatterv, Iscatterv, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE displs[], MPI_Datatype sendtype,
         void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
COUNTED(COPY, Allgather, Iallgather, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNTED(COPY, Allgatherv, Iallgatherv, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
COUNTED(COPY, Alltoall, Ialltoall, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNTED(COPY, Alltoallv, Ialltoallv, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], const PLACE rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
COUNTED(COPY, Alltoallw, Ialltoallw, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],
         const PLACE rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
COUNTED(NEAR, Neighbor_allgather, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNTED(NEAR, Neighbor_allgatherv, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
COUNTED(NEAR, Neighbor_alltoall, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNTED(NEAR, Neighbor_alltoallv, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], const PLACE rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
COUNTED(NEAR, Neighbor_alltoallw, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const MPI_Aint sdispls[],
         const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],
         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
COUNTED(MEET, Allreduce, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, comm))
COUNTED(MEET, Reduce_scatter, none, comm,
        (const void *sendbuf, void *recvbuf, const COUNT recvcounts[], MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm),
        (sendbuf, recvbuf, recvcounts, datatype, op, comm))
COUNTED(MEET, Reduce_scatter_block, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT recvcount, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, recvcount, datatype, op, comm))
COUNTED(OWN_COLLECTIVE, Reduce, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         int root, MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, root, comm))
COUNTED(OWN_COLLECTIVE, Scan, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, comm))
COUNTED(OWN_COLLECTIVE, Exscan, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, comm))
PLAIN(START, Ibarrier, none, comm, (MPI_Comm comm, MPI_Request *request), (comm, request))
COUNTED(START, Ibcast, none, comm,
        (void *buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm,
         MPI_Request *request),
        (buffer, count, datatype, root, comm, request))
COUNTED(START, Ireduce, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         int root, MPI_Comm comm, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, root, comm, request))
COUNTED(START, Iallreduce, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, comm, request))
COUNTED(START, Ireduce_scatter, none, comm,
        (const void *sendbuf, void *recvbuf, const COUNT recvcounts[], MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Request *request),
        (sendbuf, recvbuf, recvcounts, datatype, op, comm, request))
COUNTED(START, Ireduce_scatter_block, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT recvcount, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request *request),
        (sendbuf, recvbuf, recvcount, datatype, op, comm, request))
COUNTED(START, Iscan, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, comm, request))
COUNTED(START, Iexscan, none, comm,
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request *request),
        (sendbuf, recvbuf, count, datatype, op, comm, request))
COUNTED(START, Igather, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COUNTED(START, Igatherv, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, int root,
         MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request))
COUNTED(START, Iscatter, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COUNTED(START, Iscatterv, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE displs[], MPI_Datatype sendtype,
         void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
         MPI_Request *request),
        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COUNTED(START, Iallgather, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COUNTED(START, Iallgatherv, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
COUNTED(START, Ialltoall, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COUNTED(START, Ialltoallv, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], const PLACE rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request))
COUNTED(START, Ialltoallw, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],
         const PLACE rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
         MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request))
COUNTED(START, Ineighbor_allgather, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COUNTED(START, Ineighbor_allgatherv, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
COUNTED(START, Ineighbor_alltoall, none, comm,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
         COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COUNTED(START, Ineighbor_alltoallv, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],
         MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], const PLACE rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request))
COUNTED(START, Ineighbor_alltoallw, none, comm,
        (const void *sendbuf, const COUNT sendcounts[], const MPI_Aint sdispls[],
         const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],
         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
         MPI_Request *request),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request))

/* ---- Communicators ---- */

PLAIN(MEET, Comm_dup, none, comm, (MPI_Comm comm, MPI_Comm *newcomm), (comm, newcomm))
PLAIN(MEET, Comm_dup_with_info, none, comm, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm),
      (comm, info, newcomm))
PLAIN(MEET, Comm_split, none, comm, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm),
      (comm, color, key, newcomm))
PLAIN(MEET, Comm_split_type, none, comm,
      (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm),
      (comm, split_type, key, info, newcomm))
PLAIN(MEET, Comm_create, none, comm, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm),
      (comm, group, newcomm))
PLAIN(MEET, Intercomm_merge, none, intercomm,
      (MPI_Comm intercomm, int high, MPI_Comm *newintracomm), (intercomm, high, newintracomm))
PLAIN(MEET, Cart_create, none, comm_old,
      (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
       MPI_Comm *comm_cart),
      (comm_old, ndims, dims, periods, reorder, comm_cart))
PLAIN(MEET, Cart_sub, none, comm, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm),
      (comm, remain_dims, newcomm))
PLAIN(MEET, Graph_create, none, comm_old,
      (MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
       MPI_Comm *comm_graph),
      (comm_old, nnodes, indx, edges, reorder, comm_graph))
PLAIN(MEET, Dist_graph_create, none, comm_old,
      (MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
       const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph),
      (comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph))
PLAIN(MEET, Dist_graph_create_adjacent, none, comm_old,
      (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
       int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder,
       MPI_Comm *comm_dist_graph),
      (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
       reorder, comm_dist_graph))
PLAIN(START, Comm_idup, none, comm, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request),
      (comm, newcomm, request))
PLAIN(WAITS, Comm_create_group, none, MPI_COMM_NULL,
      (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm), (comm, group, tag, newcomm))
PLAIN(WAITS, Intercomm_create, none, MPI_COMM_NULL,
      (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
       MPI_Comm *newintercomm),
      (local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm))
PLAIN(WAITS, Comm_disconnect, none, MPI_COMM_NULL, (MPI_Comm * comm), (comm))
PLAIN(WAITS, Comm_free, none, MPI_COMM_NULL, (MPI_Comm * comm), (comm))
PLAIN(WAITS, Comm_join, none, MPI_COMM_NULL, (int fd, MPI_Comm *intercomm), (fd, intercomm))
PLAIN(COLLECTIVE, Comm_accept, none, comm,
      (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
      (port_name, info, root, comm, newcomm))
PLAIN(COLLECTIVE, Comm_connect, none, comm,
      (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
      (port_name, info, root, comm, newcomm))
PLAIN(COLLECTIVE, Comm_spawn, none, comm,
      (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
       MPI_Comm *intercomm, int array_of_errcodes[]),
      (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes))
PLAIN(COLLECTIVE, Comm_spawn_multiple, none, comm,
      (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
       const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
       int array_of_errcodes[]),
      (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
       intercomm, array_of_errcodes))
