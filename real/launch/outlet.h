/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_OUTLET_H
#define LB_REAL_LAUNCH_OUTLET_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"

struct obituary;

/*
 * What the job prints goes through lbrun, standard output and error each by an outlet: an mpirun
 * may not care whether it can be written (Open MPI's ends with 0 where the disk is full), or may
 * die of it, and the ranks with it (MPICH's, by SIGPIPE). A thread passes it on until the last
 * process of the job has closed its end.
 *
 * - Somebody who is no process of the job may have that end, too, and keep it (a daemon that was
 *   handed it, a shared ssh connection): all that has been printed is passed on, and no more.
 * - What cannot be written is thrown away, so that nobody waits; the job goes on.
 * - Who reads may leave (EPIPE): that is no error.
 */
struct outlet {
        pthread_t thread;
        int in, out; /* the pipe: the thread's end, and mpirun's; -1 */
        int told;    /* eventfd: nobody of the job is left */
        int to;      /* where it goes */
        bool held;   /* somebody else has mpirun's end when the job is over */
        bool runs;
        struct obituary *obituary; /* reads along (real/launch/obituary.h); NULL: none */
        int why;                   /* errno of the first write that failed; 0: none */
};

/* Make the pipe, to STDOUT_FILENO or STDERR_FILENO; then, when mpirun is started, pass on. */
int outlet_init(struct outlet *outlet, int to, struct lb_error *err) LB_MUST_CHECK;
int outlet_start(struct outlet *outlet, struct lb_error *err) LB_MUST_CHECK;

/* No process of the job is left: all that they printed is passed on, or nobody waits for it
 * (`at_once`); also of one that was not started, or is all 0. Returns 0, or why something was not.
 */
int outlet_finish(struct outlet *outlet, bool at_once);

#endif
