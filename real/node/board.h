/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_BOARD_H
#define LB_REAL_NODE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The board of a node: POSIX shared memory in which the workers of one node of one job tell each
 * other what the policies need, and wake each other. It is there whatever core manager is used
 * (real/node/cores.h), which cannot be asked for any of this.
 *
 * - Every field has one writer (named below); all are atomic words; readers may see figures of
 *   different instants, as a policy must expect anyway.
 * - Segments are named /lbrun-<uid>-<job>-<node>; the last living worker to close removes it. lbrun
 *   removes those of its job after the job, and board_clean() removes those of dead jobs of this
 *   user: all whose creating processes (recorded in the segment, with their start times) are gone.
 *   Never anybody else's.
 * - A wake is never lost: board_ticket() before looking for work, board_wait() with that ticket.
 */
struct board;

struct board_spec {
        const char *job; /* its id */
        int32_t node;
        int32_t beside;  /* not 0: one more board of the node, known as that of node + beside */
        int32_t nworker; /* of the node */
        int32_t worker;  /* the caller's place on the node, 0 .. nworker-1 */
        int32_t ncore;   /* of the node */
};

/* What a worker tells; written by that worker alone, except where said. */
struct board_worker {
        _Atomic int64_t busy_ns;   /* core time spent on tasks and the main program until `at_ns` */
        _Atomic int64_t cpu_ns;    /* processor time of its tasks */
        _Atomic int64_t useful_ns; /* time in task functions */
        _Atomic int64_t at_ns;     /* when these were written, CLOCK_MONOTONIC */
        _Atomic int64_t iteration_ns; /* what one of its apprank's takes, at home; 0: not known */
        _Atomic int32_t running;      /* tasks executing */
        _Atomic int32_t ready;        /* assigned, data here, waiting for a core */
        _Atomic int32_t tasks;        /* assigned and not finished */
        _Atomic int32_t held_known;   /* held by its apprank, as of its last poll */
        _Atomic int32_t task_us;      /* what its last tasks took; 0: none has ended */
        _Atomic int32_t owned, lent, borrowed, reclaiming; /* cores; kept by the core manager */
        _Atomic int32_t
            giving; /* own cores that it keeps free, since it owns more than it should */
        _Atomic int32_t asking,
            refused;            /* cores that it asks its apprank tasks for; none is held */
        _Atomic int32_t target; /* cores it is to own; written by the node's leader (worker 0) */
        _Atomic int32_t pid;    /* there from the start */
};

/*
 * Open the node's board, creating it where the caller is first. Blocks until all nworker workers
 * have it open, for at most timeout_s. Fails where shared memory is full, where the name is another
 * user's, where sizes differ, or where a worker dies before all have it open.
 */
struct board *board_open(const struct board_spec *spec, double timeout_s, struct lb_error *err);
void board_close(struct board *board);  /* takes NULL */
void board_unname(struct board *board); /* nobody can look at it then: segment_unname() */

/*
 * For who is no worker: look at the board of a node of this machine (spec->worker is not read).
 * NULL where there is none now. It may be read, and closed; it stays readable when the job has
 * ended.
 */
struct board *board_look(const struct board_spec *spec);

/* Who owns and who uses a core, as a core manager last wrote it: worker, or -1, nobody. */
struct board_core {
        int32_t owner, user;
};
struct board_core board_core(const struct board *board, int32_t core);

struct board_worker *board_worker(struct board *board, int32_t worker);

/* Counts changes of targets; written by the leader after it has written them. */
_Atomic uint32_t *board_epoch(struct board *board);

/*
 * Sleep until `worker` (the caller) is woken, or timeout_ns have passed (< 0: for ever). Returns at
 * once where it was woken since the ticket was taken. No spinning. Any number of threads may wait;
 * a wake wakes them all.
 */
uint32_t board_ticket(const struct board *board);
void board_wait(struct board *board, uint32_t ticket, int64_t timeout_ns);
void board_wake(struct board *board, int32_t worker);

/* The first worker that has died (its process is gone) and not closed; or -1. Cheap: for polls. By
 * one thread at a time, with the calls of the core manager. */
int32_t board_dead(struct board *board);

/* Remove this user's segments of jobs that are gone; of `job` whatever its state, unless NULL.
 * Returns how many. */
int board_clean(const char *job);

#endif
