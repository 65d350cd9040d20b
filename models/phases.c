/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of ICPP'22 5.4.1, Figure 5: in its first half all work is on one
 * apprank, in its second half all have the same. The other appranks of the first half create as
 * many tasks, which do nothing, as the original's "localbad" does (docs/facts.md O6). After both
 * phases the first begins again.
 */
#include "models/workload_impl.h"

static int phases_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        int64_t ntask = workload_tasks_per_apprank(spec);
        double task_ms = spec->param[WORKLOAD_TASK_MS];
        if (plan_init(plan, 2, n, err) != 0)
                return -1;
        plan->lasts[0] = plan->lasts[1] = (int32_t)spec->param[WORKLOAD_PHASE_ITERATIONS];
        for (int32_t a = 0; a < n; a++)
                if (plan_alike(plan, 0, a, ntask, a == 0 ? task_ms : 0, err) != 0 ||
                    plan_alike(plan, 1, a, ntask, task_ms, err) != 0)
                        return -1;
        return 0;
}

const struct workload_model workload_phases = { .fill = phases_fill };
