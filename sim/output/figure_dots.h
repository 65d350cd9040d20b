/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_DOTS_H
#define LB_SIM_OUTPUT_FIGURE_DOTS_H

#include <stdio.h>

#include "sim/output/figure_rows.h"

/*
 * Data of the figures that compare variants in groups, a point with its interval for each, in one
 * panel per metric (plots/dots.gp; private to figure*.c).
 */
enum { DOT_METRICS = 4 };

struct figure_dot {
        int64_t group, variant; /* their places in the figure, from 0 */
        const char *group_words, *variant_words;
        const char *system; /* whose colour it has */
        struct interval metric[DOT_METRICS];
        double published; /* of the first metric; NaN: nothing */
};

/* The line that says what the columns are. */
void figure_dots_begin(FILE *out, const char *const *metric, int nmetric);
void figure_dots_put(FILE *out, const struct figure_dot *dot, int nmetric);

#endif
