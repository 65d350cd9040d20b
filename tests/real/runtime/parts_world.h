/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_PARTS_WORLD_H
#define LB_TESTS_REAL_RUNTIME_PARTS_WORLD_H

#include "real/runtime/process.h"

/*
 * What is under the parts of the runtime that call no MPI (threads, messages, policies), in one
 * process that is no rank: it is stood in for, and tells the test what it was asked.
 */
enum { EVENTS = 64, PLACES = 3 };

struct parts_world {
        int64_t now_ns, step_ns;
        int32_t place;   /* what control_place() says */
        int64_t refill;  /* what control_refill() says */
        int32_t data_at; /* where data is */
        int64_t missing; /* pieces that a task at home waits for */
        int32_t dispatched, told, sent_to[EVENTS], nsent, signalled, refilled[EVENTS], nrefilled;
        const struct place_costs *costs; /* as told last */
        const struct task *sent[EVENTS];
        int32_t accounted;
        int64_t light_count, light_ns;
        const struct task *finished; /* told home */
        struct thread *thread;       /* the calling one; NULL: none of ours */
};
extern struct parts_world world;

/* A process: an apprank at home with two helpers, of which the first's node is twice as fast. */
extern struct board_worker self;
extern struct job job;
void process_init(struct process *p);
void process_finish(struct process *p);

struct task *make(struct process *p, int32_t priority, bool offloadable, void *data,
                  enum lbrun_mode mode);

/* As if a thread had executed the one that is next. */
struct task *finish_next(struct process *p);

#endif
