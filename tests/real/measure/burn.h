/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MEASURE_BURN_H
#define LB_TESTS_REAL_MEASURE_BURN_H

#include <time.h>

/* Processor time of the calling thread. */
static double used_s(void)
{
        struct timespec used;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void burn(double duration_s)
{
        double end_s = used_s() + duration_s;
        while (used_s() < end_s)
                ;
}

#endif
