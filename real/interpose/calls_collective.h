/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls, and those that make communicators. A part of the table in
 * real/interpose/calls.h. */

/* ---- Collective calls ---- */

CALL(COPY, Barrier, Ibarrier, comm, (MPI_Comm comm), (comm))
CALL(COPY, Bcast, Ibcast, comm,
     (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
     (buffer, count, datatype, root, comm))
CALL(COPY, Gather, Igather, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
CALL(COPY, Gatherv, Igatherv, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
CALL(COPY, Scatter, Iscatter, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
CALL(COPY, Scatterv, Iscatterv, comm,
     (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
      void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
CALL(COPY, Allgather, Iallgather, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Allgatherv, Iallgatherv, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
CALL(COPY, Alltoall, Ialltoall, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Alltoallv, Ialltoallv, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
      void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
      MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
CALL(COPY, Alltoallw, Ialltoallw, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
      const MPI_Datatype recvtypes[], MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
CALL(COPY, Neighbor_allgather, Ineighbor_allgather, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Neighbor_allgatherv, Ineighbor_allgatherv, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
CALL(COPY, Neighbor_alltoall, Ineighbor_alltoall, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(COPY, Neighbor_alltoallv, Ineighbor_alltoallv, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
      void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
      MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
CALL(COPY, Neighbor_alltoallw, Ineighbor_alltoallw, comm,
     (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
CALL(MEET, Allreduce, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(MEET, Reduce_scatter, none, comm,
     (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, recvcounts, datatype, op, comm))
CALL(MEET, Reduce_scatter_block, none, comm,
     (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, recvcount, datatype, op, comm))
CALL(OWN_COLLECTIVE, Reduce, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, root, comm))
CALL(OWN_COLLECTIVE, Scan, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(OWN_COLLECTIVE, Exscan, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(START, Ibarrier, none, comm, (MPI_Comm comm, MPI_Request *request), (comm, request))
CALL(START, Ibcast, none, comm,
     (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, datatype, root, comm, request))
CALL(START, Ireduce, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, root, comm, request))
CALL(START, Iallreduce, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, request))
CALL(START, Ireduce_scatter, none, comm,
     (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, recvcounts, datatype, op, comm, request))
CALL(START, Ireduce_scatter_block, none, comm,
     (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, recvcount, datatype, op, comm, request))
CALL(START, Iscan, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, request))
CALL(START, Iexscan, none, comm,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, request))
CALL(START, Igather, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
CALL(START, Igatherv, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request))
CALL(START, Iscatter, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
CALL(START, Iscatterv, none, comm,
     (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
      void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
CALL(START, Iallgather, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Iallgatherv, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
CALL(START, Ialltoall, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Ialltoallv, none, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
      void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
      request))
CALL(START, Ialltoallw, none, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
      const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
      request))
CALL(START, Ineighbor_allgather, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Ineighbor_allgatherv, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
CALL(START, Ineighbor_alltoall, none, comm,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
CALL(START, Ineighbor_alltoallv, none, comm,
     (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
      void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
      MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
      request))
CALL(START, Ineighbor_alltoallw, none, comm,
     (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
      const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
      MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
      request))

/* ---- Communicators ---- */

CALL(MEET, Comm_dup, none, comm, (MPI_Comm comm, MPI_Comm *newcomm), (comm, newcomm))
CALL(MEET, Comm_dup_with_info, none, comm, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm),
     (comm, info, newcomm))
CALL(MEET, Comm_split, none, comm, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm),
     (comm, color, key, newcomm))
CALL(MEET, Comm_split_type, none, comm,
     (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm),
     (comm, split_type, key, info, newcomm))
CALL(MEET, Comm_create, none, comm, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm),
     (comm, group, newcomm))
CALL(MEET, Intercomm_merge, none, intercomm, (MPI_Comm intercomm, int high, MPI_Comm *newintracomm),
     (intercomm, high, newintracomm))
CALL(MEET, Cart_create, none, comm_old,
     (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
      MPI_Comm *comm_cart),
     (comm_old, ndims, dims, periods, reorder, comm_cart))
CALL(MEET, Cart_sub, none, comm, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm),
     (comm, remain_dims, newcomm))
CALL(MEET, Graph_create, none, comm_old,
     (MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
      MPI_Comm *comm_graph),
     (comm_old, nnodes, indx, edges, reorder, comm_graph))
CALL(MEET, Dist_graph_create, none, comm_old,
     (MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
      const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph),
     (comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph))
CALL(MEET, Dist_graph_create_adjacent, none, comm_old,
     (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
      int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder,
      MPI_Comm *comm_dist_graph),
     (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
      reorder, comm_dist_graph))
CALL(START, Comm_idup, none, comm, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request),
     (comm, newcomm, request))
CALL(WAITS, Comm_create_group, none, MPI_COMM_NULL,
     (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm), (comm, group, tag, newcomm))
CALL(WAITS, Intercomm_create, none, MPI_COMM_NULL,
     (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
      MPI_Comm *newintercomm),
     (local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm))
CALL(WAITS, Comm_disconnect, none, MPI_COMM_NULL, (MPI_Comm * comm), (comm))
CALL(WAITS, Comm_free, none, MPI_COMM_NULL, (MPI_Comm * comm), (comm))
CALL(COLLECTIVE, Comm_accept, none, comm,
     (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
     (port_name, info, root, comm, newcomm))
CALL(COLLECTIVE, Comm_connect, none, comm,
     (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
     (port_name, info, root, comm, newcomm))
CALL(COLLECTIVE, Comm_spawn, none, comm,
     (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
      MPI_Comm *intercomm, int array_of_errcodes[]),
     (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes))
CALL(COLLECTIVE, Comm_spawn_multiple, none, comm,
     (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
      const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
      int array_of_errcodes[]),
     (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
      intercomm, array_of_errcodes))
