/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_RANKS_H
#define LB_REAL_LAUNCH_RANKS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct news;

/*
 * The ranks of this machine that are known to live, from what their keepers tell: who is told to
 * end first, so that the job can write what there is (real/runtime/save.c) before mpirun kills it.
 */
struct ranks {
        pid_t *pid; /* [count] of the program; 0: not known to live */
        int32_t count;
};

int ranks_init(struct ranks *ranks, int32_t count, struct lb_error *err) LB_MUST_CHECK;
void ranks_finish(struct ranks *ranks);
void ranks_note(struct ranks *ranks, const struct news *news);

/* Returns how many were sent the signal. */
int32_t ranks_signal(const struct ranks *ranks, int signal);

#endif
