/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The synthetic benchmark of ICPP'22 6.2, and the same with given loads. The
 * number of tasks is the same for all appranks; the load is in their durations, as in the paper.
 * The loads stay the same in every iteration.
 */
#include <stdlib.h>

#include "models/load.h"
#include "models/workload_impl.h"

static int fill_equal_counts(struct plan *plan, const struct workload_spec *spec,
                             const double *load_ms, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        int64_t ntask = workload_tasks_per_apprank(spec);
        if (plan_init(plan, 1, n, err) != 0)
                return -1;
        for (int32_t a = 0; a < n; a++) {
                if (plan_alike(plan, 0, a, ntask, load_ms[a], err) != 0)
                        return lb_error_prefix(
                            err, "%s: ", spec->load_ms ? "load_ms" : "task_ms, imbalance");
                plan->load[a] = load_ms[a];
        }
        return 0;
}

int workload_draw_loads(const struct workload_spec *spec, double mean, double *load, int32_t n,
                        struct lb_error *err)
{
        const double *param = spec->param;
        if (load_uniform(load, n, mean, param[WORKLOAD_IMBALANCE], spec->seed, 0, err) != 0)
                return -1;
        if (param[WORKLOAD_WORST] == WORST_RANDOM)
                return 0;
        int32_t from = workload_most_loaded(load, n);
        int32_t to = param[WORKLOAD_WORST] == WORST_FIRST ? 0 : n - 1;
        double worst = load[from];
        load[from] = load[to];
        load[to] = worst;
        return 0;
}

static int synthetic_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        double *load = malloc((size_t)n * sizeof(*load));
        if (!load)
                return lb_error_fail(err, "out of memory for %d appranks", n);
        int status = workload_draw_loads(spec, spec->param[WORKLOAD_TASK_MS], load, n, err);
        if (status == 0)
                status = fill_equal_counts(plan, spec, load, err);
        free(load);
        return status;
}

static int given_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        int32_t nload = spec->load_ms ? spec->nload : 0;
        if (nload != n)
                return lb_error_set(err,
                                    "model \"given\": found %d loads, allowed is %d, one for each "
                                    "apprank",
                                    nload, n);
        return fill_equal_counts(plan, spec, spec->load_ms, err);
}

const struct workload_model workload_synthetic = { .fill = synthetic_fill };
const struct workload_model workload_given = { .fill = given_fill, .reads_loads = true };
