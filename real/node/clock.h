/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CLOCK_H
#define LB_REAL_NODE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic time, ns. */
static inline int64_t clock_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
