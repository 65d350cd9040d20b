/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_VIEW_H
#define LB_REAL_LAUNCH_VIEW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

#include "base/error.h"

struct frames;
struct plan;

/*
 * lbrun --watch: a view of the running job on the terminal, by a process of its own.
 *
 *      job, lbrun --- what they print ---> viewer ---> terminal    draws, keeps what was printed,
 *        |                                   ^                     and prints it when the view ends
 *        |------- boards of the nodes -------|
 *        '-- frames of other machines' ones -'
 *
 * - The viewer only looks (real/launch/view/model.h); the job runs as without it.
 * - It is no child of lbrun's, which reaps and kills all of its own: when lbrun is killed, the
 *   viewer gives the terminal back. When the viewer is killed, lbrun does, and prints on. Only
 * where both are killed at once stays the terminal as it was.
 * - Ctrl-C and Ctrl-Z are for the job, as without a view; "q" ends the view alone.
 */
struct view {
        int terminal;          /* a copy of the descriptor that is one; -1: there is no view */
        int saved[3];          /* standard output and error as they were; -1: not redirected */
        int out_read, alive;   /* what is printed; open for as long as lbrun wants a view */
        int told;              /* what the viewer tells */
        struct frames *frames; /* for the exchange with other machines; NULL: all is here */
        FILE *kept;            /* all that was printed, of both processes */
        struct termios modes;  /* of the terminal, before */
        pthread_t guard;       /* takes the viewer's place where that is killed */
};

/* Before the job. Fails where neither standard output nor standard error is a terminal that can be
 * drawn on, and where lbrun was built without ncurses. */
int view_start(struct view *view, const struct plan *plan, struct lb_error *err) LB_MUST_CHECK;

/* After it; all that was printed is then on the terminal. */
void view_stop(struct view *view);

#endif
