/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/measure.h"

#include <math.h>
#include <stdlib.h>

#include "models/platform.h"

/* Between samples where no time series is asked for. */
static const double SAMPLE_S = 0.5;

static int64_t sample_ns(const struct sim_spec *spec)
{
        int64_t ns = llround((spec->series_s > 0 ? spec->series_s : SAMPLE_S) * 1e9);
        return ns > 0 ? ns : 1;
}

static struct ledger_power power_of(const struct sim_spec *spec)
{
        double fallback[POWER_NPARAM];
        lb_param_defaults(power_params, fallback);
        const double *watts = spec->power ? spec->power : fallback;
        return (struct ledger_power){
                .busy = watts[POWER_BUSY_W],
                .polling = watts[POWER_POLLING_W],
                .idle = watts[POWER_IDLE_W],
                .off = watts[POWER_OFF_W],
        };
}

/* The most that a node is slow by in the last third. */
static double steady_slowdown(const struct workload *w, int32_t node)
{
        int32_t count = workload_niteration(w);
        double most = workload_node_most(w, node), slowdown = 1;
        for (int32_t i = ledger_first_steady(count); i < count && slowdown < most; i++)
                slowdown = fmax(slowdown, workload_node_factor(w, node, i));
        return slowdown;
}

static int too_many_samples(const struct ledger_spec *ledger, struct lb_error *err)
{
        return lb_error_set(err,
                            "output.series_s: found %.10g, and there is no memory for so many "
                            "samples of %d nodes and %d workers, allowed is 0 (no time series) or "
                            "longer",
                            (double)ledger->sample_ns * 1e-9, ledger->nnode, ledger->nworker);
}

struct ledger *measure_ledger(const struct sim_spec *spec, const struct measure_shape *shape,
                              struct lb_error *err)
{
        double *slowdown = calloc((size_t)shape->nnode + 1, sizeof(*slowdown));
        if (!slowdown) {
                lb_error_fail(err, "out of memory for measurements");
                return NULL;
        }
        for (int32_t n = 0; n < shape->nnode; n++)
                slowdown[n] = steady_slowdown(spec->workload, n);
        const struct ledger_spec ledger = {
                .host = shape->host,
                .nnode = shape->nnode,
                .napprank = workload_napprank(spec->workload),
                .nworker = shape->nworker,
                .ncore = spec->cores_per_node,
                .appranks_per_node = spec->appranks_per_node,
                .node_speed = spec->node_speed,
                .node_slowdown = slowdown,
                .power = power_of(spec),
                .niteration = workload_niteration(spec->workload),
                .sample_ns = sample_ns(spec),
                .keep = spec->series_s > 0,
                .hindsight = shape->hindsight,
        };
        struct ledger *l = ledger_create(&ledger, err);
        free(slowdown);
        if (!l && ledger.keep)
                too_many_samples(&ledger, err);
        if (l && spec->limits)
                l->limits = *spec->limits;
        return l;
}

void measure_nodes(struct ledger *l, const struct sim_spec *spec, int32_t iteration)
{
        if (!workload_nodes_change(spec->workload, iteration))
                return;
        l->capacity = 0;
        for (int32_t n = 0; n < l->spec.nnode; n++)
                l->capacity += l->spec.node_cores[n] / measure_time_factor(spec, n, iteration);
}

int measure_result(struct ledger *l, struct sim_result *result, struct lb_error *err)
{
        double metric[METRIC_ALL];
        if (ledger_status(l, err) < 0)
                return l->spec.keep ? too_many_samples(&l->spec, err) : -1;
        ledger_metrics(l, metric);
        for (int m = 0; m < METRIC_COUNT; m++)
                result->metric[m] = metric[m];
        struct ledger_series series = ledger_take_series(l);
        result->niteration = l->iteration;
        result->iteration_s = ledger_take_iterations(l);
        result->series = (struct sim_series){
                .nsample = series.nsample,
                .nworker = l->spec.nworker,
                .nnode = l->spec.nnode,
                .interval_s = (double)l->spec.sample_ns * 1e-9,
                .node_imbalance = series.imbalance,
                .busy_cores = series.busy_cores,
                .owned_cores = series.owned_cores,
        };
        if (!l->spec.keep)
                result->series = (struct sim_series){ .nsample = 0 };
        return 0;
}
