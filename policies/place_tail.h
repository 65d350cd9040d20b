/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PLACE_TAIL_H
#define LB_POLICIES_PLACE_TAIL_H

#include "policies/place.h"

/*
 * The end of an iteration. While many tasks are held it does not matter who takes one; of the last
 * ones, a slow worker that takes one ends it when all others wait. So near the end a worker takes
 * only as many held tasks as it ends no later than all of them can end: the moment T at which the
 * workers' cores together have room for them, sum over w of (cores / slowness) T - tasks = held,
 * T in tasks' mean time.
 *
 * - How slow a worker is comes from what its finished tasks took. Tasks may be dear because of
 *   where a task is done and because of what it is; neighbours are alike (a wave that crosses a
 *   mesh), and each worker has tasks of its own part and time. So both are estimated: a task's cost
 *   from what the last tasks of all workers took, each over the slowness of its worker; a worker's
 *   slowness from what its tasks took over the cost at that time, over more tasks.
 * - Only the ratios of slownesses mean anything.
 * - The memory follows the struct; there is no pointer.
 */
struct tail_worker {
        double slowness; /* 1 until a task has finished */
        int32_t count;   /* tasks in the mean, at most those that it reaches back to */
};

struct tail {
        double cost_s; /* of a task now, where slowness is 1 */
        int32_t count; /* tasks in that mean */
        int32_t nworker;
        struct tail_worker worker[]; /* [nworker] */
};

size_t tail_size(int32_t nworker);
void tail_init(struct tail *tail, int32_t nworker);

/* A task of view->worker has finished. */
void tail_finished(struct tail *tail, const struct place_view *view);

/* How many of the held tasks view->worker is to take at most, at least one where no worker has a
 * task. cores[nworker] are those that each may use. */
int64_t tail_most(const struct tail *tail, const struct place_view *view, const int32_t *cores);

#endif
