/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_MEASURE_H
#define LB_SIM_ENGINE_MEASURE_H

#include "policies/host/ledger.h"
#include "sim/engine/sim.h"

/*
 * The ledger (policies/host/ledger.h) of a simulated run: what follows from its spec, and how the
 * result is made of it. The same for all hosts.
 */
struct measure_shape {
        enum metric_host host;
        int32_t nnode, nworker; /* workers as the time series number them */
        bool hindsight;
};

struct ledger *measure_ledger(const struct sim_spec *spec, const struct measure_shape *shape,
                              struct lb_error *err);

/* A task's duration on a node in an iteration / its duration at speed 1. */
static inline double measure_time_factor(const struct sim_spec *spec, int32_t node,
                                         int32_t iteration)
{
        return workload_node_factor(spec->workload, node, iteration) / spec->node_speed[node];
}

/* An iteration begins: how fast the nodes are in it, where that varies. */
void measure_nodes(struct ledger *l, const struct sim_spec *spec, int32_t iteration);

/* How long a task lasts where it is fastest, of the nodes that an apprank of that host may use. */
typedef double measure_least(const void *host, int32_t apprank, int32_t iteration);

/* The end, before the result: the ledger's chain_ns, of tasks that wait for each other where there
 * are any. */
int measure_chain(struct ledger *l, const struct sim_spec *spec, measure_least *least,
                  const void *host, struct lb_error *err) LB_MUST_CHECK;

/* The run is over: metrics, iterations and time series of workers go to the result. */
int measure_result(struct ledger *l, struct sim_result *result, struct lb_error *err) LB_MUST_CHECK;

#endif
