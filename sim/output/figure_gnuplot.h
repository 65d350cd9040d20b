/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_GNUPLOT_H
#define LB_SIM_OUTPUT_FIGURE_GNUPLOT_H

#include <stdio.h>

/* What is drawn by which script: DIR/FILE.dat becomes DIR/FILE.svg, .pdf and .png. */
struct gnuplot_job {
        const char *script; /* plots/SCRIPT.gp */
        const char *directory, *file;
        const char *word; /* a word for the title */
        const char *size; /* of figure_sizes (figure.h) */
};

/*
 * Draw. The names of the figures go to `notes`, one a line, and so does why there are none: no
 * script, no gnuplot ("note: ..."), or one that failed ("warning: ...", with what it said).
 * A figure appears whole or not at all.
 */
void gnuplot_draw(const struct gnuplot_job *job, FILE *notes);

#endif
