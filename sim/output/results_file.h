/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_RESULTS_FILE_H
#define LB_SIM_OUTPUT_RESULTS_FILE_H

#include <stdbool.h>

#include "base/csv.h"

/*
 * Stored results, read again: DIR/results.csv or DIR/results.csv.zst, or where there is neither
 * DIR/results.partial.csv, a row for each run. The swept
 * columns stand before "seed", the metrics behind it.
 */
struct results_file {
        struct lb_csv csv;
        int32_t nkey; /* swept columns: 0 .. nkey-1; "seed" is column nkey */
        int64_t *row; /* [nrow] rows in the order asked for; all rows until results_file_sort() */
        bool partial; /* of a sweep that is not finished */
        bool changed; /* since the sweep was sealed (sim/output/seal.h) */
        int64_t nrow; /* those that are kept, csv.nrow at first */
};

int results_file_open(struct results_file *f, const char *directory,
                      struct lb_error *err) LB_MUST_CHECK;
void results_file_close(struct results_file *f); /* fine on one that is all zero */

/* Say on standard error that it is partial, or changed. */
void results_file_warn(const struct results_file *f);

/* The same of a directory's file, unread; for what is told from its other files. */
void results_directory_warn(const char *directory);

/* The place of a column by name; an error that suggests the nearest where there is none. */
int results_file_column(const struct results_file *f, const char *name, int32_t *column,
                        struct lb_error *err) LB_MUST_CHECK;

/* Keep the rows for which a condition "PATH=VALUE[,VALUE]..." holds; an error where none is left.
 */
int results_file_filter(struct results_file *f, const char *where,
                        struct lb_error *err) LB_MUST_CHECK;

/* Order of row i of a and row j of b by columns column[ncolumn], numbers by value before text. */
int results_file_order(const struct results_file *a, int64_t i, const struct results_file *b,
                       int64_t j, const int32_t *column, int32_t ncolumn);

/* Sort row[] by columns; rows that are equal stay in their order. */
int results_file_sort(struct results_file *f, const int32_t *column, int32_t ncolumn,
                      struct lb_error *err) LB_MUST_CHECK;

#endif
