/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_PAGE_H
#define LB_PLOTS_PAGE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Result pages: one HTML file that needs nothing else, figures as inline SVG, no script and no
 * network. Knows nothing of what the numbers mean; used by both programs.
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

/* Rows of cells, cell[nrow][ncolumn], under their names; cells that read as numbers to the right.
 */
void page_table(FILE *out, const char *const *name, int32_t ncolumn, const char *const *cell,
                int32_t nrow);

/* ---- Figures ---- */

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

#endif
