/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MPI_CALLS_H
#define LB_TESTS_REAL_MPI_CALLS_H

#include <stdint.h>

/*
 * calls.c wraps MPI functions by the profiling interface (DPB paper, Figure 2) and tells whoever
 * is linked with it: in test_calls.c the detector, in calls_write.c, which is preloaded, a file.
 */
enum call {
        CALL_SEND = 1,
        CALL_RECV,
        CALL_ISEND,
        CALL_IRECV,
        CALL_WAIT,
        CALL_WAITALL,
        CALL_SENDRECV,
        CALL_BARRIER,
        CALL_BCAST,
        CALL_REDUCE,
        CALL_ALLREDUCE,
        CALL_GATHER,
        CALL_ALLGATHER,
        CALL_ALLGATHERV
};

/* Before a call: peer or root, -1 for none; buffer or NULL. */
void calls_tell(enum call call, int peer, const void *buffer);

/* Before the end of MPI. */
void calls_end(void);

#endif
