/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `ideal`, the worked example of a system with a host of its own (CONTRIBUTING.md): work is
 * perfectly balanced over all cores, at no cost. An iteration takes its total work over the cores'
 * total speed; where work drawn per iteration is not the same, neither are their times. Known
 * value: ratio to the optimum 1.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/host.h"
#include "sim/engine/measure.h"

static double total_speed(const struct ledger *l)
{
        double speed = 0;
        for (int32_t n = 0; n < l->spec.nnode; n++)
                speed += l->spec.ncore * ledger_speed(&l->spec, n);
        return speed;
}

static double work_of(const struct sim_spec *spec, int32_t apprank, int32_t iteration,
                      const struct work *work)
{
        double sum = 0;
        if (workload_alike(spec->workload))
                return (double)work->ntask * (double)work->task_ns;
        for (int64_t t = 0; t < work->ntask; t++)
                sum += (double)workload_task_ns(spec->workload, apprank, iteration, t);
        return sum;
}

/* Returns what was worked. */
static double create_tasks(const struct sim_spec *spec, struct ledger *l, struct work *work)
{
        double sum = 0;
        workload_iteration(spec->workload, l->iteration, work);
        for (int32_t a = 0; a < l->spec.napprank; a++) {
                double work_ns = work_of(spec, a, l->iteration, &work[a]);
                ledger_created(l, a, work_ns);
                ledger_finished(l, (double)work[a].ntask, true, 0, 0);
                sum += work_ns;
        }
        return sum;
}

static void iterate(const struct sim_spec *spec, struct ledger *l, struct work *work)
{
        double work_ns = create_tasks(spec, l, work);
        int64_t from_ns = l->time_ns, until_ns = from_ns + llround(work_ns / total_speed(l));
        double core_ns = (double)(until_ns - from_ns) * l->spec.ncore;
        for (int32_t n = 0; n < l->spec.nnode; n++) {
                ledger_busy(l, n, n * spec->appranks_per_node, from_ns, until_ns, core_ns);
                ledger_finished(l, 0, true, core_ns, core_ns * ledger_speed(&l->spec, n));
        }
        ledger_iteration(l, until_ns);
}

static int run(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
               struct lb_error *err)
{
        int32_t napprank = workload_napprank(spec->workload);
        struct measure_shape shape = { .host = METRIC_OF_OTHER,
                                       .nnode = napprank / spec->appranks_per_node,
                                       .nworker = napprank,
                                       .hindsight = true };
        memset(result, 0, sizeof(*result));
        if (spec->trace)
                return lb_error_set(err, "system ideal: found a trace, it has nothing to show");
        struct work *work = calloc((size_t)napprank, sizeof(*work));
        if (!work)
                return lb_error_fail(err, "out of memory for %d appranks", napprank);
        struct ledger *l = measure_ledger(spec, &shape, err);
        int status = l ? 0 : -1;
        while (status == 0 && l->iteration < workload_niteration(spec->workload)) {
                if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
                        status = lb_error_stop(err, "interrupted");
                else
                        iterate(spec, l, work);
        }
        if (status == 0)
                status = measure_result(l, result, err);
        ledger_destroy(l);
        free(work);
        return status;
}

static const struct lb_param *const tables[] = { NULL };

const struct sim_host sim_host_ideal = {
        .name = "ideal",
        .tables = tables,
        .run = run,
};
