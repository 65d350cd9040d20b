/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_PAGE_H
#define LB_PLOTS_PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Result pages: one HTML file that needs nothing else, figures as inline SVG, no network, and no
 * script but page_script(). Knows nothing of what the numbers mean; used by both programs.
 *
 * - Any text is given plain and escaped here; what is not UTF-8 becomes U+FFFD.
 * - Numbers that are not finite are left out of figures.
 * - Write errors are those of the stream: who opened it looks (base/file.h).
 */
void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

/* ---- Text ---- */

void page_heading(FILE *out, const char *text);
void page_lead(FILE *out, const char *text); /* the sentence that matters most */
void page_text(FILE *out, const char *text);
void page_code(FILE *out, const char *text); /* as it is, in a fixed width */

/* The command line of `word`, NULL behind them, as a shell reads it; `before` that, as it is.
 * -1: out of memory. */
int page_command(FILE *out, const char *before, char *const *word) LB_MUST_CHECK;

/* What is between is folded up under a line of text until it is asked for. */
void page_fold_begin(FILE *out, const char *text);
void page_fold_end(FILE *out);

/* Rows of cells, cell[nrow][ncolumn], under their names; cells that read as numbers to the right.
 */
void page_table(FILE *out, const char *const *name, int32_t ncolumn, const char *const *cell,
                int32_t nrow);

/* The same row by row, for many rows: with page_script() it sorts by a click on a column's name,
 * and shows only rows that have the words that are typed. */
void page_table_begin(FILE *out, const char *const *name, int32_t ncolumn);
void page_table_row(FILE *out, const char *const *cell, int32_t ncolumn);
void page_table_end(FILE *out);

/* The same of a whole table. `words` says what stands over a column, with its unit, for its name;
 * `of` is the caller's. -1: out of memory. */
enum { PAGE_WORDS_SIZE = 256 };
typedef void page_words(const void *of, const char *name, char text[static PAGE_WORDS_SIZE]);
struct table;
int page_of_table(FILE *out, const struct table *table, page_words *words,
                  const void *of) LB_MUST_CHECK;

/* Values stacked over time, a strip per lane: all of nbin equal pieces of 0 .. end_s. With
 * page_script() it zooms. */
struct page_lane {
        const char *name;
        double most;         /* the height of the strip */
        const double *value; /* [nlayer][nbin] */
};
struct page_timeline {
        const char *title, *layers; /* what a layer is called, before its number: "apprank" */
        const char *marks;          /* what the marks are */
        double end_s;
        const struct page_lane *lane; /* [nlane] */
        int32_t nlane, nlayer, nbin;
        const double *mark_s; /* [nmark] */
        int64_t nmark;
};
void page_timeline(FILE *out, const struct page_timeline *timeline);

/* Once, before page_end(), where there are such tables or time lines. */
void page_script(FILE *out);

/* ---- Figures ---- */

/* A figure that gnuplot wrote, read from `svg`, inline; `words` say what it is to who cannot see
 * it; every one of a page has a number of its own. -1 where it is no SVG or cannot be read. */
int page_svg(FILE *out, FILE *svg, const char *words, int number) LB_MUST_CHECK;

/* value[nrow][ncolumn] as colours from 0 to the largest, rows from above. More than PAGE_CELLS
 * rows or columns are drawn as the largest of neighbours. */
enum { PAGE_CELLS = 200 };
struct page_heat {
        const char *title, *rows, *columns, *unit;
        const double *value;
        int64_t nrow, ncolumn;
        double column_width; /* in columns' unit; 0: columns are counted */
};
void page_heat(FILE *out, const struct page_heat *heat);

/* How many of value[count] are how large. */
void page_histogram(FILE *out, const char *title, const char *unit, const double *value,
                    int64_t count);

/* Lengths: each from `from` to `to`, with a lighter piece on to `most` where that is more. */
struct page_bar {
        const char *name, *note; /* note: behind the bar */
        double from, to, most;
        int group; /* colour, 0 to 5 */
};
void page_bars(FILE *out, const char *title, const char *unit, const struct page_bar *bar,
               int32_t count);

/* value[count] over 0, 1, 2 ..., a line each, from 0 up; of more than PAGE_POINTS the means of
 * neighbours. A level above 0 is drawn across. What is not finite is left out. */
enum { PAGE_POINTS = 500 };
struct page_line {
        const char *name;
        const double *value;
        int64_t count;
        int group; /* colour, 0 to 5 */
};
struct page_lines {
        const char *title, *x, *unit; /* x: what is counted */
        const struct page_line *line; /* [nline] */
        int32_t nline;
        const char *level_name;
        double level;
};
void page_lines(FILE *out, const struct page_lines *lines);

#endif
