/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/energy.h"

#include <math.h>

#include "models/platform.h"

double energy_of(const struct sim_spec *spec, const double *metric)
{
        double fallback[POWER_NPARAM];
        lb_param_defaults(power_params, fallback);
        const double *watts = spec->power ? spec->power : fallback;
        double appranks = workload_napprank(spec->workload);
        double cores = appranks / spec->appranks_per_node * spec->cores_per_node;
        double overhead = metric[METRIC_RUNTIME_EFFICIENCY];
        double busy = cores * metric[METRIC_PARALLEL_EFFICIENCY] / (overhead > 0 ? overhead : 1);
        double waiting = fmax(metric[METRIC_CORES_USED] - busy, 0);
        double processes = appranks + metric[METRIC_HELPER_RANKS];
        double polling = fmin(waiting, processes);
        double off = fmax(cores - metric[METRIC_CORES_USED], 0);
        return metric[METRIC_TIME_PER_ITERATION_S] *
               (busy * watts[POWER_BUSY_W] + polling * watts[POWER_POLLING_W] +
                (waiting - polling) * watts[POWER_IDLE_W] + off * watts[POWER_OFF_W]);
}
