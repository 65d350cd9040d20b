/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_INTERVAL_H
#define LB_SIM_SWEEP_INTERVAL_H

#include <stdint.h>

/*
 * The interval that figures draw about a mean: 95 % by the bootstrap's percentiles (Efron and
 * Tibshirani, An Introduction to the Bootstrap, 1993, 13.3).
 *
 * - It never leaves the range of the values, so that a time never seems to be below its bound, as
 *   the symmetric interval of t does for a few values.
 * - At most INTERVAL_EXACT values: over all ways of drawing them with replacement, counted. More:
 *   over INTERVAL_DRAWS samples, always the same. For three values it is their range.
 */
enum { INTERVAL_EXACT = 6, INTERVAL_DRAWS = 2000 };

struct interval {
        int64_t count;
        double mean, low, high; /* low, high: the mean for less than two values; NaN for none */
};

/* Of those of value[count] that are finite. Out of memory: low and high are the range. */
struct interval interval_of(const double *value, int64_t count);

#endif
