/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

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

/* What is told each other; nobody reads it. A request that was waited for in vain goes on. */
static unsigned char token[2];

int polite_meet(MPI_Comm comm)
{
        MPI_Request request;
        bool vain;
        if (comm == MPI_COMM_NULL)
                return MPI_SUCCESS; /* the call itself says what is wrong */
        int code = PMPI_Ibarrier(comm, &request);
        return polite_end_unless_vain(code, &request, &vain);
}

/* ---- Neighbors ---- */

static int count_neighbors(MPI_Comm comm)
{
        int topology = MPI_UNDEFINED, count = 0, rank, out, weighted;
        PMPI_Topo_test(comm, &topology);
        if (topology == MPI_CART && PMPI_Cartdim_get(comm, &count) == MPI_SUCCESS)
                count *= 2;
        else if (topology == MPI_GRAPH && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS)
                PMPI_Graph_neighbors_count(comm, rank, &count);
        else if (topology == MPI_DIST_GRAPH)
                PMPI_Dist_graph_neighbors_count(comm, &count, &out, &weighted);
        return topology == MPI_UNDEFINED ? -1 : count;
}

/*
 * Open MPI's nonblocking calls differ from the blocking ones: where a rank is the neighbor of
 * another twice (both ways round a dimension of one or two ranks), each has what is the other's. So
 * a byte from each neighbor comes first, whichever of the two it is, then the program's own call.
 */
int polite_meet_neighbors(MPI_Comm comm)
{
        MPI_Request request;
        bool vain;
        int count = comm == MPI_COMM_NULL ? -1 : count_neighbors(comm);
        unsigned char *theirs = count < 0 ? NULL : malloc((size_t)count + 1);
        if (!theirs)
                return MPI_SUCCESS; /* the call itself says what is wrong */
        int code =
            PMPI_Ineighbor_allgather(&token[0], 1, MPI_BYTE, theirs, 1, MPI_BYTE, comm, &request);
        code = polite_end_unless_vain(code, &request, &vain);
        if (!vain) /* else MPI may still write it */
                free(theirs);
        return code;
}

/* ---- Communicators of which MPI_Comm_idup() makes another ---- */

/*
 * Open MPI 4.1 gives what MPI_Comm_idup() begins its number by nonblocking reductions on the
 * parent, and begins these while it polls for something else. Where this rank polls before the
 * program's next call on the parent and another does not, they begin these reductions and what that
 * call begins there (to make a communicator; a nonblocking barrier before a reduction, or in place
 * of a blocking one) in different orders, which MPI takes for the same: ranks have different
 * numbers for one communicator, and wait for ever for what is sent there. So all collective calls
 * on the parent are the program's own, with nothing before them. For good: when an MPI_Comm_idup()
 * has ended in all ranks none knows. All ranks have begun it before another such call, or none has.
 */
static int duplicated = MPI_KEYVAL_INVALID;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool any;

static void make_key(void)
{
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &duplicated, NULL);
}

void polite_duplicates(MPI_Comm comm)
{
        pthread_once(&once, make_key);
        if (comm == MPI_COMM_NULL || duplicated == MPI_KEYVAL_INVALID)
                return;
        PMPI_Comm_set_attr(comm, duplicated, NULL);
        atomic_store(&any, true);
}

bool polite_is_duplicated(MPI_Comm comm)
{
        void *value;
        int found = 0;
        return atomic_load(&any) && comm != MPI_COMM_NULL &&
               PMPI_Comm_get_attr(comm, duplicated, &value, &found) == MPI_SUCCESS && found;
}

static bool is_large(int64_t count, MPI_Datatype type, MPI_Comm comm)
{
        int between, bytes = 0;
        if (PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between)
                return false;
        return PMPI_Type_size(type, &bytes) == MPI_SUCCESS && bytes > 0 &&
               count > EAGER_BYTES / bytes;
}

/* Whom the root of a reduction waits for are there. */
static int meet_at(int root, int64_t count, MPI_Datatype type, MPI_Comm comm)
{
        MPI_Request request;
        bool vain;
        if (comm == MPI_COMM_NULL || is_large(count, type, comm))
                return polite_meet(comm);
        int code = PMPI_Ireduce(&token[0], &token[1], 1, MPI_BYTE, MPI_BOR, root, comm, &request);
        return polite_end_unless_vain(code, &request, &vain);
}

/* All ranks below are there. */
static int meet_lower(int64_t count, MPI_Datatype type, MPI_Comm comm)
{
        MPI_Request request;
        bool vain;
        if (comm == MPI_COMM_NULL || is_large(count, type, comm))
                return polite_meet(comm);
        int code = PMPI_Iscan(&token[0], &token[1], 1, MPI_BYTE, MPI_BOR, comm, &request);
        return polite_end_unless_vain(code, &request, &vain);
}

int polite_reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm)
{
        int code = meet_at(root, count, type, comm);
        return code == MPI_SUCCESS ? PMPI_Reduce(in, out, count, type, op, root, comm) : code;
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

#if MPI_VERSION >= 4
int polite_reduce_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    int root, MPI_Comm comm)
{
        int code = meet_at(root, count, type, comm);
        return code == MPI_SUCCESS ? PMPI_Reduce_c(in, out, count, type, op, root, comm) : code;
}

int polite_scan_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
        int code = meet_lower(count, type, comm);
        return code == MPI_SUCCESS ? PMPI_Scan_c(in, out, count, type, op, comm) : code;
}

int polite_exscan_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm)
{
        int code = meet_lower(count, type, comm);
        return code == MPI_SUCCESS ? PMPI_Exscan_c(in, out, count, type, op, comm) : code;
}
#endif
