/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_PROGRESS_H
#define LB_SIM_SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * How far a sweep is, on standard error (private to sweep*.c): a bar that is redrawn at most ten
 * times a second on a terminal, one line a minute elsewhere.
 */
struct progress {
        FILE *out; /* NULL: silent */
        bool terminal, drawn;
        double start_s, shown_s;
        int64_t nrun, nreused; /* all runs; those done before the start */
        double cost;           /* of the runs to be done now */
};

/* What is done by now. */
struct progress_state {
        int64_t ndone; /* of nrun */
        double cost;
};

void progress_init(struct progress *progress, FILE *out);

/* Show, if it is time to. */
void progress_show(struct progress *progress, struct progress_state state);

/* Remove the bar from the terminal. */
void progress_finish(struct progress *progress);

/* The line for people after `elapsed_s`, written into text[size]; with a bar where width > 0. */
void progress_line(const struct progress *progress, struct progress_state state, double elapsed_s,
                   int width, char *text, size_t size);

#endif
