/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/place_tail.h"

#include <math.h>
#include <stdbool.h>

enum {
        MEAN_OVER = 256
}; /* tasks that the mean reaches back: a wave of tasks on a worker's cores */
static const double UNEQUAL = 1.3; /* beyond what the mean of a few jittered tasks scatters */

size_t tail_size(int32_t nworker)
{
        return sizeof(struct tail) + (size_t)nworker * sizeof(struct tail_worker);
}

void tail_init(struct tail *tail, int32_t nworker)
{
        tail->nworker = nworker;
        for (int32_t w = 0; w < nworker; w++)
                tail->worker[w] = (struct tail_worker){ .tasks = -1 };
}

void tail_finished(struct tail *tail, const struct place_view *view, int32_t cores)
{
        struct tail_worker *w = &tail->worker[view->worker];
        bool one = w->tasks == view->tasks[view->worker] + 1;
        if (one && w->was_occupied) {
                double core_s = (double)(view->time_ns - w->last_ns) * 1e-9 * cores;
                w->count += w->count < MEAN_OVER;
                w->core_s += (core_s - w->core_s) / w->count;
        }
        w->last_ns = view->time_ns;
        w->tasks = view->tasks[view->worker];
        w->was_occupied = w->tasks >= cores;
}

void tail_given(struct tail *tail, const struct place_view *view, int32_t worker, int64_t count,
                int32_t cores)
{
        struct tail_worker *w = &tail->worker[worker];
        if (w->tasks < 0)
                return;
        w->tasks += count;
        /* a task that was sent between two finishes fills no core before it arrives */
        if (view->occasion == PLACE_FINISHED && worker == view->worker)
                w->was_occupied = w->tasks >= cores;
}

/* Tasks per second of all cores of a worker. */
static double rate(const struct tail *tail, int32_t w, int32_t cores, double mean_s)
{
        double core_s = tail->worker[w].core_s > 0 ? tail->worker[w].core_s : mean_s;
        return cores / core_s;
}

static double mean_core_s(const struct tail *tail)
{
        double sum = 0;
        int32_t known = 0;
        for (int32_t w = 0; w < tail->nworker; w++) {
                sum += tail->worker[w].core_s;
                known += tail->worker[w].core_s > 0;
        }
        return known > 0 ? sum / known : 0;
}

/* Workers on which a task lasts about alike end their last ones together anyway. */
static bool unequal(const struct tail *tail)
{
        double least_s = INFINITY, most_s = 0;
        for (int32_t w = 0; w < tail->nworker; w++) {
                if (tail->worker[w].core_s <= 0)
                        continue;
                least_s = fmin(least_s, tail->worker[w].core_s);
                most_s = fmax(most_s, tail->worker[w].core_s);
        }
        return most_s > UNEQUAL * least_s;
}

/*
 * When all held tasks can have ended. A worker that could not end a single one by then takes no
 * part, which moves the end of the others; so it is done until none leaves.
 */
static double end_s(const struct tail *tail, const struct place_view *view, const int32_t *cores,
                    double mean_s)
{
        double end = INFINITY;
        for (int32_t round = 0; round < tail->nworker; round++) {
                double work = (double)view->held_tasks, speed = 0, before = end;
                for (int32_t w = 0; w < tail->nworker; w++) {
                        double r = rate(tail, w, cores[w], mean_s);
                        if (cores[w] <= 0 || ((double)view->tasks[w] + 1) / r > before)
                                continue;
                        work += (double)view->tasks[w];
                        speed += r;
                }
                if (speed <= 0)
                        return before;
                end = work / speed;
                if (end >= before)
                        return before;
        }
        return end;
}

int64_t tail_most(const struct tail *tail, const struct place_view *view, const int32_t *cores)
{
        double mean_s = mean_core_s(tail);
        int64_t left = 0;
        if (!unequal(tail))
                return view->held_tasks;
        for (int32_t w = 0; w < view->nworker; w++)
                left += view->tasks[w];
        if (mean_s <= 0 || left == 0)
                return view->held_tasks;
        int32_t w = view->worker;
        double room = end_s(tail, view, cores, mean_s) * rate(tail, w, cores[w], mean_s) -
                      (double)view->tasks[w];
        return room > 0 ? (int64_t)room : 0;
}
