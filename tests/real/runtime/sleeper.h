/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_SLEEPER_H
#define LB_TESTS_REAL_RUNTIME_SLEEPER_H

#include "real/lbrun.h"
#include "tests/real/runtime/claims.h"

/* A task that sleeps, and notes the node where it did. */
struct sleeper {
        int32_t *place;
        int32_t ms;
};

static inline void sleep_there(void *argument)
{
        const struct sleeper *sleeper = argument;
        in_ms(sleeper->ms);
        *sleeper->place = lbrun_node();
}

static inline void create_sleeper(int32_t *place, int32_t ms)
{
        struct sleeper sleeper = { place, ms };
        struct lbrun_access access = { LBRUN_OUT, place, sizeof(*place) };
        lbrun_task(sleep_there, &sleeper, sizeof(sleeper), 1, &access, NULL);
}

#endif
