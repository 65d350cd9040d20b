/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PLACE_TAIL_H
#define LB_POLICIES_PLACE_TAIL_H

#include "policies/place.h"

/*
 * The end of an iteration. While many tasks are held it does not matter who takes one; of the last
 * ones, a slow worker that takes one ends it when all others wait. So each worker's time per task
 * is measured, and near the end a worker takes only as many held tasks as it ends no later than
 * all of them can end: the moment T at which the workers' cores together have room for them,
 * sum over w of (cores / time per task) T - tasks = held.
 *
 * - What is measured is what a placement policy is told anyway, when tasks finish: nothing is
 *   added to its view, and a replayed log decides alike.
 * - A time is taken between two finishes of a worker whose cores were all occupied, and no others
 *   between them; the mean is exponential. Until one is known a worker is as fast as the mean.
 * - The memory follows the struct; there is no pointer.
 */
struct tail_worker {
        double core_s;     /* core seconds per task; 0: not known */
        int64_t last_ns;   /* of its last finish, with `tasks` left after the refill */
        int64_t tasks;     /* ... -1: not known */
        int32_t count;     /* times in the mean, at most those that it reaches back */
        bool was_occupied; /* all cores, by then */
};

struct tail {
        int32_t nworker;
        struct tail_worker worker[]; /* [nworker] */
};

size_t tail_size(int32_t nworker);
void tail_init(struct tail *tail, int32_t nworker);

/* A task of view->worker has finished; it has cores[worker]. */
void tail_finished(struct tail *tail, const struct place_view *view, int32_t cores);

/* It is given so many held tasks, or is sent one. */
void tail_given(struct tail *tail, const struct place_view *view, int32_t worker, int64_t count,
                int32_t cores);

/* How many of the held tasks view->worker is to take at most, at least one where no worker has a
 * task. cores[nworker] are those that each may use. */
int64_t tail_most(const struct tail *tail, const struct place_view *view, const int32_t *cores);

#endif
