/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_TASKGRAPH_H
#define LB_MODELS_TASKGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Explicit tasks with dependencies: what each apprank does in an iteration, task by task.
 *
 * As CSV, a line per task in the order in which the apprank's main program creates them:
 *
 *   apprank,seconds,bytes,after
 *   0,0.5,80000,
 *   0,0.25,80000,0
 *   0,0.25,0,0 1
 *
 * - `seconds`: duration on a core of speed 1, from 0 to an hour. `bytes`: data that moves when the
 *   task runs elsewhere than where its data is, kept to 24 bits (1 in 16 million).
 * - `after`: the tasks that must have finished, separated by spaces. Those of one apprank are
 *   numbered from 0 in the order of its lines, and a task comes after smaller numbers only: there
 *   are no cycles. Named twice is as good as once.
 * - A column `stays`, 0 or 1, says of a task that it runs at its apprank's home alone. Without the
 *   column all may run elsewhere.
 * - A column `priority`, a whole number of 32 bits: of tasks that could begin the one with the
 *   highest does, of equals the one that could first. Without the column all are equal.
 * - A column `within`, the number of an earlier task or empty: it is a part or a child of that one,
 *   and runs where that one does, which is asked of no policy, whether it `stays` or not: all of
 *   them count as one task there. It comes after that task, or others within it, and after no
 *   others; who comes after any of them, and is not within, comes after all of them. The main
 *   program does not create it.
 * - A column `iteration`, a whole number from 0, says that iterations differ: an apprank's tasks of
 *   each are numbered from 0, and come after such of the same. Each from 0 to the last has a task
 *   (one of 0 s where there is nothing to do). A run of more iterations begins anew. Without the
 *   column all are alike.
 * - Iterations and appranks may be mixed; an apprank without lines has no tasks. Columns are found
 *   by name, others than these are ignored.
 * - At most TASKGRAPH_TASK_MAX tasks, and TASKGRAPH_PART_MAX iterations x appranks. In memory 120
 *   bytes for each of these, and 16 for a task of an apprank without dependencies, else 20 and 4
 *   for each (1 more where tasks stay, 4 where they have priorities, 4 where some are within
 *   others); the simulated run has 4 more of its own for each task of the apprank's longest
 *   iteration, 24 more where they have priorities, and 16 more where some are within others
 *   (sim/systems/offload/dependencies.c, urgent.c).
 * - Immutable once closed; may be used by any number of threads.
 */
enum {
        TASKGRAPH_TASK_MAX = 10000000,
        TASKGRAPH_PART_MAX = 10000000,
        TASKGRAPH_ITERATION_MAX = 1000000,
        TASKGRAPH_APPRANK_MAX = 65536
};

/* The tasks of one apprank in one iteration. Its arrays may be longer, and belong to another
 * apprank as well. */
struct taskgraph_part {
        int32_t ntask;
        int64_t *task_ns;   /* [ntask] duration at speed 1 */
        float *bytes;       /* [ntask] */
        bool *stays;        /* [ntask] it runs at home alone; NULL: none does */
        int32_t *priority;  /* [ntask] higher begins earlier; NULL: all are equal */
        int32_t *within;    /* [ntask] 1 + the task that it is within, 0: none; NULL: all 0 */
        uint32_t *first;    /* [ntask + 1] places in successor[]; NULL: no task waits for another */
        int32_t *successor; /* [first[ntask]] who waits for task 0, for task 1, ... */
        int64_t work_ns;    /* of all tasks */
        int64_t path_ns;    /* of the longest chain of tasks that wait for each other: for all of a
                             * whole where they are not within it */
        double bytes_of_all; /* sum of bytes[] */
};

struct taskgraph; /* opaque */

/* Read and check a file. Messages say "FILE:LINE:COLUMN: ". */
struct taskgraph *taskgraph_read(const char *file, struct lb_error *err);
void taskgraph_destroy(struct taskgraph *graph); /* takes NULL */

/* Does the first line of a file name a column that only task graphs have? */
bool taskgraph_is_file(const char *file);

