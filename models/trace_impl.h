/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_TRACE_IMPL_H
#define LB_MODELS_TRACE_IMPL_H

#include <stdio.h>

#include "base/json.h"
#include "base/param.h"
#include "models/trace.h"

/* What the readers of the two formats share (private to this room): trace.c checks rows. */

/* The columns of a row. */
enum trace_param {
        TRACE_ITERATION,
        TRACE_APPRANK,
        TRACE_WORK_S,
        TRACE_TASKS,
        TRACE_COST,
        TRACE_SERIAL_S,
        TRACE_NPARAM,
};
extern const struct lb_param trace_params[];

struct trace_row {
        double work_s, serial_s;
        int32_t iteration, apprank, tasks;
        int32_t place; /* in the file: line from 1, or place in the array from 0 */
};

struct trace {
        int32_t napprank, niteration;
        struct trace_row *row; /* [nrow]; once read [niteration][napprank] */
        int32_t nrow, capacity;
        double *tasks_before; /* [niteration + 1] tasks of all iterations before */
        bool lacks_tasks;     /* in some row at least */
        uint64_t hash;
};

/* A file being read. */
struct trace_file {
        const char *name;
        struct lb_json json;                  /* empty for CSV */
        int32_t ncolumn;                      /* CSV */
        enum trace_param order[TRACE_NPARAM]; /* CSV: which column is which, [ncolumn] */
        bool has_tasks;                       /* CSV */
        int32_t column[TRACE_NPARAM];         /* CSV: where the fields of the row begin, from 1 */
};

/* Complain about a row, or about one of its columns unless that is TRACE_NPARAM. Returns -1. */
int trace_complain(const struct trace_file *file, int32_t place, enum trace_param column,
                   struct lb_error *err, const char *format, ...) LB_PRINTF(5, 6);

/* Add a row of values that each are allowed by trace_params[]. Where the number of tasks is not
 * among them, trace_guess_tasks() comes first. */
int trace_add(struct trace *trace, const struct trace_file *file, int32_t place,
              const double *value, struct lb_error *err) LB_MUST_CHECK;

void trace_guess_tasks(struct trace *trace, double *value);

/* Read all rows. */
int trace_read_csv(struct trace *trace, struct trace_file *file,
                   struct lb_error *err) LB_MUST_CHECK;
int trace_read_json(struct trace *trace, struct trace_file *file,
                    struct lb_error *err) LB_MUST_CHECK;

#endif
