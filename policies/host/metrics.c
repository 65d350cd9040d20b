/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/metrics.h"

#include <stdio.h>
#include <string.h>

/* Where definitions come from. */
#define POP "POP Standard Metrics for Parallel Performance Analysis, nodes in place of processes"
#define OFFLOADING "Transparent load balancing of MPI programs using OmpSs-2@Cluster and DLB"
#define CHAMELEON                                                                                  \
        "CHAMELEON: Reactive Load Balancing for Hybrid MPI+OpenMP Task-Parallel Applications"
#define DPB "Dynamic Load Balancing of MPI+OpenMP Applications"
#define PACKING                                                                                    \
        "Task Packing: Efficient task scheduling in unbalanced parallel programs to maximize CPU " \
        "utilization"

enum {
        OFFLOADS = METRIC_OF_OFFLOAD | METRIC_OF_CHAMELEON | METRIC_OF_LIVE,
        MOVES_CORES = METRIC_OF_OFFLOAD | METRIC_OF_DPB | METRIC_OF_PACKING | METRIC_OF_LIVE,
};

const struct metric_info metric_table[METRIC_ALL] = {
        [METRIC_TIME_PER_ITERATION_S] = { .name = "time_per_iteration_s",
                                          .unit = "s",
                                          .help = "mean over the last third of the iterations",
                                          .source = OFFLOADING ", scripts of its experiments",
                                          .hosts = METRIC_OF_ALL },
        [METRIC_OPTIMAL_S] = { .name = "optimal_s",
                               .unit = "s",
                               .help = "perfect balance: total work over the total speed of all "
                                       "cores, or if longer a "
                                       "chain of tasks that wait for each other where it is "
                                       "fastest",
                               .source = OFFLOADING ", 7.3",
                               .hosts = METRIC_OF_ALL },
        [METRIC_RATIO_TO_OPTIMAL] = { .name = "ratio_to_optimal",
                                      .help = "time per iteration over the bound",
                                      .hosts = METRIC_OF_ALL },
        [METRIC_APPRANK_IMBALANCE] = { .name = "apprank_imbalance",
                                       .help = "max / mean of the appranks' work, as the workload "
                                               "draws it, last third",
                                       .source = OFFLOADING ", 6.1, equation 2",
                                       .hosts = METRIC_OF_ALL },
        [METRIC_NODE_IMBALANCE] = { .name = "node_imbalance",
                                    .help = "max / mean of the nodes' busy cores, last third",
                                    .source = OFFLOADING ", 7.6",
                                    .hosts = METRIC_OF_ALL },
        [METRIC_OFFLOADED_FRACTION] = { .name = "offloaded_fraction",
                                        .help = "share of tasks executed off the home node",
                                        .hosts = OFFLOADS },
        [METRIC_TASKS] = { .name = "tasks", .help = "tasks executed", .hosts = METRIC_OF_ALL },
        [METRIC_FIRST_ITERATION_S] = { .name = "first_iteration_s",
                                       .unit = "s",
                                       .help = "time of the first iteration",
                                       .hosts = METRIC_OF_ALL },
        [METRIC_TOTAL_S] = { .name = "total_s",
                             .unit = "s",
                             .help = "time of all iterations",
                             .hosts = METRIC_OF_ALL },
        [METRIC_PARALLEL_EFFICIENCY] = { .name = "parallel_efficiency",
                                         .help = "useful core time over all core time, last third",
                                         .source = POP,
                                         .hosts = METRIC_OF_ALL },
        [METRIC_LOAD_BALANCE] = { .name = "load_balance",
                                  .help = "mean / max of the nodes' busy core time, last third",
                                  .source = POP,
                                  .hosts = METRIC_OF_ALL },
        [METRIC_TRANSFER_EFFICIENCY] = { .name = "transfer_efficiency",
                                         .help = "share of the time that the busiest node is "
                                                 "busy, last "
                                                 "third",
                                         .source = POP,
                                         .hosts = METRIC_OF_SIM },
        [METRIC_RUNTIME_EFFICIENCY] = { .name = "runtime_efficiency",
                                        .help = "useful over busy core time, last third",
                                        .source = POP,
                                        .hosts = METRIC_OF_SIM },
        [METRIC_OFFLOADED_BYTES] = { .name = "offloaded_bytes",
                                     .unit = "bytes",
                                     .help = "data moved between nodes",
                                     .hosts = OFFLOADS },
        [METRIC_BORROWED_CORE_S] = { .name = "borrowed_core_s",
                                     .unit = "s",
                                     .help = "core time on cores owned by another worker",
                                     .source = OFFLOADING ", 5.3",
                                     .hosts = METRIC_OF_OFFLOAD },
        [METRIC_OWNERSHIP_CHANGES] = { .name = "ownership_changes",
                                       .unit = "cores",
                                       .help = "cores that changed owner",
                                       .source = OFFLOADING ", 5.4; " DPB ", 3",
                                       .hosts = MOVES_CORES },
        [METRIC_DECISIONS] = { .name = "decisions",
                               .help = "decisions of the allocation policy",
                               .hosts = METRIC_OF_ALL },
        [METRIC_CONVERGED_S] = { .name = "converged_s",
                                 .unit = "s",
                                 .help = "time from which node imbalance over the last 2 s "
                                         "stays below 1.1",
                                 .source = OFFLOADING ", 7.6",
                                 .hosts = METRIC_OF_SIM },
        [METRIC_STEADY_NODE_IMBALANCE] = { .name = "steady_node_imbalance",
                                           .help = "mean of the sampled node imbalance, last "
                                                   "third",
                                           .source = OFFLOADING ", 7.6",
                                           .hosts = METRIC_OF_SIM },
        [METRIC_EVENTS] = { .name = "events", .help = "simulated events", .hosts = METRIC_OF_SIM },
        [METRIC_CORES_USED] = { .name = "cores_used",
                                .unit = "cores",
                                .help = "cores that are not freed for others",
                                .source = PACKING ", tables 1 and 2",
                                .hosts = METRIC_OF_SIM },
        [METRIC_HELPER_RANKS] = { .name = "helper_ranks",
                                  .unit = "processes",
                                  .help = "processes beyond the application ranks",
                                  .source = OFFLOADING ", 5.2",
                                  .hosts = METRIC_OF_OFFLOAD },
        [METRIC_STEADY_OFFLOADED_FRACTION] = { .name = "steady_offloaded_fraction",
                                               .help = "share of tasks executed off the home "
                                                       "node, last "
                                                       "third",
                                               .hosts = OFFLOADS },
        [METRIC_PEAK_NODE_IMBALANCE] = { .name = "peak_node_imbalance",
                                         .help = "largest sampled node imbalance",
                                         .source = OFFLOADING ", 7.6",
                                         .hosts = METRIC_OF_SIM },
        [METRIC_IMBALANCE_FRACTION] = { .name = "imbalance_fraction",
                                        .help = "share of the fastest nodes' core time that waits "
                                                "for the "
                                                "slowest, last third",
                                        .source = PACKING ", 1 - equation 5",
                                        .hosts = METRIC_OF_ALL },
        [METRIC_FREED_FRACTION] = { .name = "freed_fraction",
                                    .help = "share of the fastest nodes' cores freed",
                                    .source = PACKING ", tables 1 and 2",
                                    .hosts = METRIC_OF_PACKING },
        [METRIC_ENERGY_PER_ITERATION_J] = { .name = "energy_per_iteration_J",
                                            .unit = "J",
                                            .help = "estimate by platform.power, last third",
                                            .hosts = METRIC_OF_SIM },
        [METRIC_PROCESS_STARTS] = { .name = "process_starts",
                                    .unit = "processes",
                                    .help = "helpers started during the run, those that went "
                                            "again too",
                                    .hosts = METRIC_OF_OFFLOAD },
        [METRIC_WITHOUT_BALANCING_S] = { .name = "without_balancing_s",
                                         .unit = "s",
                                         .help = "estimate: in each iteration all wait for the "
                                                 "apprank whose work takes its own cores longest, "
                                                 "last third",
                                         .hosts = METRIC_OF_LIVE },
        [METRIC_COMMUNICATION_EFFICIENCY] = { .name = "communication_efficiency",
                                              .help = "share of the busiest node's core time that "
                                                      "is spent in tasks, last third",
                                              .source = POP,
                                              .hosts = METRIC_OF_LIVE },
        [METRIC_MPI_FRACTION] = { .name = "mpi_fraction",
                                  .help = "share of the main programs' time in MPI, last third",
                                  .hosts = METRIC_OF_LIVE },
        [METRIC_OFFLOADED_TASKS] = { .name = "offloaded_tasks",
                                     .help = "tasks executed off the home node",
                                     .hosts = METRIC_OF_LIVE },
        [METRIC_CORES_LENT] = { .name = "cores_lent",
                                .unit = "cores",
                                .help = "times that a core was lent",
                                .source = OFFLOADING ", 5.3",
                                .hosts = METRIC_OF_LIVE },
        [METRIC_CORES_BORROWED] = { .name = "cores_borrowed",
                                    .unit = "cores",
                                    .help = "times that a core was borrowed",
                                    .source = OFFLOADING ", 5.3",
                                    .hosts = METRIC_OF_LIVE },
        [METRIC_CORES_RECLAIMED] = { .name = "cores_reclaimed",
                                     .unit = "cores",
                                     .help = "times that a lent core was asked back",
                                     .source = OFFLOADING ", 5.3",
                                     .hosts = METRIC_OF_LIVE },
        [METRIC_LOAD_GAP] = { .name = "load_gap",
                              .help = "largest share by which tasks' wall time exceeds their "
                                      "processor time",
                              .hosts = METRIC_OF_LIVE },
};

const char *metric_hosts(const struct metric_info *metric, char text[static 64])
{
        static const char *const names[] = { "offload", "chameleon", "dpb", "packing", "live" };
        if (metric->hosts == METRIC_OF_ALL)
                return "all";
        if (metric->hosts == METRIC_OF_SIM)
                return "all simulated";
        int used = 0;
        text[0] = '\0';
        for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (metric->hosts & 1u << i)
                        used += snprintf(text + used, 64 - (size_t)used, "%s%s", used ? ", " : "",
                                         names[i]);
        return text;
}

int metric_find(const char *name, int count)
{
        for (int m = 0; m < count; m++)
                if (strcmp(metric_table[m].name, name) == 0)
                        return m;
        return -1;
}
