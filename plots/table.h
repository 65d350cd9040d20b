/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_TABLE_H
#define LB_PLOTS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Result tables for people and programs: columns with a name, rows of cells; written as an aligned
 * table, CSV (RFC 4180, lines ending in a newline alone) or JSON. Knows nothing of what the numbers
 * mean; used by both programs.
 *
 * - A row that is left short is filled with empty cells; cells beyond the last column are dropped.
 * - Running out of memory while rows are added is remembered and fails table_write().
 */

enum table_format { TABLE_NONE = 0, TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_LINES };

/* "table", "csv", "json", NULL: from TABLE_TEXT on, those that people choose. */
extern const char *const table_format_names[];

struct table; /* opaque */

/* Columns name[ncolumn], copied. NULL where memory runs out. */
struct table *table_create(int32_t ncolumn, const char *const *name);
void table_destroy(struct table *table);

/* Start a row; then one call per cell, in column order. Text is copied. */
void table_row(struct table *table);
void table_text(struct table *table, const char *text);

/* The same that is text, though it may read as a number: a section "6" of a paper. */
void table_word(struct table *table, const char *text);

/* A number: `digits` significant digits in TABLE_TEXT, full precision elsewhere; one that is not
 * finite is an empty cell, null in JSON. */
void table_number(struct table *table, double number, int digits);

/* How many rows there are. */
int64_t table_rows(const struct table *table);

/*
 * Write all rows: text (aligned, numbers right), CSV with a header line, or a JSON array of objects
 * (cells that read as numbers are numbers, true and false are themselves), or a JSON object a line
 * (TABLE_LINES). Returns 0, or -1 on a
 * write error or where memory had run out.
 */
int table_write(const struct table *table, FILE *out, enum table_format format) LB_MUST_CHECK;

/* ---- Tables too long for memory: in parts of the same columns ---- */

/* Write a part: CSV, with the header line before the first; JSON objects with commas between, in
 * brackets that are the caller's; TABLE_LINES. Returns as table_write(). */
int table_write_part(const struct table *table, FILE *out, enum table_format format,
                     bool first) LB_MUST_CHECK;

/* Aligned text: a look at every part, then the parts again, to be written. NULL where memory runs
 * out; create looks at the first part. */
struct table_layout;
struct table_layout *table_layout_create(const struct table *table);
void table_layout_destroy(struct table_layout *layout);
void table_layout_look(struct table_layout *layout, const struct table *table);
int table_layout_write(const struct table_layout *layout, const struct table *table, FILE *out,
                       bool first) LB_MUST_CHECK;

/* All of that: the parts of what has `count` rows, one after another, in any form, as table_write()
 * writes them. part() gives a table of rows first .. end-1 that is destroyed behind it, NULL
 * without memory; of text each is asked for twice. */
typedef struct table *(*table_part)(const void *of, int64_t first, int64_t end);
int table_put(table_part part, const void *of, int64_t count, FILE *out,
              enum table_format format) LB_MUST_CHECK;

#endif
