/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_CLOCK_H
#define LB_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Clocks as one number. Inline, since what is preloaded links libc only. */
static inline int64_t clock_of_ns(clockid_t clock)
{
        struct timespec now;
        clock_gettime(clock, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline double clock_of_s(clockid_t clock)
{
        return 1e-9 * (double)clock_of_ns(clock);
}

/* Monotonic time. */
static inline int64_t clock_ns(void)
{
        return clock_of_ns(CLOCK_MONOTONIC);
}

static inline double clock_s(void)
{
        return clock_of_s(CLOCK_MONOTONIC);
}

/* Processor time of the calling thread. */
static inline int64_t clock_cpu_ns(void)
{
        return clock_of_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The monotonic time that comes after so long, however long that is. */
static inline struct timespec clock_after(int64_t ns)
{
        struct timespec at;
        clock_gettime(CLOCK_MONOTONIC, &at);
        int64_t part_ns = at.tv_nsec + ns % 1000000000;
        at.tv_sec += ns / 1000000000 + part_ns / 1000000000;
        at.tv_nsec = part_ns % 1000000000;
        return at;
}

#endif
