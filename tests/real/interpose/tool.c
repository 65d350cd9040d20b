/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for other people's tools, to preload: it counts the calls of some names in C and hands
 * them on as tools do, by PMPI_. At its end each rank writes "NAME COUNT" lines to $TOOL_OUT.RANK.
 * With TOOL_FORTRAN it has Fortran entries as well; what is nested in those it does not count
 * twice.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum name {
        BARRIER,
        ALLREDUCE,
        REDUCE,
        SEND,
        RECV,
        WAITALL,
        ISEND,
        IBARRIER,
        IREDUCE,
        TEST,
        NNAME
};

static const char *const title[NNAME] = { "Barrier", "Allreduce", "Reduce",   "Send",    "Recv",
                                          "Waitall", "Isend",     "Ibarrier", "Ireduce", "Test" };
static int count[NNAME], nested;

/* clang-format off */
#define WRAP(which, name, parameters, arguments)                                                   \
        int MPI_##name parameters                                                                  \
        {                                                                                          \
                count[which] += nested == 0;                                                       \
                nested++;                                                                          \
                int code = PMPI_##name arguments;                                                  \
                nested--;                                                                          \
                return code;                                                                       \
        }
/* clang-format on */

WRAP(BARRIER, Barrier, (MPI_Comm comm), (comm))
WRAP(ALLREDUCE, Allreduce,
     (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, n, type, op, comm))
WRAP(REDUCE, Reduce,
     (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (in, out, n, type, op, root, comm))
WRAP(SEND, Send, (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
     (data, n, type, to, tag, comm))
WRAP(RECV, Recv,
     (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
     (data, n, type, from, tag, comm, status))
WRAP(WAITALL, Waitall, (int n, MPI_Request request[], MPI_Status status[]), (n, request, status))
WRAP(ISEND, Isend,
     (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
      MPI_Request *request),
     (data, n, type, to, tag, comm, request))
WRAP(IBARRIER, Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
WRAP(IREDUCE, Ireduce,
     (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
      MPI_Request *request),
     (in, out, n, type, op, root, comm, request))
WRAP(TEST, Test, (MPI_Request * request, int *done, MPI_Status *status), (request, done, status))

#ifdef TOOL_FORTRAN
/* Fortran's arguments are addresses, which only MPI must understand. */
#define WRAP_FORTRAN(which, name, parameters, arguments)                                           \
        void pmpi_##name##_ parameters;                                                            \
        void mpi_##name##_ parameters;                                                             \
        void mpi_##name##_ parameters                                                              \
        {                                                                                          \
                count[which] += nested == 0;                                                       \
                nested++;                                                                          \
                pmpi_##name##_ arguments;                                                          \
                nested--;                                                                          \
        }

WRAP_FORTRAN(BARRIER, barrier, (void *a, void *b), (a, b))
WRAP_FORTRAN(ALLREDUCE, allreduce, (void *a, void *b, void *c, void *d, void *e, void *f, void *g),
             (a, b, c, d, e, f, g))
WRAP_FORTRAN(REDUCE, reduce,
             (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h),
             (a, b, c, d, e, f, g, h))
WRAP_FORTRAN(SEND, send, (void *a, void *b, void *c, void *d, void *e, void *f, void *g),
             (a, b, c, d, e, f, g))
WRAP_FORTRAN(RECV, recv, (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h),
             (a, b, c, d, e, f, g, h))
WRAP_FORTRAN(WAITALL, waitall, (void *a, void *b, void *c, void *d), (a, b, c, d))
#endif

/* Not in MPI_Finalize, which not every binding of Fortran reaches in C. */
__attribute__((destructor)) static void report(void)
{
        char path[4096];
        const char *out = getenv("TOOL_OUT"), *rank = getenv("OMPI_COMM_WORLD_RANK");
        if (!rank)
                rank = getenv("PMI_RANK");
        if (!out || !rank)
                return;
        snprintf(path, sizeof(path), "%s.%s", out, rank);
        FILE *file = fopen(path, "w");
        for (int i = 0; file && i < NNAME; i++)
                fprintf(file, "%s %d\n", title[i], count[i]);
        if (file)
                fclose(file);
}
