/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_TABLE_H
#define LB_PLOTS_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Result tables for people and programs: columns with a name, rows of cells; written as an aligned
 * table, CSV (RFC 4180) or JSON. Knows nothing of what the numbers mean; used by both programs.
 */

enum table_format { TABLE_NONE = 0, TABLE_TEXT, TABLE_CSV, TABLE_JSON };

struct table; /* opaque */

struct table *table_create(int32_t ncolumn, const char *const *name);
void table_destroy(struct table *table);

/* Start a row; then one call per cell, in column order. Text is copied. */
void table_row(struct table *table);
void table_text(struct table *table, const char *text);
void table_number(struct table *table, double number, int digits); /* significant digits in TABLE_TEXT; full precision elsewhere; NaN: empty / null */

/*
 * Write all rows: text (aligned, numbers right), CSV with a header line, or a JSON array of objects
 * (cells that read as numbers are numbers). Returns 0, or -1 on a write error.
 */
int table_write(const struct table *table, FILE *out, enum table_format format) LB_MUST_CHECK;

#endif
