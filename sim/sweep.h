/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_H
#define LB_SIM_SWEEP_H

#include "sim/point.h"

/*
 * Running all points and replicates of a scenario on several threads, with finished ones kept on
 * disk.
 *
 * - Results do not depend on the number of threads or on the order in which points finish.
 * - With a directory, every finished run is one line of DIR/runs.jsonl, written as soon as it is
 *   there; its first line names the scenario's fingerprint and the program's version. A later sweep
 *   into the same directory takes those runs as done, and refuses a directory of another
 *   fingerprint or version. DIR/lock keeps a second process out.
 */
struct sweep_options {
        const char *directory;    /* NULL: keep nothing */
        int32_t jobs;             /* threads, >= 1 */
        bool progress;            /* draw a progress bar on standard error */
        const volatile int *stop; /* set by a signal handler: finish no further run */
};

struct sweep {
        const struct scenario *scenario;
        struct sim_result *result; /* [npoint][replicates] */
        bool *done;                /* [npoint][replicates] */
        int64_t nrun, ndone;       /* npoint * replicates; how many are done */
        int64_t nreused;           /* done already by an earlier sweep into the directory */
        double elapsed_s;
};

/* Run. Interrupted: returns -1 with LB_ERROR_STOPPED and `sweep` holds what is done. Any other
 * failure: *sweep is empty. */
int sweep_run(struct sweep *sweep, const struct scenario *scenario,
              const struct sweep_options *options, struct lb_error *err) LB_MUST_CHECK;
void sweep_finish(struct sweep *sweep);

#endif
