/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/place_tail.h"

#include <math.h>
#include <stdbool.h>

/* Tasks that the means reach back to: of what tasks cost now, and of how slow a worker is, which
 * lasts. Half or four times as many make no difference (docs/tight.md). */
enum { COST_OVER = 16, SLOWNESS_OVER = 256 };
static const double UNEQUAL = 1.3; /* beyond what a few jittered tasks scatter */

size_t tail_size(int32_t nworker)
{
        return sizeof(struct tail) + (size_t)nworker * sizeof(struct tail_worker);
}

void tail_init(struct tail *tail, int32_t nworker)
{
        *tail = (struct tail){ .nworker = nworker };
        for (int32_t w = 0; w < nworker; w++)
                tail->worker[w] = (struct tail_worker){ .slowness = 1 };
}

/* The mean of the last `over`, and of all there are before there are so many. */
static void take_in(double *mean, int32_t *count, double value, int32_t over)
{
        *count += *count < over;
        *mean += (value - *mean) / *count;
}

void tail_finished(struct tail *tail, const struct place_view *view)
{
        struct tail_worker *w = &tail->worker[view->worker];
        double took_s = (double)view->finished_ns * 1e-9;
        if (view->finished_ns <= 0)
                return;
        if (tail->count > 0)
                take_in(&w->slowness, &w->count, took_s / tail->cost_s, SLOWNESS_OVER);
        take_in(&tail->cost_s, &tail->count, took_s / w->slowness, COST_OVER);
}

/* Tasks of all cores of a worker, in the time of one where slowness is 1. */
static double rate(const struct tail *tail, int32_t w, int32_t cores)
{
        return cores / tail->worker[w].slowness;
}

/* Workers on which a task lasts about alike end their last ones together anyway. */
static bool unequal(const struct tail *tail)
{
        double least = INFINITY, most = 0;
        for (int32_t w = 0; w < tail->nworker; w++) {
                if (tail->worker[w].count == 0)
                        continue;
                least = fmin(least, tail->worker[w].slowness);
                most = fmax(most, tail->worker[w].slowness);
        }
        return most > UNEQUAL * least;
}

/*
 * When all held tasks can have ended. A worker that could not end a single one by then takes no
 * part, which moves the end of the others; so it is done until none leaves.
 */
static double end_s(const struct tail *tail, const struct place_view *view, const int32_t *cores)
{
        double end = INFINITY;
        for (int32_t round = 0; round < tail->nworker; round++) {
                double work = (double)view->held_tasks, speed = 0, before = end;
                for (int32_t w = 0; w < tail->nworker; w++) {
                        double r = rate(tail, w, cores[w]);
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
        int64_t left = 0;
        if (!unequal(tail))
                return view->held_tasks;
        for (int32_t w = 0; w < view->nworker; w++)
                left += view->tasks[w];
        if (left == 0)
                return view->held_tasks;
        int32_t w = view->worker;
        double room = end_s(tail, view, cores) * rate(tail, w, cores[w]) - (double)view->tasks[w];
        return room > 0 ? (int64_t)room : 0;
}
