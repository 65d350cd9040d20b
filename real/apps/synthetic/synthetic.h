/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_SYNTHETIC_H
#define LB_REAL_APPS_SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/apps/common/options.h"

/*
 * The synthetic benchmark of ICPP'22 6.2, live: every rank creates the same
 * number of tasks, whose duration differs from rank to rank, and meets the others at a barrier.
 *
 * - Loads are those that lbsim draws for its workload "synthetic" of the same seed, number of
 *   appranks and imbalance.
 * - Each task has a block of data of its own and adds one to it, so that it shows afterwards that
 *   every task ran once in every iteration, on data that had come along.
 * - No MPI and no runtime here.
 */
extern const struct app synthetic_app;

struct synthetic {
        double imbalance, task_ms;
        int32_t iterations;
        int64_t tasks_per_core;
        bool spin;
        size_t bytes;
        uint64_t seed;
        int32_t slow_node; /* -1: none */
        double slow_factor;
};

/* What the command line asks for; without --imbalance it is 2, or what napprank allow. */
int synthetic_configure(const struct app_options *options, int32_t napprank,
                        struct synthetic *synthetic, struct lb_error *err) LB_MUST_CHECK;

/* Tasks of an apprank in an iteration, as in lbsim. */
int64_t synthetic_tasks(const struct synthetic *synthetic, int32_t cores_per_node,
                        int32_t appranks_per_node);

/* A task: touch data[bytes] and sleep, or compute for that much processor time. */
struct synthetic_work {
        unsigned char *data;
        size_t bytes;
        int64_t duration_ns; /* on a node that is not slow */
        bool spin;
        int32_t slow_node; /* -1: none */
        double slow_factor;
};

/* An apprank's tasks, but for their data. */
int synthetic_work_of(const struct synthetic *synthetic, int32_t napprank, int32_t apprank,
                      struct synthetic_work *work, struct lb_error *err) LB_MUST_CHECK;

void synthetic_run(const struct synthetic_work *work, int32_t node);

/* The variant's: make a task of it. */
void synthetic_create(const struct synthetic_work *work);

/* How many of `tasks` blocks do not show `iterations` executions. */
int64_t synthetic_wrong(const unsigned char *data, int64_t tasks, size_t bytes, int32_t iterations);

#endif
