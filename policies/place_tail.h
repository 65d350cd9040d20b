/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PLACE_TAIL_H
#define LB_POLICIES_PLACE_TAIL_H

#include <stdbool.h>

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
 * - `whole`: a core that has just begun a task of 0.6 s ends no other within 1.1 s, where above
 *   0.83 of one would count. So when a worker's running tasks began is kept too, and T is the least
 *   time by which the cores together can end whole tasks, all that are held. Near the end home,
 *   where nothing is late, is given none ahead, and who asks counts with the cores that it
 *   asks for.
 * - Where it is known what tasks cost (place_view.costs), work is counted in that and not in tasks:
 *   what took long because it is dear does not look slow, and T is no less than when the dearest
 *   held task, which is taken first, can end anywhere. Without that nobody might take it, and all
 *   wait.
 * - `margin_tasks`: cores that others end with come to be lent at the end, so that all can end
 *   sooner than the cores at hand say. A slow helper, whose task is the longest of all, takes those
 *   alone that it ends so many of its own tasks sooner; not where durations scatter, since T is not
 *   known that well there.
 * - `trips`: until a helper can have ended a further task, a message has to go there and its answer
 *   to come back. How long that takes is measured: where a helper had a core and no task, from when
 *   one was sent to it until home heard that one ended, without the time that it executed. A core
 *   may have been lent, and is waited for, so the least counts, and none that is less than two of
 *   the longest tasks of late.
 * - Where that is little beside a task, what waits at home for a core goes to a helper that has an
 *   idle one (PLACE_WAITING): not where it is not known.
 * - The memory follows the struct; there is no pointer.
 */
enum { TAIL_BEGUN = 64 }; /* a power of two. Of more cores so many stand for all */

struct tail_worker {
        double slowness; /* 1 until a task has finished */
        double variance; /* of what that is the mean of */
        int32_t count;   /* tasks in the mean, at most those that it reaches back to */
        int64_t sent_ns; /* when it was sent some and had none; 0: none of these ended */
        uint32_t nbegun; /* tasks that began here, as far as home can tell */
        int64_t begun_ns[TAIL_BEGUN]; /* ring: when the last of them did */
};

struct tail {
        double cost_s; /* of a task now, where slowness is 1 */
        int32_t count; /* tasks in that mean */
        int32_t nworker;
        bool whole;
        double scatter_most, scatter_s, margin_tasks; /* tail_init() sets 0 */
        bool scatters; /* durations, over their worker's slowness and what tasks cost at the time,
                          by more than scatter_most of their mean, which is at least scatter_s;
                          where scatter_most is 0: no */
        double mean_s; /* durations, over as many tasks as slowness; where scatter_most is not 0 */
        int32_t mean_count;
        double longest_s; /* of the durations, forgotten slowly */
        bool trips;       /* are measured; tail_init() sets false */
        double trip_s;    /* a message to a helper and its answer, the least */
        int32_t trip_count;
        struct tail_worker worker[]; /* [nworker] */
};

size_t tail_size(int32_t nworker);
void tail_init(struct tail *tail, int32_t nworker, bool whole);

/* A task of view->worker has finished, which may use so many cores. */
void tail_finished(struct tail *tail, const struct place_view *view, int32_t cores);

/* Whether tasks last well longer on this worker than where they last least, for sure: how many have
 * to end before that is known depends on how much they scatter. */
bool tail_slow(const struct tail *tail, int32_t worker);

/* How many of the longest tasks a core ends while a message to a helper and its answer are under
 * way; 0 where that is not known or less than two. */
int32_t tail_under_way(const struct tail *tail);

/* Whether that time is so little beside a task, and known, that a core which a helper has idle now
 * does sooner what waits at home for the next one there. */
bool tail_near(const struct tail *tail);

/* A ready task could go to helper `to`: it, or who ends the task sooner where `to` is known to be
 * slow, full or not. cores[nworker] are those that each may use. */
int32_t tail_sooner(const struct tail *tail, const struct place_view *view, const int32_t *cores,
                    int32_t to);

/* `count` tasks go to a worker, beyond those in the view. */
void tail_assigned(struct tail *tail, const struct place_view *view, int32_t worker, int32_t cores,
                   int64_t count);

/* How many of the held tasks view->worker, who has room for `room`, is to take at most; at least
 * one where no worker has a task. cores[nworker] are those that each may use. */
int64_t tail_most(const struct tail *tail, const struct place_view *view, const int32_t *cores,
                  int64_t room);

#endif
