/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_VIEW_VIEWER_H
#define LB_REAL_LAUNCH_VIEW_VIEWER_H

#include <stdio.h>

struct frames;
struct job;

/* The viewer's ends of what real/launch/view/view.h draws. */
struct viewer_ends {
        int terminal;
        int out;    /* what is printed */
        int wanted; /* at its end when lbrun wants no view any more, or is gone */
        int told;   /* 'v': there is a view; 'e': all has been printed */
        FILE *kept;
        const struct frames *frames; /* what other machines send; NULL: nothing */
};

/* In a process of its own. Returns when all that was printed is on the terminal. */
void viewer_main(const struct viewer_ends *ends, const struct job *job);

/* All that was kept, onto the terminal. */
void viewer_print_kept(FILE *kept, int terminal);

#endif
