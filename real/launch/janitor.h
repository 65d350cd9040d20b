/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_JANITOR_H
#define LB_REAL_LAUNCH_JANITOR_H

#include <time.h>

/*
 * A process that does nothing unless lbrun is killed: then it does what lbrun can do no more. It
 * ends what the job has started, and removes the shared memory that is left. It is no child of
 * lbrun's, so that it outlives it.
 */
struct janitor {
        const char *directory; /* of the job alone, removed as well; NULL: there is none */
        int fd;                /* -1: there is no janitor; the next lbrun cleans up */
};

/* Before the job starts, with the directory set. `since`: when it does, on CLOCK_REALTIME_COARSE
 * (real/launch/debris.h). */
void janitor_start(struct janitor *janitor, const char *job, const struct timespec *since);

/*
 * The same on a node without lbrun, by a keeper of it: when the daemon of mpirun that started the
 * keeper is gone, what it and its ranks have left is removed.
 */
void janitor_attend(const char *job, const struct timespec *since);

/* lbrun has cleaned up itself. Returns when the process is gone. */
void janitor_stop(struct janitor *janitor);

#endif
