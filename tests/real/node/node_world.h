/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_NODE_WORLD_H
#define LB_TESTS_NODE_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "real/node/cores.h"

/*
 * A node of worker processes that do what they are told, one order at a time, so that a scenario of
 * several processes reads as one story. After each order the worker checks the invariants. Failures
 * (a broken invariant, no answer for a minute) end the test with a message.
 */
enum { WORLD_WORKERS = 8, WORLD_CORES = 64 };

enum world_order {
        WORLD_LEND = 0,
        WORLD_GIVEBACK,
        WORLD_BORROW,
        WORLD_RECLAIM,
        WORLD_USABLE,
        WORLD_MUST_RETURN,
        WORLD_DROP,
        WORLD_CLAIM,
        WORLD_RETURNED,
        WORLD_POOL,
        WORLD_OWNER,
        WORLD_USER,
        WORLD_BURY,
        WORLD_DEAD, /* board_dead() */
        WORLD_TELL_READY,
        WORLD_TELL_TARGET,
        WORLD_TICKET,
        WORLD_WAIT, /* with the last ticket, until woken */
        WORLD_FIGURES,
        WORLD_LEAVE, /* closes all and ends */
};

struct world_reply {
        int32_t value; /* what the call returned */
        int32_t
            core[WORLD_CORES]; /* what it listed; the figures: owned, lent, borrowed, reclaiming */
        char broken[256];      /* an invariant; empty: none */
};

struct world {
        const struct cores_type *type;
        char job[32];
        int32_t nworker, ncore;
        pid_t pid[WORLD_WORKERS]; /* 0: has ended */
        int channel[WORLD_WORKERS];
};

/* The core manager that the command line names, "builtin" or "dlb"; NULL where that is not there:
 * the test is to be skipped, with this exit code. */
enum { WORLD_SKIP = 77 };
const struct cores_type *world_manager(int argc, char **argv);

/* A job id that no other test has. */
void world_job(char job[static 32]);

void world_start(struct world *world, const struct cores_type *type, int32_t nworker,
                 const int32_t *owned);

/* Give an order and return its answer. `argument`: a core, a worker or a number of cores. */
struct world_reply world_ask(struct world *world, int32_t worker, enum world_order order,
                             int32_t argument);
int32_t world_value(struct world *world, int32_t worker, enum world_order order, int32_t argument);

/* The same in two halves, for orders that take long. */
void world_begin(struct world *world, int32_t worker, enum world_order order, int32_t argument);
struct world_reply world_end(struct world *world, int32_t worker);

/* kill -9. */
void world_kill(struct world *world, int32_t worker);

/* One leaves, as at the end of a job. */
void world_leave(struct world *world, int32_t worker);

/* All who live leave; there must be no segment of the job after that. */
void world_stop(struct world *world);

/* Segments of a job that there are, DLB's included. */
int world_segments(const char *job);

#endif
