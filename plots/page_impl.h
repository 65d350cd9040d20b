/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_PAGE_IMPL_H
#define LB_PLOTS_PAGE_IMPL_H

#include <stdio.h>

/* What the files of the page writer share (private to plots/page*.c). */

/* Text with what HTML means by it taken away. */
void page_escaped(FILE *out, const char *text);

/* `open`, the text escaped, `close`. */
void page_element(FILE *out, const char *open, const char *text, const char *close);

/* One of a table's row. */
void page_cell(FILE *out, const char *text);

#endif
