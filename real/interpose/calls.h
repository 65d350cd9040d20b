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
 *
 * A row is PLAIN, or COUNTED where MPI 4 has the call with large counts, too, as name_c: COUNT and
 * PLACE are int in the one, MPI_Count and MPI_Aint in the other.
 */
#define PLAIN CALL
#define COUNTED CALL
#define COUNT int
#define PLACE int
#include "real/interpose/calls_message.h"

#include "real/interpose/calls_collective.h"
#include "real/interpose/calls_storage.h"
#if MPI_VERSION >= 4
#include "real/interpose/calls_four.h"

#undef PLAIN
#undef COUNTED
#undef COUNT
#undef PLACE
#define PLAIN(kind, name, nonblocking, comm, parameters, arguments)
#define COUNTED(kind, name, nonblocking, comm, parameters, arguments)                              \
        CALL(kind, name##_c, nonblocking##_c, comm, parameters, arguments)
#define COUNT MPI_Count
#define PLACE MPI_Aint
#include "real/interpose/calls_collective.h"
#include "real/interpose/calls_four.h"
#include "real/interpose/calls_message.h"
#include "real/interpose/calls_storage.h"
#endif

#undef PLAIN
#undef COUNTED
#undef COUNT
#undef PLACE
#undef CALL
