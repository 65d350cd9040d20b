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
        int process;           /* its pidfd; -1: not known */
};

/* Before the job starts, with the directory set. `since`: when it does, on CLOCK_REALTIME_COARSE
 * (real/launch/debris.h). */
void janitor_start(struct janitor *janitor, const char *job, const struct timespec *since);

/*
 * The same on a node without lbrun, by a keeper of it: when the daemon of mpirun that started the
 * keeper is gone, what it and its ranks have left is removed.
 */
void janitor_attend(const char *job, const struct timespec *since);

/* The parts of it, for a process of its own (real/launch/post.h). */
struct janitor_place {
        char job[64];
        struct timespec since;
        char session[4096]; /* Open MPI's directory of this node's daemon; empty: none */
};
void janitor_note_place(struct janitor_place *place, const char *job, const struct timespec *since);
void janitor_clean_place(const struct janitor_place *place);

/* Keep nothing open but fd[count] (which it sorts) and nothing of the job's: standard streams lead
 * nowhere, signals are blocked. */
void janitor_let_go(int *fd, int count);

/* lbrun has cleaned up itself. Returns when the process is gone, which is killed where it is not
 * within a second (stopped). */
void janitor_stop(struct janitor *janitor);

#endif
