/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_LATE_IMPL_H
#define LB_TESTS_REAL_RUNTIME_LATE_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/real/runtime/late_world.h"

/* What steps (late_world.c), begin and end (late_life.c) and stand-ins (late_stands.c) share: the
 * world that is, and who runs in it. */
extern struct late {
        struct late_world *world;
        struct process *process;
        struct task *task;
} late;

/* Policies have nothing of their own here. */
struct control {
        int32_t unused;
};

uint64_t late_below(uint64_t bound); /* drawn, of the world's */
bool late_chance(double share);

/* What messages do, as real/runtime/start.c has them. */
extern const transport_handler late_handlers[TRANSPORT_KIND_MAX];

#endif
