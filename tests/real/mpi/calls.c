/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include <mpi.h>

/* clang-format off */
#define WRAP(call, peer, buffer, name, parameters, arguments)                                      \
        int MPI_##name parameters                                                                  \
        {                                                                                          \
                calls_tell(call, peer, buffer);                                                    \
                return PMPI_##name arguments;                                                      \
        }
/* clang-format on */

WRAP(CALL_SEND, peer, buffer, Send,
     (const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm),
     (buffer, count, type, peer, tag, comm))
WRAP(CALL_RECV, peer, buffer, Recv,
     (void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buffer, count, type, peer, tag, comm, status))
WRAP(CALL_ISEND, peer, buffer, Isend,
     (const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, peer, tag, comm, request))
WRAP(CALL_IRECV, peer, buffer, Irecv,
     (void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, peer, tag, comm, request))
WRAP(CALL_WAIT, -1, request, Wait, (MPI_Request * request, MPI_Status *status), (request, status))
WRAP(CALL_WAITALL, -1, request, Waitall, (int count, MPI_Request request[], MPI_Status *status),
     (count, request, status))
WRAP(CALL_SENDRECV, to, out, Sendrecv,
     (const void *out, int nout, MPI_Datatype out_type, int to, int out_tag, void *in, int nin,
      MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status),
     (out, nout, out_type, to, out_tag, in, nin, in_type, from, in_tag, comm, status))
WRAP(CALL_BARRIER, -1, 0, Barrier, (MPI_Comm comm), (comm))
WRAP(CALL_BCAST, root, buffer, Bcast,
     (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
     (buffer, count, type, root, comm))
WRAP(CALL_REDUCE, root, in, Reduce,
     (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (in, out, count, type, op, root, comm))
WRAP(CALL_ALLREDUCE, -1, in, Allreduce,
     (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm))
WRAP(CALL_GATHER, root, in, Gather,
     (const void *in, int nin, MPI_Datatype in_type, void *out, int nout, MPI_Datatype out_type,
      int root, MPI_Comm comm),
     (in, nin, in_type, out, nout, out_type, root, comm))
WRAP(CALL_ALLGATHER, -1, in, Allgather,
     (const void *in, int nin, MPI_Datatype in_type, void *out, int nout, MPI_Datatype out_type,
      MPI_Comm comm),
     (in, nin, in_type, out, nout, out_type, comm))
WRAP(CALL_ALLGATHERV, -1, in, Allgatherv,
     (const void *in, int nin, MPI_Datatype in_type, void *out, const int nout[], const int at[],
      MPI_Datatype out_type, MPI_Comm comm),
     (in, nin, in_type, out, nout, at, out_type, comm))

int MPI_Finalize(void)
{
        calls_end();
        return PMPI_Finalize();
}
