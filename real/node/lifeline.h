/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_LIFELINE_H
#define LB_REAL_NODE_LIFELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "real/node/futex.h"

/*
 * What a rank lets its keeper (real/launch/keeper.h) see: a page that the two share, and behind it
 * what the rank leaves when it ends (real/node/estate.h), for whoever the keeper gives a
 * descriptor. It has no name: the program inherits a descriptor of it, whose number is in its
 * environment until it is attached.
 *
 * - The program writes, its keeper reads: how far the program has come, and signs of life.
 * - A change of stage, or an end that is foretold, wakes the keeper, by SIGCHLD; all else it looks
 *   at now and then.
 * - A program without a keeper (or a child of the program) has a page of its own that nobody sees.
 */
enum life_stage {
        LIFE_NONE,        /* not in MPI yet */
        LIFE_INIT,        /* in MPI_Init(), where ranks wait for each other */
        LIFE_INITIALISED, /* out of it */
        LIFE_START,       /* in lbrun_start(), the same */
        LIFE_RUNS,        /* out of it */
        LIFE_STOPPED,     /* no messages any more, what is left is the report */
        LIFE_FINALIZE,    /* in MPI_Finalize(), as all ranks are: nothing is left to be done */
        LIFE_FINALISED,   /* out of it */
        LIFE_ABANDONED,   /* out of it, by force: it lasted too long */
        LIFE_NSTAGE
};

struct lifeline {
        _Atomic int32_t pid; /* the program's; 0 until it has attached */
        _Atomic int32_t stage;
        _Atomic int32_t code;    /* what it calls exit() with, plus 1; 0: it has not */
        _Atomic int32_t hurry;   /* the keeper's only word: LIFE_FINALIZE is to be left now */
        _Atomic uint64_t beats;  /* looks for messages */
        _Atomic int64_t task_ns; /* since when its oldest running task runs; 0: there is none */
        _Atomic int32_t end;     /* it is about to end the job: its status, as wait(2) will have it,
                                  * plus 1; 0: it is not */
        struct futex told;       /* the keeper's: lbrun knows of that */
        _Atomic int32_t follows; /* it ends since another rank has died, or may have */
        _Atomic int32_t seen;    /* that rank, plus 1; 0: it is not known which */
};

/* The keeper's: a page for its program; *fd is for the program, and NULL where there is no memory.
 * lifeline_pass() in the program's process, before execv(), with the page's fd. */
struct lifeline *lifeline_create(int *fd);
void lifeline_pass(int fd);

/* The program's; never NULL. The first call attaches, before the program has children. */
struct lifeline *lifeline_own(void);

/* The program has come to a later stage; earlier ones are ignored. */
void lifeline_reach(enum life_stage stage);

/* The program is about to end the job, by this status (as wait(2) will have it): returns when lbrun
 * knows, or soon. MPI may be quicker to kill all keepers than this one to tell why. Only the first
 * end counts. Also from a signal handler. */
void lifeline_foretell(int32_t status);

/* It is about to end the job as that rank has died: that one is to be told of, not this. */
void lifeline_follow(int32_t rank);

/* What it is about to end the job for may be another rank's death: that one counts, if there is. */
void lifeline_doubt(void);

/* The keeper's, when lbrun has been told. */
void lifeline_told(struct lifeline *line);

/* Does a keeper look? */
bool lifeline_is_watched(void);

#endif
