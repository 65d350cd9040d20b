/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/paired.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

void paired_add(struct paired *paired, double first, double second)
{
        double difference = second - first;
        paired->npair++;
        paired->sum[0] += first;
        paired->sum[1] += second;
        paired->sum_difference += difference;
        paired->squares += difference * difference;
}

void paired_judge(struct paired *d)
{
        double n = (double)d->npair, mean = d->sum_difference / n;
        double variance = d->npair > 1 ? (d->squares - n * mean * mean) / (n - 1) : 0;
        double half_width =
            d->npair > 1 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(fmax(variance, 0) / n) : 0;
        d->changed = fabs(mean) > half_width;
        d->percent = d->sum[0] != 0 ? 100 * d->sum_difference / fabs(d->sum[0])
                     : d->changed   ? copysign(INFINITY, d->sum_difference)
                                    : 0;
}

bool paired_larger_is_better(const char *metric)
{
        const char *ending = strstr(metric, "efficiency");
        return ending || strcmp(metric, "load_balance") == 0 ||
               strcmp(metric, "freed_fraction") == 0;
}

const char *paired_verdict(const struct paired *d, bool larger)
{
        bool worse = (d->percent < 0) == larger;
        return !d->changed ? "same" : worse ? "worse" : "better";
}
