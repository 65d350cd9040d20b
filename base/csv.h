/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_CSV_H
#define LB_BASE_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Tables read from CSV files (RFC 4180, lines ending in a newline or CR LF) with a header line.
 *
 * - Strict: every row has as many cells as the header; messages name file, line and what was found.
 * - The whole file is held in memory, or (lb_csv_begin()) one row of it; cells are text in place.
 */
struct lb_csv {
        char *file, *text;
        char **cell; /* [nrow + 1][ncolumn], the header first */
        int64_t nrow;
        int32_t ncolumn;
        char separator; /* of cells */

        /* Private, of a file that is read row by row. */
        char *row_text;
        size_t row_size;
        int64_t before, line; /* rows before the one that is held; lines so far */
};

int lb_csv_open(struct lb_csv *csv, const char *file, struct lb_error *err) LB_MUST_CHECK;

/* The same of what a stream has, which stays open (NULL: errno says why), by the name `file`. `any`
 * other program's, too: a byte order mark, semicolons or tabs in place of commas (as in the
 * header), and empty lines at the end are fine. */
int lb_csv_read(struct lb_csv *csv, FILE *in, const char *file, bool any,
                struct lb_error *err) LB_MUST_CHECK;
void lb_csv_close(struct lb_csv *csv); /* fine on one that is all zero */

/* Row by row, in memory that does not grow with the file: the header alone at first, then each row
 * in turn as row 0, until the next call. 1: there is a row, 0: there are no more. The stream (NULL:
 * errno says why) is the caller's; what is read is refused as above, at the row that is wrong. */
int lb_csv_begin(struct lb_csv *csv, FILE *in, const char *file,
                 struct lb_error *err) LB_MUST_CHECK;
int lb_csv_next(struct lb_csv *csv, FILE *in, struct lb_error *err) LB_MUST_CHECK;

/* The place of a column, or -1. */
int32_t lb_csv_column(const struct lb_csv *csv, const char *name);

static inline const char *lb_csv_name(const struct lb_csv *csv, int32_t column)
{
        return csv->cell[column];
}

static inline const char *lb_csv_cell(const struct lb_csv *csv, int64_t row, int32_t column)
{
        return csv->cell[(row + 1) * csv->ncolumn + column];
}

/* A cell as a finite number. Fails, naming line and column, where it is none. */
int lb_csv_number(const struct lb_csv *csv, int64_t row, int32_t column, double *number,
                  struct lb_error *err) LB_MUST_CHECK;

/* The same, and NaN where the cell is empty. */
int lb_csv_value(const struct lb_csv *csv, int64_t row, int32_t column, double *value,
                 struct lb_error *err) LB_MUST_CHECK;

#endif
