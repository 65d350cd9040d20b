/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_RESULTS_H
#define LB_SIM_OUTPUT_RESULTS_H

#include "plots/table.h"
#include "sim/sweep/sweep.h"

/*
 * The results of a sweep as tables and files, of the runs that are done. Rows are in the order of
 * points and replicates, whatever the number of threads, and numbers in full.
 *
 * - Tables are NULL where memory runs out; the caller destroys them.
 */

/* The program's version. */
const char *results_version(void);

/* One row per run, of the slots first .. end-1 of result[]: swept values, seed, every metric of
 * metric_table[]. */
struct table *results_runs(const struct sweep *sweep, int64_t first, int64_t end);

/* One row per point, of first .. end-1: swept values, replicates, the mean of every metric, and
 * half the width of the 95% confidence interval of some (empty for a single replicate). */
struct table *results_summary(const struct sweep *sweep, int64_t first, int64_t end);

/* The few columns of the summary that people look at first. */
struct table *results_overview(const struct sweep *sweep, int64_t first, int64_t end);

/* Write all rows of one of these three, some at a time, so that memory does not depend on how many
 * there are. JSON: the array. Returns -1 on a write error or without memory. */
typedef struct table *(*results_part)(const struct sweep *sweep, int64_t first, int64_t end);
int results_put(const struct sweep *sweep, results_part part, FILE *out,
                enum table_format format) LB_MUST_CHECK;

/* One row per sample of one run: swept values, seed, time_s, node_imbalance. */
struct table *results_series(const struct sweep *sweep, int64_t point, int32_t replicate);

/* One row per sample and worker of one run: swept values, seed, time_s, node, apprank, worker,
 * busy_cores, owned_cores. Workers are numbered node by node. */
struct table *results_workers(const struct sweep *sweep, struct point_shared *graphs, int64_t point,
                              int32_t replicate);

/* What is measured, as a Markdown table. */
void results_print_metrics(FILE *out);

/* The JSON Schema of results.json. Returns -1 on a write error or without memory. */
int results_print_schema(FILE *out) LB_MUST_CHECK;

/* How the program was called, for results.json. */
struct results_call {
        int argc;
        char **argv;
};

/* Write results.json's text; where rows_in is not NULL, the names of the files that hold rows and
 * summary in place of these. Returns -1 on a write error or without memory. */
int results_json(const struct sweep *sweep, const struct results_call *call, const char *rows_in,
                 const char *summary_in, FILE *out) LB_MUST_CHECK;

/*
 * Write results.csv, results.json, summary.csv, overview.txt and, where there are series,
 * series.csv and workers.csv into a directory; of a sweep that is not finished, results.partial.csv
 * and so on in their place; `compress`: the files of many rows as results.csv.zst and so on, in
 * place of what was there without, and results.jsonl.zst in place of results.json's rows. The name
 * of each goes to `notes` (NULL: nowhere), one a line.
 */
int results_write(const struct sweep *sweep, const struct results_call *call, const char *directory,
                  bool compress, FILE *notes, struct lb_error *err) LB_MUST_CHECK;

/* Print what results_write() has stored of a complete sweep, in the form that is printed:
 * overview.txt, results.csv or results.json. A failed write is left in `out`. */
int results_print_stored(const char *directory, enum table_format format, bool compressed,
                         FILE *out, struct lb_error *err) LB_MUST_CHECK;

#endif
