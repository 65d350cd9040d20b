/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_PACKING_SHARE_H
#define LB_SIM_SYSTEMS_PACKING_SHARE_H

#include <stdint.h>

/*
 * Processes that take turns on one CPU: a scheduler's time slices, what switching costs, and what
 * those do that wait (Task Packing paper 3.2, "Finally", and 3.3).
 *
 * - Yield: a process that waits looks for its message and gives up the CPU, turn by turn: the
 *   paper's "aggressive mode". Poll: it looks until its slice is over. Block: it sleeps until the
 *   message wakes it.
 */
enum share_waiting { SHARE_YIELD = 0, SHARE_POLL, SHARE_BLOCK };

struct share_cost {
        enum share_waiting waiting;
        int64_t slice_ns;  /* > 0 */
        int64_t switch_ns; /* from process to process */
        int64_t refill_ns; /* and until a calculating one has its data back in cache */
        int64_t poll_ns;   /* to look for messages once */
        int64_t wake_ns;   /* from a message until a sleeping process runs */
};

struct share_job {
        int64_t ready_ns; /* from when on it can calculate, >= 0 */
        int64_t left_ns;  /* processor time to come, >= 0; 0 at the end */
        int64_t end_ns;   /* filled */
};

/* Who wants to know when which job calculates. */
struct share_watch {
        void *watch;
        void (*ran)(void *watch, int32_t job, int64_t from_ns, int64_t until_ns);
};

/* Run all jobs to their end from time 0 on; returns how often the CPU was switched. `watch` may be
 * NULL; it is told slice by slice, in the order of time. */
int64_t share_run(struct share_job *job, int32_t njob, const struct share_cost *cost,
                  const struct share_watch *watch);

/* How long a process with `mates` others on its CPU, all waiting, takes to see a message: until its
 * turn comes. */
int64_t share_response_ns(const struct share_cost *cost, int32_t mates);

#endif
