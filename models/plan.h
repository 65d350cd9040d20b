/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_PLAN_H
#define LB_MODELS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct taskgraph;

/*
 * What every apprank does in every step of a program (private to this room): how many tasks, and
 * how long they last on a core of speed 1.
 *
 * - Steps are few, however many iterations there are: one may last several iterations, and after
 *   the last one the plan goes on with step `again`. Or each lasts one iteration, and then there
 * may be any number of them.
 * - Tasks of one apprank and step are alike, a number and a duration, or have a duration each.
 * - Or they are explicit tasks with dependencies, a step for each of their iterations:
 * plan_graph().
 * - They may be divided into parallel regions, one after the other: plan_regions().
 */
struct plan_part {
        int64_t ntask;
        int64_t task_ns;               /* mean duration */
        int64_t serial_ns, start_ns;   /* as in struct work */
        int64_t first;                 /* its first task in task_ns[], or PLAN_ALIKE */
        int32_t first_region, nregion; /* places in region[]; nregion 0: not divided */
};
enum { PLAN_ALIKE = -1, PLAN_STEP_MAX = 2 };

struct plan {
        int32_t nstep, napprank;
        bool each;                    /* every step lasts one iteration, and again from step 0 */
        int32_t again;                /* 0 .. nstep-1 */
        int32_t lasts[PLAN_STEP_MAX]; /* [nstep] iterations of a step; >= 1 from `again` on */
        struct plan_part *part;       /* [nstep][napprank] */
        int64_t *task_ns;             /* [ntask] of the tasks with a duration each */
        int64_t ntask, size;
        int64_t task_bytes, result_bytes; /* of every task; -1: as the parameters say */
        int64_t *region;                  /* [nregion] tasks of a region */
        int32_t nregion, region_size;
        int64_t *message_bytes; /* [napprank] sent in an iteration; NULL: none. Owned */
        const struct taskgraph
            *graph;                  /* explicit tasks, whose mean durations parts have; or NULL */
        struct taskgraph *own_graph; /* the same where it goes with the plan */
        double *load; /* [napprank] of all steps, in any unit: which node is the slow one? */
};

/* Longest mean duration, and longest duration, of a task: an hour. */
extern const double plan_task_ms_max;

/*
 * No tasks at all; steps of one iteration, again from step 0. More than PLAN_STEP_MAX steps stay
 * so. Owns its arrays until plan_finish().
 */
int plan_init(struct plan *plan, int32_t nstep, int32_t napprank,
              struct lb_error *err) LB_MUST_CHECK;
void plan_finish(struct plan *plan);

/* Give a part tasks of one duration; the message names the apprank where it lasts too long. Adds to
 * load[]. */
int plan_alike(struct plan *plan, int32_t step, int32_t apprank, int64_t ntask, double task_ms,
               struct lb_error *err) LB_MUST_CHECK;

/*
 * Give a part tasks of the given durations task_ms[ntask]. Adds to load[].
 */
int plan_tasks(struct plan *plan, int32_t step, int32_t apprank, int64_t ntask,
               const double *task_ms, struct lb_error *err) LB_MUST_CHECK;

/* Give a part, which has its tasks already, a serial part, and the time at which these begin, not
 * before it is over. Adds to load[]. */
int plan_serial(struct plan *plan, int32_t step, int32_t apprank, double serial_ms, double start_ms,
                struct lb_error *err) LB_MUST_CHECK;

/* A plan of explicit tasks, which stay the caller's. The plan is empty before, and after a failure.
 */
int plan_graph(struct plan *plan, int32_t napprank, const struct taskgraph *graph,
               struct lb_error *err) LB_MUST_CHECK;

/* Divide a part's tasks, which it has already, into regions of region[nregion] tasks, in order; the
 * sum is the part's. */
int plan_regions(struct plan *plan, int32_t step, int32_t apprank, int32_t nregion,
                 const int64_t *region, struct lb_error *err) LB_MUST_CHECK;

const struct plan_part *plan_at(const struct plan *plan, int32_t iteration, int32_t apprank);

#endif
