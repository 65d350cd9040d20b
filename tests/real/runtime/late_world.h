/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_LATE_WORLD_H
#define LB_TESTS_REAL_RUNTIME_LATE_WORLD_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "real/runtime/process.h"
#include "tests/real/mpi/simulated.h"
#include "tests/real/runtime/work.h"

/*
 * The ranks of a job in one process, under simulated time, with the code of the real runtime for
 * tasks, their order, placement, data and messages (task.c, queue.c, place.c, weak.c, copies.c,
 * offload.c, migrate.c, replicate.c, all of real/data), on the real transport over an MPI that is
 * late (tests/real/mpi/simulated.h). Threads are stood in for: cores that take the next task and
 * are done with it some time later. What policies decide is drawn.
 */
struct late_spec {
        uint64_t seed;
        int32_t napprank, nplace; /* workers of each; at most LATE_RANKS in all */
        bool migrates;            /* ranks push tasks to each other: no helpers */
        int32_t ncore;            /* of each */
        int32_t rounds, ntask;    /* of so many tasks of the main program, each with a taskwait */
};

enum { LATE_RANKS = SIMULATED_RANKS, LATE_CORES = 4 };

/* A core: what it executes; its function is called at call_ns, and it is over at end_ns. */
struct late_core {
        struct task *task;
        int64_t call_ns, end_ns;
        bool called;
};

enum late_phase { LATE_BEGINS, LATE_CREATES, LATE_PAUSES, LATE_ENDS, LATE_BRINGS, LATE_DONE };

/* A rank; at home with its main program. */
struct late_rank {
        struct process process;
        struct board_worker self;
        struct late_core core[LATE_CORES];
        enum late_phase phase;
        int32_t round, created;
        uint64_t *live, *serial;       /* the apprank's words */
        int64_t executed, outstanding; /* the latter as migration tells the others */
};

struct late_world {
        struct late_spec spec;
        struct lb_random random;
        struct job *job;
        int32_t nrank;
        int64_t now_ns;
        bool asks;     /* the helper whose news home is told */
        int64_t given; /* tasks that waited at home, to helpers that asked */
        struct late_rank rank[LATE_RANKS];
        bool gives; /* late_give(): */
        jmp_buf refused;
};

struct late_world *late_create(const struct late_spec *spec);
void late_step(struct late_world *world);

/* A message to a rank that nobody sent. Where it is not taken, nothing has changed. */
bool late_give(struct late_world *world, const struct transport_message *message, int32_t rank);
bool late_is_over(const struct late_world *world); /* and nothing is under way */
/* late_record.c: with a rank's tasks over; fails unless all of them are recorded. */
void late_check_record(struct process *p);

/* Ends the test with a message that names seed and rank. */
_Noreturn void late_die(const char *format, ...) LB_PRINTF(1, 2);
/* What it waits for, where it is not over. */
void late_describe(const struct late_world *world);
void late_destroy(struct late_world *world); /* checks that nothing is left */

#endif
