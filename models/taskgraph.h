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
 * - Appranks may be mixed; one without lines has no tasks. Columns are found by name, others than
 *   these are ignored.
 * - At most TASKGRAPH_TASK_MAX tasks. In memory 16 bytes for a task of an apprank without
 *   dependencies, else 20 and 4 for each; 4 of them are the simulated run's own
 * (sim/systems/offload/dependencies.c).
 * - Immutable once closed; may be used by any number of threads.
 */
enum { TASKGRAPH_TASK_MAX = 10000000, TASKGRAPH_APPRANK_MAX = 65536 };

/* The tasks of one apprank. Its arrays may be longer, and belong to another apprank as well. */
struct taskgraph_part {
        int32_t ntask;
        int64_t *task_ns;   /* [ntask] duration at speed 1 */
        float *bytes;       /* [ntask] */
        uint32_t *first;    /* [ntask + 1] places in successor[]; NULL: no task waits for another */
        int32_t *successor; /* [first[ntask]] who waits for task 0, for task 1, ... */
        int64_t work_ns;    /* of all tasks */
        int64_t path_ns;    /* of the longest chain of tasks that wait for each other */
        double bytes_of_all; /* sum of bytes[] */
};

struct taskgraph; /* opaque */

/* Read and check a file. Messages say "FILE:LINE:COLUMN: ". */
struct taskgraph *taskgraph_read(const char *file, struct lb_error *err);
void taskgraph_destroy(struct taskgraph *graph); /* takes NULL */

/* Does the first line of a file name a column that only task graphs have? */
bool taskgraph_is_file(const char *file);

int32_t taskgraph_napprank(const struct taskgraph *graph); /* the last one that has tasks, + 1 */
double taskgraph_ntask(const struct taskgraph *graph);     /* of all appranks */

/* Belongs to the graph. An apprank beyond the last has an empty one. */
const struct taskgraph_part *taskgraph_part(const struct taskgraph *graph, int32_t apprank);

/* A hash of all tasks: equal graphs have equal ones. */
uint64_t taskgraph_hash(const struct taskgraph *graph);

/*
 * To make one: create, add all tasks, close; to be destroyed after any failure.
 */
struct taskgraph *taskgraph_create(int32_t napprank, struct lb_error *err);

/* The next task of an apprank, after the tasks after[nafter] of the same, each smaller than its own
 * number. */
int taskgraph_add(struct taskgraph *graph, int32_t apprank, int64_t task_ns, int64_t bytes,
                  const int32_t *after, int32_t nafter, struct lb_error *err) LB_MUST_CHECK;
int taskgraph_close(struct taskgraph *graph, struct lb_error *err) LB_MUST_CHECK;

/* Once closed: an apprank that has no tasks gets the first `ntask` of another's, of which none
 * waits for a later one. Its arrays are the other's. */
int taskgraph_share(struct taskgraph *graph, int32_t apprank, int32_t from, int32_t ntask,
                    struct lb_error *err) LB_MUST_CHECK;

#endif
