/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_FLOOR_H
#define LB_MODELS_FLOOR_H

#include "models/workload.h"

/*
 * What the tasks themselves allow: tasks cannot be divided, so that even on cores that anyone may
 * use, at once and for nothing, an iteration takes longer than all work over the speed of all
 * cores. List scheduling of the true durations says how much: each task to the core that ends it
 * first.
 *
 * - Informed: longest task first, or as the blind do where that ends sooner. That is not the least
 *   time, but not more than a third above it on equal cores (R. L. Graham, Bounds on
 *   multiprocessing timing anomalies, SIAM J. Appl. Math. 17, 1969), and far nearer where there are
 *   many tasks to a core.
 * - Blind: who does not know durations beforehand. Tasks in order of creation, the appranks side by
 *   side, each to the core that would end a task of mean duration first.
 */
struct floor_ratio {
        double informed, blind; /* over all work / speed of all cores; NaN: not known */
};

struct floor_cores {
        int32_t nnode, cores_per_node;
        const double *speed; /* [nnode] of a core, the workload's own slow node not yet counted */
};

/* Tasks that are scheduled for one answer, about, and those that an iteration may have at most. */
enum { FLOOR_TASKS_ABOUT = 1 << 19, FLOOR_TASKS_MAX = 1 << 22 };

/*
 * Of iterations first .. last-1: all of them, or as many, evenly spread, as have FLOOR_TASKS_ABOUT
 * tasks together. Not known (no error): one of these has more than FLOOR_TASKS_MAX tasks or none,
 * or tasks wait for each other. Errors: memory.
 */
int floor_find(const struct workload *workload, const struct floor_cores *cores, int32_t first,
               int32_t last, struct floor_ratio *ratio, struct lb_error *err) LB_MUST_CHECK;

#endif
