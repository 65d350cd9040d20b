/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_SHOW_H
#define LB_SIM_COMMANDS_SHOW_H

#include "base/option.h"
#include "plots/table.h"
#include "sim/commands/show_groups.h"
#include "sim/output/results_file.h"

/* What the files of lbsim show share (private to sim/commands/show*.c). */

enum { COLUMNS_MAX = 64 };

struct columns {
        int32_t column[COLUMNS_MAX];
        int32_t count;
};

enum show_log { SHOW_LOG_NONE = 0, SHOW_LOG_X, SHOW_LOG_Y, SHOW_LOG_XY };
extern const char *const show_logs[]; /* NULL-ended */

struct show_options {
        const char *directory, *by, *metric, *plot, *x, *y, *line, *facet;
        const char *title, *x_words, *y_words; /* NULL: from the columns */
        const char *figure, *scenario, *html;
        int log, figure_size; /* enum show_log, enum figure_size */
        struct lb_option_list where;
        enum table_format format;
};

struct show {
        const struct show_options *options;
        struct results_file file; /* read row by row into the groups */
        struct show_groups groups;
        struct columns by, metric; /* by: panel, line and x where a figure is drawn */
        int32_t npanel;            /* how many of `by` are the panel's; the last one is x */
};

/* Draw the first metric of the groups. */
int show_plot(const struct show *s, struct lb_error *err) LB_MUST_CHECK;

/* Draw a figure of the whole sweep from what is stored, simulating nothing. */
int show_figure(const struct show_options *options, struct lb_error *err) LB_MUST_CHECK;

/* The page of a folder (sim/output/results_page.h). */
int show_page(const struct show_options *options, struct lb_error *err) LB_MUST_CHECK;

#endif
