/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_H
#define LB_SIM_OUTPUT_FIGURE_H

#include "sim/sweep/sweep.h"

/*
 * Figures as the paper draws them, by gnuplot: SVG, PDF and PNG, from a data file that is kept
 * beside them and can be drawn again by hand (plots/FIGURE.gp).
 */

/* How wide: one column of a page (9 cm) or two (18 cm). The words are those of figure_sizes. */
enum figure_size { FIGURE_TWO_COLUMNS = 0, FIGURE_ONE_COLUMN };
extern const char *const figure_sizes[]; /* NULL-ended: "two", "one" */

/* What to draw: the scenario's figure, or another; of which size. */
struct figure_order {
        const char *name; /* NULL: as the scenario's output.figure says */
        enum figure_size size;
};

/*
 * Can the scenario's results be drawn as its output.figure asks, or as `name` unless that is NULL:
 * are the axes there, and do no two points fall on the same place? The message says what is in the
 * way.
 */
int figure_check(const struct scenario *scenario, const char *name,
                 struct lb_error *err) LB_MUST_CHECK;

/*
 * Draw the figures of a complete sweep into a directory. Their names go to `notes`, one a line, and
 * so do remarks that begin with "note:" or "warning:", as where gnuplot is missing. Returns -1 only
 * where a data file cannot be written.
 */
int figure_draw(const struct sweep *sweep, const struct figure_order *order, const char *directory,
                FILE *notes, struct lb_error *err) LB_MUST_CHECK;

/*
 * What the scenario's own figure answers, in a sentence, from the data that is kept in a finished
 * sweep's directory; "" where there is none, or where the figure has no question of yes or no.
 */
enum { FIGURE_VERDICT_SIZE = 1024 };
void figure_verdict(const struct scenario *scenario, const char *directory,
                    char text[static FIGURE_VERDICT_SIZE]);

#endif
