/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_RESULTS_FILE_H
#define LB_SIM_OUTPUT_RESULTS_FILE_H

#include <stdbool.h>

#include "base/csv.h"
#include "base/file.h"

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
        FILE *in;     /* private, of results_file_begin() */
};

int results_file_open(struct results_file *f, const char *directory,
                      struct lb_error *err) LB_MUST_CHECK;
void results_file_close(struct results_file *f); /* fine on one that is all zero */

/* The same without its rows, which results_file_next() reads one by one, as lb_csv_next(): row 0 of
 * csv, until the next call. row[] is NULL. */
int results_file_begin(struct results_file *f, const char *directory,
                       struct lb_error *err) LB_MUST_CHECK;
int results_file_next(struct results_file *f, struct lb_error *err) LB_MUST_CHECK;

/* Say on standard error that it is partial, or changed. */
void results_file_warn(const struct results_file *f);

/* The same of a directory's file, unread; for what is told from its other files. */
void results_directory_warn(const char *directory);

/*
 * The path of another file of the directory, by its name where the sweep is finished
 * ("results.json") or else by that of one that is not ("results.partial.json"). Where there is
 * neither, an error that says what is there.
 */
int results_file_of(const char *directory, const char *whole, const char *partial,
                    char path[static LB_PATH_SIZE], struct lb_error *err) LB_MUST_CHECK;

/* The place of a column by name; an error that suggests the nearest where there is none. */
int results_file_column(const struct results_file *f, const char *name, int32_t *column,
                        struct lb_error *err) LB_MUST_CHECK;

/* Keep the rows for which a condition "PATH=VALUE[,VALUE]..." holds; an error where none is left.
 */
int results_file_filter(struct results_file *f, const char *where,
                        struct lb_error *err) LB_MUST_CHECK;

/*
 * One such condition, for rows that are read one by one: ask of every row of the file whether it
 * holds, and at the end whether each of its values was seen and any row held.
 */
struct results_where {
        const char *text, *list;
        int32_t column, nitem;
        int64_t held;
        char **item;   /* [nitem] the values; */
        char **number; /* [nitem] those that are numbers as lbsim writes them, or NULL */
        bool *seen;    /* [nitem] */
};
int results_where_init(struct results_where *w, const struct results_file *f, const char *where,
                       struct lb_error *err) LB_MUST_CHECK;
void results_where_finish(struct results_where *w); /* fine on one that is all zero */
bool results_where_holds(struct results_where *w, const struct results_file *f, int64_t row);
int results_where_check(const struct results_where *w, const struct results_file *f,
                        struct lb_error *err) LB_MUST_CHECK;

/* Order of row i of a and row j of b by columns column[ncolumn], numbers by value before text. */
int results_file_order(const struct results_file *a, int64_t i, const struct results_file *b,
                       int64_t j, const int32_t *column, int32_t ncolumn);

/* Order of two values. */
int results_value_order(const char *a, const char *b);

/* Sort row[] by columns; rows that are equal stay in their order. */
int results_file_sort(struct results_file *f, const int32_t *column, int32_t ncolumn,
                      struct lb_error *err) LB_MUST_CHECK;

#endif
