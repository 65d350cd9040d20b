/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/interval.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"

static const double outside = 0.025; /* on either side */

/* The mean of the sample that a number stands for: digits in base n are what is drawn. */
static double exact_mean(const double *value, int64_t n, int64_t number)
{
        double sum = 0;
        for (int64_t i = 0; i < n; i++, number /= n)
                sum += value[number % n];
        return sum / (double)n;
}

static double drawn_mean(const double *value, int64_t n, struct lb_random *random)
{
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
                sum += value[lb_random_below(random, (uint64_t)n)];
        return sum / (double)n;
}

static int64_t samples_of(int64_t n)
{
        int64_t count = 1;
        if (n > INTERVAL_EXACT)
                return INTERVAL_DRAWS;
        for (int64_t i = 0; i < n; i++)
                count *= n;
        return count;
}

static void fill_means(double *mean, int64_t nsample, const double *value, int64_t n)
{
        struct lb_random random;
        lb_random_init(&random, 1, LB_RANDOM_BOOTSTRAP, 0);
        for (int64_t s = 0; s < nsample; s++)
                mean[s] =
                    n > INTERVAL_EXACT ? drawn_mean(value, n, &random) : exact_mean(value, n, s);
}

/* Of sorted means: the smallest that at most 2.5 % are below. */
static void cut(struct interval *interval, const double *mean, int64_t nsample)
{
        int64_t skip = (int64_t)floor(outside * (double)nsample);
        interval->low = fmin(mean[skip], interval->mean);
        interval->high = fmax(mean[nsample - 1 - skip], interval->mean);
}

static void bootstrap(struct interval *interval, const double *value)
{
        int64_t nsample = samples_of(interval->count);
        double *mean = malloc((size_t)nsample * sizeof(*mean));
        gsl_stats_minmax(&interval->low, &interval->high, value, 1, (size_t)interval->count);
        if (!mean)
                return;
        fill_means(mean, nsample, value, interval->count);
        gsl_sort(mean, 1, (size_t)nsample);
        cut(interval, mean, nsample);
        free(mean);
}

struct interval interval_of(const double *value, int64_t count)
{
        struct interval interval = { .mean = NAN, .low = NAN, .high = NAN };
        double sum = 0, *finite = malloc((size_t)(count > 0 ? count : 1) * sizeof(*finite));
        for (int64_t i = 0; i < count; i++) {
                if (!isfinite(value[i]))
                        continue;
                if (finite)
                        finite[interval.count] = value[i];
                sum += value[i];
                interval.count++;
        }
        if (interval.count > 0)
                interval.mean = interval.low = interval.high = sum / (double)interval.count;
        if (interval.count > 1 && finite)
                bootstrap(&interval, finite);
        free(finite);
        return interval;
}
