/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_LOAD_H
#define LB_MODELS_LOAD_H

#include <stdint.h>

#include "base/error.h"

/*
 * Load vectors of the synthetic benchmark (ICPP'22 6.2): the worst apprank has
 * mean * imbalance, the others are uniform over all vectors that respect mean and maximum. Free of
 * GPL libraries (the live example uses the same generator).
 */

/*
 * Fill load[n] (n >= 1) with the given mean and maximum mean * imbalance (1 <= imbalance <= n), the
 * worst at a random place, the rest exactly uniform on { 0 <= x <= max, sum fixed }, also at the
 * extremes, in O(n log n) time or better, a fifth of a millisecond at n = 4096. The sum is n * mean
 * within rounding.
 */
int load_uniform(double *load, int32_t n, double mean, double imbalance, uint64_t seed,
                 uint64_t stream, struct lb_error *err) LB_MUST_CHECK;

/* max / mean of load[n], 1 where all are zero (equation 2). */
double load_imbalance(const double *load, int32_t n);

#endif
