/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "real/mpi/polite_impl.h"

/*
 * Collective calls, through their non-blocking variants. Results may be summed in another order
 * than by the blocking call of the same MPI library: algorithms differ.
 */
const char polite_collective_linked = 1;

int MPI_Barrier(MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Ibarrier(comm, &wait.request));
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Ibcast(buffer, count, type, root, comm, &wait.request));
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Ireduce(in, out, count, type, op, root, comm, &wait.request));
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Iallreduce(in, out, count, type, op, comm, &wait.request));
}

int MPI_Reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait,
                          PMPI_Ireduce_scatter(in, out, counts, type, op, comm, &wait.request));
}

int MPI_Reduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(
            &wait, PMPI_Ireduce_scatter_block(in, out, count, type, op, comm, &wait.request));
}

int MPI_Scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Iscan(in, out, count, type, op, comm, &wait.request));
}

int MPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Iexscan(in, out, count, type, op, comm, &wait.request));
}

int MPI_Gather(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
               int root, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait,
                          PMPI_Igather(in, nin, tin, out, nout, tout, root, comm, &wait.request));
}

int MPI_Gatherv(const void *in, int nin, MPI_Datatype tin, void *out, const int nout[],
                const int at[], MPI_Datatype tout, int root, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(
            &wait, PMPI_Igatherv(in, nin, tin, out, nout, at, tout, root, comm, &wait.request));
}

int MPI_Scatter(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
                int root, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait,
                          PMPI_Iscatter(in, nin, tin, out, nout, tout, root, comm, &wait.request));
}

int MPI_Scatterv(const void *in, const int nin[], const int at[], MPI_Datatype tin, void *out,
                 int nout, MPI_Datatype tout, int root, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(
            &wait, PMPI_Iscatterv(in, nin, at, tin, out, nout, tout, root, comm, &wait.request));
}

int MPI_Allgather(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
                  MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait,
                          PMPI_Iallgather(in, nin, tin, out, nout, tout, comm, &wait.request));
}

int MPI_Allgatherv(const void *in, int nin, MPI_Datatype tin, void *out, const int nout[],
                   const int at[], MPI_Datatype tout, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait,
                          PMPI_Iallgatherv(in, nin, tin, out, nout, at, tout, comm, &wait.request));
}

int MPI_Alltoall(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
                 MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait,
                          PMPI_Ialltoall(in, nin, tin, out, nout, tout, comm, &wait.request));
}

int MPI_Alltoallv(const void *in, const int nin[], const int from[], MPI_Datatype tin, void *out,
                  const int nout[], const int to[], MPI_Datatype tout, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(
            &wait, PMPI_Ialltoallv(in, nin, from, tin, out, nout, to, tout, comm, &wait.request));
}

int MPI_Alltoallw(const void *in, const int nin[], const int from[], const MPI_Datatype tin[],
                  void *out, const int nout[], const int to[], const MPI_Datatype tout[],
                  MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(
            &wait, PMPI_Ialltoallw(in, nin, from, tin, out, nout, to, tout, comm, &wait.request));
}

int MPI_Neighbor_allgather(const void *in, int nin, MPI_Datatype tin, void *out, int nout,
                           MPI_Datatype tout, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(
            &wait, PMPI_Ineighbor_allgather(in, nin, tin, out, nout, tout, comm, &wait.request));
}

int MPI_Neighbor_allgatherv(const void *in, int nin, MPI_Datatype tin, void *out, const int nout[],
                            const int at[], MPI_Datatype tout, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Ineighbor_allgatherv(in, nin, tin, out, nout, at, tout, comm,
                                                           &wait.request));
}

int MPI_Neighbor_alltoall(const void *in, int nin, MPI_Datatype tin, void *out, int nout,
                          MPI_Datatype tout, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(
            &wait, PMPI_Ineighbor_alltoall(in, nin, tin, out, nout, tout, comm, &wait.request));
}

int MPI_Neighbor_alltoallv(const void *in, const int nin[], const int from[], MPI_Datatype tin,
                           void *out, const int nout[], const int to[], MPI_Datatype tout,
                           MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Ineighbor_alltoallv(in, nin, from, tin, out, nout, to, tout,
                                                          comm, &wait.request));
}
