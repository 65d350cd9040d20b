/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the MPI calls that the layer (interpose.h) sees: all that may wait for another rank,
 * and those that start, test or end what is waited for. What only looks at handles or makes them
 * (MPI_Comm_rank, MPI_Type_vector, MPI_Wtime) is left alone. Include it as often as needed, with
 *
 *      #define CALL(kind, name, nonblocking, comm, parameters, arguments) ...
 *
 * `comm`: an expression over the parameters, the communicator all of whose ranks must make the
 * call, or MPI_COMM_NULL; `nonblocking`: the call with a request more that does the same, or none.
 * Kinds are those of enum interpose_kind.
 */
#include "real/interpose/calls_message.h"

#include "real/interpose/calls_collective.h"
#include "real/interpose/calls_storage.h"
#if MPI_VERSION >= 4
#include "real/interpose/calls_four.h"
#include "real/interpose/calls_large.h"
#endif

#undef CALL
