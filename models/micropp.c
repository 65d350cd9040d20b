/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alya MicroPP (ICPP'22 6.2; the benchmark and its counts in docs/facts.md O7): a finite
 * element problem of its own at every Gauss point of a composite, a task each, solved by Newton's
 * method with conjugate gradients inside.
 *
 *   task = Newton iterations x assembly + CG iterations x time of one
 *
 * - Points lie on the appranks in blocks. The first quarter of all points belongs to a material
 *   that turns plastic and takes 4 Newton and 68 CG iterations; the others are linear and take 1
 *   and 20. So the appranks whose place is below a quarter have heavy tasks only, and are each
 *   other's neighbours. In the first step nothing is plastic yet.
 * - Times: the sources of MicroPP, without optimisation as the authors build them, take 86.7 ms for
 *   a linear and 302 ms for a non-linear point (docs/facts.md O7); the two equations
 *
 *      20 cg + 1 assembly = 86.7 ms,  68 cg + 4 assembly = 302 ms
 *
 *   give cg = 3.73 ms, assembly = 12.0 ms: a ratio of 3.48 and an imbalance of 2.15.
 * - Left out: the array of columns, 972 kB that every node fetches once, and the difference between
 *   a task that moves (351 kB, workload.task_bytes) and one that stays where it ran before (0.5
 * kB).
 */
#include <stdlib.h>

#include "models/workload_impl.h"

struct costs {
        double linear_ms, nonlinear_ms;
};

static struct costs costs_of(const double *param)
{
        double cg_ms = param[WORKLOAD_MICROPP_CG_MS];
        double assembly_ms = param[WORKLOAD_MICROPP_ASSEMBLY_MS];
        return (struct costs){
                .linear_ms = assembly_ms + param[WORKLOAD_MICROPP_CG_LINEAR] * cg_ms,
                .nonlinear_ms = param[WORKLOAD_MICROPP_NEWTON] * assembly_ms +
                                param[WORKLOAD_MICROPP_CG_NONLINEAR] * cg_ms,
        };
}

/* A step of an apprank that has both kinds of points, the non-linear ones first. */
static int fill_mixed(struct plan *plan, int32_t apprank, int64_t npoint, int64_t nonlinear,
                      const struct costs *costs, struct lb_error *err)
{
        double *task_ms = malloc((size_t)npoint * sizeof(*task_ms));
        if (!task_ms)
                return lb_error_fail(err, "out of memory for %lld tasks", (long long)npoint);
        for (int64_t i = 0; i < npoint; i++)
                task_ms[i] = i < nonlinear ? costs->nonlinear_ms : costs->linear_ms;
        int status = plan_tasks(plan, 1, apprank, npoint, task_ms, err);
        free(task_ms);
        return status;
}

/* Step 0: all is linear; step 1, the last: no more. `total` non-linear points come first. */
static int fill_apprank(struct plan *plan, int32_t apprank, int64_t npoint, int64_t total,
                        const struct costs *costs, struct lb_error *err)
{
        int64_t nonlinear = total - apprank * npoint;
        if (plan_alike(plan, 0, apprank, npoint, costs->linear_ms, err) != 0)
                return -1;
        if (nonlinear > 0 && nonlinear < npoint)
                return fill_mixed(plan, apprank, npoint, nonlinear, costs, err);
        return plan_alike(plan, 1, apprank, npoint,
                          nonlinear > 0 ? costs->nonlinear_ms : costs->linear_ms, err);
}

static int micropp_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        int64_t npoint = workload_tasks_per_apprank(spec);
        double share = spec->param[WORKLOAD_MICROPP_NONLINEAR];
        int64_t total = (int64_t)(share * (double)npoint * n + 0.5);
        struct costs costs = costs_of(spec->param);
        if (plan_init(plan, 2, n, err) != 0)
                return -1;
        plan->again = 1;
        plan->lasts[0] = (int32_t)spec->param[WORKLOAD_MICROPP_LINEAR_STEPS];
        for (int32_t a = 0; a < n; a++)
                if (fill_apprank(plan, a, npoint, total, &costs, err) != 0)
                        return -1;
        return 0;
}

const struct workload_model workload_micropp = { .fill = micropp_fill };
