/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MEASURE_STORY_H
#define LB_TESTS_REAL_MEASURE_STORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "real/measure/meter.h"

/*
 * A rank as a story: so much processor time, delay and blocked time outside MPI or in it; the meter
 * gets the readings that it wants.
 */
static const int64_t MS = 1000000, WINDOW_NS = 500000000, EPOCH_NS = 1700000000000000000;

struct story {
        struct meter *meter;
        struct meter_reading now;
        int64_t reads;
};

static inline struct story begin(int64_t delay_ns)
{
        struct story story = {
                .meter = malloc(sizeof(struct meter)),
                .now = { .wall_ns = EPOCH_NS, .cpu_ns = 5 * MS, .delay_ns = delay_ns, .sleeps = 3 }
        };
        assert_non_null(story.meter);
        meter_start(story.meter, &story.now, WINDOW_NS);
        return story;
}

static inline void pass(struct story *story, int64_t cpu_ns, int64_t delay_ns, int64_t blocked_ns)
{
        story->now.wall_ns += cpu_ns + delay_ns + blocked_ns;
        story->now.cpu_ns += cpu_ns;
        story->now.sleeps += blocked_ns > 0;
        if (story->now.delay_ns >= 0)
                story->now.delay_ns += delay_ns;
}

static inline void read_clocks(struct story *story, bool wanted)
{
        if (!wanted)
                return;
        story->reads++;
        meter_cpu(story->meter, story->now.wall_ns, story->now.cpu_ns);
        if (meter_wants_delay(story->meter))
                meter_delay(story->meter, &story->now);
}

static inline void enter(struct story *story)
{
        read_clocks(story, meter_enter(story->meter, story->now.wall_ns));
}

static inline void leave(struct story *story)
{
        read_clocks(story, meter_leave(story->meter, story->now.wall_ns));
}

static inline void end(struct story *story)
{
        meter_end(story->meter, &story->now);
}

static inline void assert_ms(double ns, double ms, double within_ms)
{
        assert_true(ns >= (ms - within_ms) * (double)MS && ns <= (ms + within_ms) * (double)MS);
}

#endif
