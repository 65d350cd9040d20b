/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of virtual CPUs. */
#include <inttypes.h>
#include <math.h>

#include "real/node/cpu_groups.h"

#include "base/text.h"

/* Quotas add up to at most this part of the real CPUs: the rest is for MPI, lbrun and others. */
static const double PART = 0.8;
const double cpu_groups_missed_max = 0.05;

/* Linux: kernel/sched/core.c, tg_set_cfs_bandwidth(). */
static const double quota_min_us = 1000, speed_min = 0.001;

/* In steps of the least speed, so that what is said is what is. */
static double rounded_down(double speed)
{
        return floor(speed / speed_min + 1e-6) * speed_min;
}

static int check_slowest(double speed, double slowest, struct lb_error *err)
{
        if (speed * slowest >= speed_min * (1 - 1e-9))
                return 0;
        return lb_error_set(err,
                            "the slowest CPU would have %.2g of a real one's speed, allowed is at "
                            "least %g: take fewer nodes or cores",
                            speed * slowest, speed_min);
}

int cpu_groups_speed(double asked, double ncpu, int32_t nnode, int32_t ncore, const double *factor,
                     double *speed, struct lb_error *err)
{
        double sum = 0, fastest = 0, slowest = INFINITY;
        for (int32_t n = 0; n < nnode; n++) {
                sum += factor[n] * ncore;
                fastest = fmax(fastest, factor[n]);
                slowest = fmin(slowest, factor[n]);
        }
        double most = rounded_down(fmin(PART * ncpu / sum, 1 / fastest));
        if (asked > most * (1 + 1e-9))
                return lb_error_set(err,
                                    "cpu_speed: found %g, allowed is at most %g: %" PRId32
                                    " virtual CPUs have to do with %.0f %% of %g real one%s",
                                    asked, most, nnode * ncore, 100 * PART, ncpu, lb_s(ncpu));
        *speed = asked > 0 ? asked : most;
        return check_slowest(*speed, slowest, err);
}

struct cpu_quota cpu_groups_quota(double speed)
{
        double period_us = ceil(quota_min_us / speed - 1e-6);
        return (struct cpu_quota){ .quota_us = llround(fmax(quota_min_us, speed * period_us)),
                                   .period_us = llround(period_us) };
}

double cpu_groups_missed(int64_t run_ns, int64_t delay_ns, double speed)
{
        static const double enough_s = 0.2; /* some dozens of periods */
        double ready_s = (double)(run_ns + delay_ns) * 1e-9;
        if (ready_s < enough_s)
                return 0;
        return fmax(0, 1 - (double)run_ns * 1e-9 / (ready_s * speed));
}
