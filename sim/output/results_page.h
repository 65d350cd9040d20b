/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_RESULTS_PAGE_H
#define LB_SIM_OUTPUT_RESULTS_PAGE_H

#include <stdio.h>

#include "sim/scenario/scenario.h"

/*
 * One page to send to a colleague: of a sweep's folder, the verdict, its figures, every point in a
 * table, every parameter, and how to repeat it. One HTML file that needs nothing else
 * (plots/page.h). Written from what the folder holds: summary.csv, results.json and its SVG files.
 */
int results_page_write(const struct scenario *scenario, const char *directory, const char *path,
                       struct lb_error *err) LB_MUST_CHECK;

/* The SVG files of a folder, in the order of their names, numbered from `first` on. */
void results_page_figures(FILE *out, const char *directory, int first);

#endif
