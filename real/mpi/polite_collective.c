/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdbool.h>

#include "real/mpi/polite_impl.h"

/*
 * Reductions: the nonblocking call would sum in another order, so a polite wait comes first, then
 * the very call that the program made, which finds all whom it waits for there already.
 *
 * - Where all wait for all (MPI_Allreduce, MPI_Reduce_scatter, ...; making a communicator): a
 *   nonblocking barrier. On an intercommunicator, too: both wait for the other group.
 * - Where some may go on (all but the root of MPI_Reduce, low ranks of MPI_Scan and MPI_Exscan):
 * the nonblocking call itself with a single byte, in which the same ranks may go on, so that nobody
 *   waits for a rank whose result is not needed. With more than EAGER_BYTES MPI's own call waits
 * for whoever is to receive: then all meet. All ranks must choose the same, so a call on an
 *   intercommunicator, where not all have a count, takes the byte.
 */
enum { EAGER_BYTES = 4000 };

int polite_meet(MPI_Comm comm)
{
        MPI_Request request;
        if (comm == MPI_COMM_NULL)
                return MPI_SUCCESS; /* the call itself says what is wrong */
        return polite_end(PMPI_Ibarrier(comm, &request), &request, MPI_STATUS_IGNORE);
}

static bool is_large(int count, MPI_Datatype type, MPI_Comm comm)
{
        int between, bytes = 0;
        if (PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between)
                return false;
        return count > 0 && PMPI_Type_size(type, &bytes) == MPI_SUCCESS &&
               (int64_t)count * bytes > EAGER_BYTES;
}

int polite_reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm)
{
        MPI_Request request;
        unsigned char mine = 0, all;
        int code = MPI_SUCCESS;
        if (comm != MPI_COMM_NULL && is_large(count, type, comm))
                code = polite_meet(comm);
        else if (comm != MPI_COMM_NULL)
                code = polite_end(
                    PMPI_Ireduce(&mine, &all, 1, MPI_BYTE, MPI_BOR, root, comm, &request), &request,
                    MPI_STATUS_IGNORE);
        return code == MPI_SUCCESS ? PMPI_Reduce(in, out, count, type, op, root, comm) : code;
}

/* All ranks below are there. */
static int meet_lower(int count, MPI_Datatype type, MPI_Comm comm)
{
        MPI_Request request;
        unsigned char mine = 0, all;
        if (comm == MPI_COMM_NULL || is_large(count, type, comm))
                return polite_meet(comm);
        return polite_end(PMPI_Iscan(&mine, &all, 1, MPI_BYTE, MPI_BOR, comm, &request), &request,
                          MPI_STATUS_IGNORE);
}

int polite_scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
        int code = meet_lower(count, type, comm);
        return code == MPI_SUCCESS ? PMPI_Scan(in, out, count, type, op, comm) : code;
}

int polite_exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
        int code = meet_lower(count, type, comm);
        return code == MPI_SUCCESS ? PMPI_Exscan(in, out, count, type, op, comm) : code;
}
