/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_TRACE_H
#define LB_MODELS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Measured work: what each apprank had to do in each iteration of a real run, as lbrun --loads
 * writes it. Free of GPL libraries.
 *
 * A file is CSV, with this line first, its columns in any order, whole numbers for iteration,
 * apprank and tasks, and the work in seconds on a core of speed 1:
 *
 *      iteration,apprank,work_s,tasks
 *      0,0,12.5,800
 *      0,1,4.25,800
 *
 * Others may follow: "cost", the sum of the hints that the tasks were created with (struct
 * lbrun_options), in the program's own unit (simulated work is the measured one); and "serial_s",
 * of the work what the main program does by itself, less than all of it. Without: 0.
 *
 * Where its name ends in ".json" it is an array of objects with these members:
 *
 *      [{ "iteration": 0, "apprank": 0, "work_s": 12.5, "tasks": 800 }, ...]
 *
 * - Without the column "tasks" (or its members) the numbers are unknown: trace_tasks() says 1 where
 *   there is work.
 * - Rows may be in any order. Iterations and appranks count from 0; there is exactly one row for
 *   each apprank in each iteration.
 * - An apprank without tasks has no work, one with tasks has some; at least one has. A task takes
 *   an hour at most on average.
 * - At most TRACE_ROW_MAX rows.
 * - Immutable once read; may be used by any number of threads.
 */
enum { TRACE_ROW_MAX = 10000000, TRACE_ITERATION_MAX = 1000000, TRACE_APPRANK_MAX = 65536 };

struct trace; /* opaque */

/* Does text begin with the first line of such a CSV file? */
bool trace_is_header(const char *text);

/* Read and check a file. Messages say "FILE:LINE:COLUMN: ". */
struct trace *trace_read(const char *file, struct lb_error *err);
void trace_destroy(struct trace *trace); /* takes NULL */

int32_t trace_napprank(const struct trace *trace);
int32_t trace_niteration(const struct trace *trace);

/* Work of an apprank in an iteration (0 .. niteration-1), s at speed 1, and its tasks. */
double trace_work_s(const struct trace *trace, int32_t iteration, int32_t apprank);
double trace_serial_s(const struct trace *trace, int32_t iteration, int32_t apprank); /* of it */
int64_t trace_tasks(const struct trace *trace, int32_t iteration, int32_t apprank);

/* Does the file say how many tasks there are? */
bool trace_has_tasks(const struct trace *trace);

/* Tasks of all appranks in the first `niteration` iterations of a run that repeats the trace. */
double trace_all_tasks(const struct trace *trace, int64_t niteration);

/* A hash of what the trace says: equal traces have equal ones, however they are written. */
uint64_t trace_hash(const struct trace *trace);

#endif