int32_t taskgraph_niteration(const struct taskgraph *graph); /* 1: all are alike */
int32_t taskgraph_napprank(const struct taskgraph *graph);   /* the last one that has tasks, + 1 */
double taskgraph_ntask(const struct taskgraph *graph);       /* of all appranks and iterations */

/* Belongs to the graph. Iterations beyond the last are the first ones again; an apprank beyond the
 * last has an empty part. */
const struct taskgraph_part *taskgraph_part(const struct taskgraph *graph, int32_t iteration,
                                            int32_t apprank);

/* Of a part's task: where those that wait for it begin in successor[]; those of task + 1 follow. */
static inline uint32_t taskgraph_first(const struct taskgraph_part *part, int32_t task)
{
        return part->first ? part->first[task] : 0;
}

static inline bool taskgraph_stays(const struct taskgraph_part *part, int32_t task)
{
        return part->stays && part->stays[task];
}

static inline int32_t taskgraph_priority(const struct taskgraph_part *part, int32_t task)
{
        return part->priority ? part->priority[task] : 0;
}

/* The task that it is within, of which there is one level, or TASKGRAPH_NONE. */
enum { TASKGRAPH_NONE = -1 };
static inline int32_t taskgraph_within(const struct taskgraph_part *part, int32_t task)
{
        return part->within ? part->within[task] - 1 : TASKGRAPH_NONE;
}

/* The one that counts for it: it itself, or that one. */
static inline int32_t taskgraph_whole_of(const struct taskgraph_part *part, int32_t task)
{
        int32_t within = taskgraph_within(part, task);
        return within == TASKGRAPH_NONE ? task : within;
}

/* Is it decided for the task alone where it runs? */
static inline bool taskgraph_moves(const struct taskgraph_part *part, int32_t task)
{
        return !taskgraph_stays(part, task) && taskgraph_within(part, task) == TASKGRAPH_NONE;
}

/* Is any task within another? */
bool taskgraph_has_wholes(const struct taskgraph *graph);

/* A task with those within it, by its own number; of those `next` alone. */
struct taskgraph_whole {
        int32_t next; /* of those within it, TASKGRAPH_NONE: the last */
        int32_t left; /* so many of all these have not ended */
        int64_t kept; /* what who runs it has to know of it, 0 at first */
};

/* All wholes of a part, of which nothing has run: whole[ntask]. Returns how many there are. */
int32_t taskgraph_gather_wholes(const struct taskgraph_part *part, struct taskgraph_whole *whole);

/* Is any task more urgent than another of its part? */
bool taskgraph_has_priorities(const struct taskgraph *graph);

/* How many tasks each one comes after: before[ntask]. */
void taskgraph_count_before(const struct taskgraph_part *part, int32_t *before);

/* The most tasks that an apprank has in an iteration; the longest chain that any has in one. */
int32_t taskgraph_most_tasks(const struct taskgraph *graph, int32_t apprank);
int64_t taskgraph_path_ns(const struct taskgraph *graph, int32_t iteration);

/* A hash of all tasks: equal graphs have equal ones. */
uint64_t taskgraph_hash(const struct taskgraph *graph);

/*
 * To make one: create, add all tasks, close; to be destroyed after any failure.
 */
struct taskgraph *taskgraph_create(int32_t niteration, int32_t napprank, struct lb_error *err);

struct taskgraph_task {
        int64_t task_ns, bytes;
        bool stays;
        int32_t priority;
        int32_t within;       /* 1 + a task of the same part that is within none, or 0 */
        const int32_t *after; /* [nafter] tasks of the same part, each before it */
        int32_t nafter;
};

/* The next task of a part. */
int taskgraph_add(struct taskgraph *graph, int32_t iteration, int32_t apprank,
                  const struct taskgraph_task *task, struct lb_error *err) LB_MUST_CHECK;
int taskgraph_close(struct taskgraph *graph, struct lb_error *err) LB_MUST_CHECK;

/* Once closed, of iteration 0: an apprank that has no tasks gets the first `ntask` of another's, of
 * which none waits for a later one. Its arrays are the other's. */
int taskgraph_share(struct taskgraph *graph, int32_t apprank, int32_t from, int32_t ntask,
                    struct lb_error *err) LB_MUST_CHECK;

#endif
