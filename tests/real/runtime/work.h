/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_WORK_H
#define LB_TESTS_REAL_RUNTIME_WORK_H

#include <stdint.h>

#include "base/random.h"
#include "real/lbrun.h"

/*
 * Random tasks on overlapping ranges of an apprank's words, nested ones too, whose result is that
 * of the same tasks one after another.
 */
enum { WORK_WORDS = 20000, WORK_TASKS = 60, WORK_ACCESSES = 4 };

struct work_range {
        int32_t mode, first, count; /* words */
};

/* The argument of a task. */
struct work {
        uint64_t *base, seed; /* base: of the words */
        int32_t nrange,
            children; /* > 0: halves of its first written range are tasks of their own */
        int32_t more; /* mixes once more after them */
        int32_t weak; /* > 0: its last range is so, and parts of all are tasks of their own */
        struct work_range range[WORK_ACCESSES];
};

struct work work_draw(struct lb_random *random, uint64_t *base);
uint64_t work_mix(uint64_t a, uint64_t b);

/* A task's function. Where the base is work_serial, its children are called, not created. */
void work_run(void *work);
extern const uint64_t *_Atomic work_serial; /* tasks of others come as soon as the runtime runs */

void work_accesses(const struct work *work, struct lbrun_access access[WORK_ACCESSES]);

/* Whoever uses these has: the running task creates one, or waits for all of its children. */
void work_task(const struct work *work, int32_t priority, uint32_t flags);
void work_wait(void);

#endif
