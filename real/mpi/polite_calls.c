/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which call waits how, from the table of calls. What moves data is replaced by the nonblocking
 * call of the same arguments: the data is the same. What computes is not, nor what neighbors tell
 * each other (polite_collective.c).
 */
#include <stddef.h>

#include "real/interpose/interpose.h"
#include "real/mpi/polite_impl.h"

#define LIST(...) __VA_ARGS__
#define CALL(kind, name, nonblocking, comm, parameters, arguments)                                 \
        DEFINE_##kind(name, nonblocking, comm, parameters, arguments)

/* clang-format off */
#define DEFINE_SEND(name, nonblocking, comm, parameters, arguments)                                \
        static int polite_##name parameters                                                        \
        {                                                                                          \
                MPI_Request request;                                                               \
                return polite_end(PMPI_##nonblocking(LIST arguments, &request), &request,          \
                                  MPI_STATUS_IGNORE);                                              \
        }
#define DEFINE_MEET(name, nonblocking, comm, parameters, arguments)                                \
        static int polite_##name parameters                                                        \
        {                                                                                          \
                int code = polite_meet(comm);                                                      \
                return code == MPI_SUCCESS ? PMPI_##name arguments : code;                         \
        }
#define DEFINE_NEAR(name, nonblocking, comm, parameters, arguments)                                \
        static int polite_##name parameters                                                        \
        {                                                                                          \
                int code = polite_meet_neighbors(comm);                                            \
                return code == MPI_SUCCESS ? PMPI_##name arguments : code;                         \
        }
/* clang-format on */
#define DEFINE_COPY DEFINE_SEND
#define DEFINE_LIFE(...)
#define DEFINE_LOCAL(...)
#define DEFINE_START(...)
#define DEFINE_OWN(...)
#define DEFINE_WAITS(...)
#define DEFINE_OWN_COLLECTIVE(...)
#define DEFINE_COLLECTIVE(...)
#include "real/interpose/calls.h"

#define CALL(kind, name, nonblocking, comm, parameters, arguments) SLOT_##kind(name)
#define SLOT_SEND(call) .call = polite_##call,
#define SLOT_COPY(call) .call = polite_##call,
#define SLOT_NEAR(call) .call = polite_##call,
#define SLOT_MEET(call) .call = polite_##call,
#define SLOT_LIFE(call)
#define SLOT_LOCAL(call)
#define SLOT_START(call)
#define SLOT_OWN(call)
#define SLOT_WAITS(call)
#define SLOT_OWN_COLLECTIVE(call)
#define SLOT_COLLECTIVE(call)

const struct interpose_guest interpose_guest = {
        .enter = polite_enter,
        .leave = polite_leave,
        .own = polite_own,
        .plain = polite_plain,
        .instead = {
        .Init = life_init,
        .Init_thread = life_init_thread,
        .Finalize = life_finalize,
        .Abort = life_abort,
        .Recv = polite_recv,
        .Mrecv = polite_mrecv,
        .Sendrecv = polite_sendrecv,
        .Wait = polite_wait,
        .Waitall = polite_waitall,
        .Waitany = polite_waitany,
        .Waitsome = polite_waitsome,
        .Probe = polite_probe,
        .Mprobe = polite_mprobe,
        .Win_wait = polite_win_wait,
        .Reduce = polite_reduce,
        .Scan = polite_scan,
        .Exscan = polite_exscan,
#if MPI_VERSION >= 4
.Reduce_c = polite_reduce_c,
.Scan_c = polite_scan_c,
.Exscan_c = polite_exscan_c,
#endif
#include "real/interpose/calls.h"
        },
};
