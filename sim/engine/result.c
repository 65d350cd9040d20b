/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured of a run: the names of the metrics, and what a result owns. */
#include <stdlib.h>
#include <string.h>

#include "sim/engine/sim.h"

const struct sim_metric_info sim_metrics[METRIC_COUNT] = {
        [METRIC_TIME_PER_ITERATION_S] = { "time_per_iteration_s",
                                          "mean over the last third of the iterations" },
        [METRIC_OPTIMAL_S] = { "optimal_s",
                               "perfect balance: total work over the total speed of all cores, or "
                               "if longer a "
                               "chain of tasks that wait for each other where it is fastest" },
        [METRIC_RATIO_TO_OPTIMAL] = { "ratio_to_optimal", "time per iteration over the bound" },
        [METRIC_APPRANK_IMBALANCE] = { "apprank_imbalance", "max / mean of the appranks' work" },
        [METRIC_NODE_IMBALANCE] = { "node_imbalance",
                                    "max / mean of the nodes' busy cores, last third" },
        [METRIC_OFFLOADED_FRACTION] = { "offloaded_fraction",
                                        "share of tasks executed off the home node" },
        [METRIC_TASKS] = { "tasks", "tasks executed" },
        [METRIC_FIRST_ITERATION_S] = { "first_iteration_s", "time of the first iteration" },
        [METRIC_TOTAL_S] = { "total_s", "time of all iterations" },
        [METRIC_PARALLEL_EFFICIENCY] = { "parallel_efficiency",
                                         "useful core time over all core time, last third" },
        [METRIC_LOAD_BALANCE] = { "load_balance",
                                  "mean / max of the nodes' busy core time, last third" },
        [METRIC_TRANSFER_EFFICIENCY] = { "transfer_efficiency",
                                         "share of the time that the busiest node is busy, last "
                                         "third" },
        [METRIC_RUNTIME_EFFICIENCY] = { "runtime_efficiency",
                                        "useful over busy core time, last third" },
        [METRIC_OFFLOADED_BYTES] = { "offloaded_bytes", "data moved between nodes" },
        [METRIC_BORROWED_CORE_S] = { "borrowed_core_s",
                                     "core time on cores owned by another worker" },
        [METRIC_OWNERSHIP_CHANGES] = { "ownership_changes", "cores that changed owner" },
        [METRIC_DECISIONS] = { "decisions", "decisions of the allocation policy" },
        [METRIC_CONVERGED_S] = { "converged_s", "time from which node imbalance over the last 2 s "
                                                "stays below 1.1" },
        [METRIC_STEADY_NODE_IMBALANCE] = { "steady_node_imbalance",
                                           "mean of the sampled node imbalance, last third" },
        [METRIC_EVENTS] = { "events", "simulated events" },
        [METRIC_CORES_USED] = { "cores_used", "cores that are not freed for others" },
        [METRIC_HELPER_RANKS] = { "helper_ranks", "processes beyond the application ranks" },
        [METRIC_STEADY_OFFLOADED_FRACTION] = { "steady_offloaded_fraction",
                                               "share of tasks executed off the home node, last "
                                               "third" },
        [METRIC_PEAK_NODE_IMBALANCE] = { "peak_node_imbalance", "largest sampled node imbalance" },
        [METRIC_IMBALANCE_FRACTION] = { "imbalance_fraction",
                                        "share of the fastest nodes' core time that waits for the "
                                        "slowest, last third" },
        [METRIC_FREED_FRACTION] = { "freed_fraction", "share of the fastest nodes' cores freed" },
        [METRIC_ENERGY_PER_ITERATION_J] = { "energy_per_iteration_J",
                                            "estimate by platform.power, last third" },
        [METRIC_PROCESS_STARTS] = { "process_starts",
                                    "helpers started during the run, those that went again too" },
};

void sim_result_finish(struct sim_result *result)
{
        free(result->iteration_s);
        free(result->series.node_imbalance);
        free(result->series.busy_cores);
        free(result->series.owned_cores);
        graph_destroy(result->series.graph);
        memset(result, 0, sizeof(*result));
}
