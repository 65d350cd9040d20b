/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_CREW_H
#define LB_SIM_SWEEP_CREW_H

#include "sim/sweep/sweep.h"

struct claims;

/* The threads that do the runs of a sweep (private to sweep*.c). */

enum { EVERY_REPLICATE = -1 };

/* What one thread does at a time: a run, or the replicates of a point until they are enough. */
struct crew_task {
        double cost;
        int64_t point, unit; /* unit: its number in the claims */
        int32_t replicate;   /* or EVERY_REPLICATE */
};

struct crew_order {
        struct point_shared *graphs;
        const struct crew_task *task; /* [ntask] in the order to begin them */
        int64_t ntask;
        struct claims *claims; /* NULL: no other process takes part */
};

/* Do the tasks, as far as no other process does, and as far as nobody asks to stop. */
int sweep_crew_run(struct sweep *sweep, const struct crew_order *order,
                   const struct sweep_options *options, struct lb_error *err) LB_MUST_CHECK;

/* Put a finished run, which is the sweep's from then on, where it belongs; iteration_s is left to
 * the journal where there are very many. */
void sweep_take(struct sweep *sweep, int64_t place, const struct sim_result *result);

/* The fewest replicates of a point that are enough, all of them done; -1 where more are needed. */
int32_t sweep_enough(const struct sweep *sweep, int64_t point);

/* Bring nrun and ndone up to date; replicates beyond those that are enough are forgotten. */
void sweep_count(struct sweep *sweep);

#endif
