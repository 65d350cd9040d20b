/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CLOCK_H
#define LB_REAL_NODE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_of_ns(clockid_t clock)
{
        struct timespec now;
        clock_gettime(clock, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Monotonic time, ns. */
static inline int64_t clock_ns(void)
{
        return clock_of_ns(CLOCK_MONOTONIC);
}

/* Processor time of the calling thread, ns. */
static inline int64_t clock_cpu_ns(void)
{
        return clock_of_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
