/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Means over replicates, and how many of them are enough. The rule looks at replicates in their
 * order, never at which was done first, so their number does not depend on threads or restarts.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "sim/sweep/crew.h"

/* Of the first `most` replicates. Those that are alike have no scatter, whatever rounding makes of
 * their mean. */
static struct sweep_estimate estimate(const struct sweep *sweep, int64_t point, enum metric metric,
                                      int32_t most)
{
        struct sweep_estimate e = { .half_width = NAN };
        int64_t first = sweep_place(sweep, point, 0), end = first + most;
        double sum = 0, squares = 0, low = INFINITY, high = -INFINITY;
        for (int64_t run = first; run < end; run++) {
                double value = sweep->done[run] ? sweep->result[run].metric[metric] : 0;
                sum += value;
                e.count += sweep->done[run];
                low = sweep->done[run] ? fmin(low, value) : low;
                high = sweep->done[run] ? fmax(high, value) : high;
        }
        e.mean = sum / e.count;
        for (int64_t run = first; run < end; run++) {
                double off = sweep->done[run] ? sweep->result[run].metric[metric] - e.mean : 0;
                squares += off * off;
        }
        if (e.count > 1)
                e.half_width = low == high ? 0
                                           : gsl_cdf_tdist_Pinv(0.975, e.count - 1) *
                                                 sqrt(squares / (e.count - 1) / e.count);
        return e;
}

struct sweep_estimate sweep_estimate(const struct sweep *sweep, int64_t point, enum metric metric)
{
        return estimate(sweep, point, metric, sweep->scenario->replicates);
}

static bool precise(const struct sweep *sweep, int64_t point, int32_t count)
{
        struct sweep_estimate e = estimate(sweep, point, METRIC_TIME_PER_ITERATION_S, count);
        return e.half_width <= sweep->scenario->precision * fabs(e.mean);
}

int32_t sweep_enough(const struct sweep *sweep, int64_t point)
{
        const struct scenario *scenario = sweep->scenario;
        const bool *done = &sweep->done[sweep_place(sweep, point, 0)];
        for (int32_t n = 1; n <= scenario->replicates; n++) {
                if (!done[n - 1])
                        return -1;
                bool last = n == scenario->replicates;
                if (last || (n >= scenario->replicates_least && precise(sweep, point, n)))
                        return n;
        }
        return -1;
}

int64_t sweep_imprecise(const struct sweep *sweep, double *widest)
{
        const struct scenario *scenario = sweep->scenario;
        int64_t count = 0;
        *widest = 0;
        for (int64_t p = 0; scenario->precision > 0 && p < scenario->npoint; p++) {
                sweep_pace_point(sweep, p);
                if (precise(sweep, p, scenario->replicates))
                        continue;
                struct sweep_estimate e = sweep_estimate(sweep, p, METRIC_TIME_PER_ITERATION_S);
                *widest = fmax(*widest, e.half_width / fabs(e.mean));
                count++;
        }
        return count;
}
