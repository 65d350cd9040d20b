/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worked example of a workload (CONTRIBUTING.md): the appranks' loads go up evenly from the
 * first to the last. Load of apprank a of n, m = workload.task_ms the mean, s = ramp_slope:
 *
 *      m (1 + s (2 a / (n - 1) - 1))
 *
 * Known value: imbalance 1 + s.
 */
#include "models/workload_impl.h"

static int ramp_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        int64_t ntask = workload_tasks_per_apprank(spec);
        double mean = spec->param[WORKLOAD_TASK_MS], slope = spec->param[WORKLOAD_RAMP_SLOPE];
        if (plan_init(plan, 1, n, err) != 0)
                return -1;
        for (int32_t a = 0; a < n; a++) {
                double place = n > 1 ? 2.0 * a / (n - 1) - 1 : 0;
                if (plan_alike(plan, 0, a, ntask, mean * (1 + slope * place), err) != 0)
                        return -1;
        }
        return 0;
}

const struct workload_model workload_ramp = { .fill = ramp_fill };
