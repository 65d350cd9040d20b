/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All metrics: key, fields of struct metric_info. METRIC: the columns of results.csv, in their
 * order; LIVE_METRIC: of live runs alone. Included where these are defined
 * (policies/host/metrics.h, policies/host/metrics.c). What a new one is goes to
 * policies/host/ledger_metrics.c.
 */
METRIC(TIME_PER_ITERATION_S, .name = "time_per_iteration_s", .label = "time per iteration",
       .unit = "s", .help = "mean over the last third of the iterations",
       .source = OFFLOADING ", scripts of its experiments", .hosts = METRIC_OF_ALL)
METRIC(OPTIMAL_S, .name = "optimal_s", .label = "bound", .unit = "s",
       .help = "perfect balance: total work over the total speed of all "
               "cores, or if longer a "
               "chain of tasks that wait for each other where it is "
               "fastest",
       .source = OFFLOADING ", 7.3", .hosts = METRIC_OF_ALL)
METRIC(RATIO_TO_OPTIMAL, .name = "ratio_to_optimal",
       .help = "time per iteration over the bound; empty where there was no work",
       .hosts = METRIC_OF_ALL, .may_lack = true)
METRIC(APPRANK_IMBALANCE, .name = "apprank_imbalance", .label = "imbalance of appranks",
       .help = "max / mean of the appranks' work, as the workload "
               "draws it, last third",
       .source = OFFLOADING ", 6.1, equation 2", .hosts = METRIC_OF_ALL)
METRIC(NODE_IMBALANCE, .name = "node_imbalance", .label = "imbalance of nodes",
       .help = "max / mean of the nodes' busy cores, last third", .source = OFFLOADING ", 7.6",
       .hosts = METRIC_OF_ALL)
METRIC(OFFLOADED_FRACTION, .name = "offloaded_fraction",
       .help = "share of tasks executed off the home node, under chameleon off the home rank",
       .hosts = OFFLOADS)
METRIC(TASKS, .name = "tasks", .label = "tasks", .help = "tasks executed", .hosts = METRIC_OF_ALL)
METRIC(FIRST_ITERATION_S, .name = "first_iteration_s", .unit = "s",
       .help = "time of the first iteration", .hosts = METRIC_OF_ALL)
METRIC(TOTAL_S, .name = "total_s", .unit = "s", .help = "time of all iterations",
       .hosts = METRIC_OF_ALL)
METRIC(PARALLEL_EFFICIENCY, .name = "parallel_efficiency", .label = "parallel efficiency",
       .help = "useful core time over all core time, last third", .source = POP,
       .hosts = METRIC_OF_ALL)
METRIC(LOAD_BALANCE, .name = "load_balance", .label = "  load balance",
       .help = "mean / max of the nodes' busy core time, last third", .source = POP,
       .hosts = METRIC_OF_ALL)
METRIC(TRANSFER_EFFICIENCY, .name = "transfer_efficiency",
       .help = "share of the time that the busiest node is "
               "busy, last "
               "third",
       .source = POP, .hosts = METRIC_OF_SIM)
METRIC(RUNTIME_EFFICIENCY, .name = "runtime_efficiency",
       .help = "useful over busy core time, last third", .source = POP, .hosts = METRIC_OF_SIM)
METRIC(OFFLOADED_BYTES, .name = "offloaded_bytes", .label = "data offloaded", .unit = "bytes",
       .help = "data moved between nodes, under chameleon between ranks", .hosts = OFFLOADS)
METRIC(BORROWED_CORE_S, .name = "borrowed_core_s", .unit = "s",
       .help = "core time on cores owned by another worker", .source = OFFLOADING ", 5.3",
       .hosts = METRIC_OF_OFFLOAD)
METRIC(OWNERSHIP_CHANGES, .name = "ownership_changes", .label = "ownership changes",
       .unit = "cores", .help = "cores that changed owner",
       .source = OFFLOADING ", 5.4; " DPB ", 3", .hosts = MOVES_CORES)
METRIC(DECISIONS, .name = "decisions", .help = "decisions of the allocation policy",
       .hosts = METRIC_OF_ALL)
METRIC(CONVERGED_S, .name = "converged_s", .unit = "s",
       .help = "time from which node imbalance over the last 2 s "
               "stays below 1.1",
       .source = OFFLOADING ", 7.6", .hosts = METRIC_OF_SIM)
METRIC(STEADY_NODE_IMBALANCE, .name = "steady_node_imbalance",
       .help = "mean of the sampled node imbalance, last "
               "third",
       .source = OFFLOADING ", 7.6", .hosts = METRIC_OF_SIM)
METRIC(EVENTS, .name = "events", .help = "simulated events", .hosts = METRIC_OF_SIM)
METRIC(CORES_USED, .name = "cores_used", .unit = "cores",
       .help = "cores that are not freed for others", .source = PACKING ", tables 1 and 2",
       .hosts = METRIC_OF_SIM)
METRIC(HELPER_RANKS, .name = "helper_ranks", .unit = "processes",
       .help = "processes beyond the application ranks", .source = OFFLOADING ", 5.2",
       .hosts = METRIC_OF_OFFLOAD)
METRIC(STEADY_OFFLOADED_FRACTION, .name = "steady_offloaded_fraction",
       .help = "share of tasks executed off the home node, under chameleon off the home rank, "
               "last third",
       .hosts = OFFLOADS)
METRIC(PEAK_NODE_IMBALANCE, .name = "peak_node_imbalance", .help = "largest sampled node imbalance",
       .source = OFFLOADING ", 7.6", .hosts = METRIC_OF_SIM)
METRIC(IMBALANCE_FRACTION, .name = "imbalance_fraction",
       .help = "share of the fastest nodes' core time that waits "
               "for the "
               "slowest, last third",
       .source = PACKING ", 1 - equation 5", .hosts = METRIC_OF_ALL)
METRIC(FREED_FRACTION, .name = "freed_fraction", .help = "share of the fastest nodes' cores freed",
       .source = PACKING ", tables 1 and 2", .hosts = METRIC_OF_PACKING)
METRIC(ENERGY_PER_ITERATION_J, .name = "energy_per_iteration_J", .unit = "J",
       .help = "estimate by platform.power, last third", .hosts = METRIC_OF_SIM)
METRIC(PROCESS_STARTS, .name = "process_starts", .unit = "processes",
       .help = "helpers started during the run, those that went "
               "again too",
       .hosts = METRIC_OF_OFFLOAD)
METRIC(OVERSHOOT, .name = "overshoot",
       .help = "largest node imbalance over 2 s after it has been below 1.1 for the first time; 1 "
               "where it never is",
       .hosts = METRIC_OF_SIM)
METRIC(OSCILLATION, .name = "oscillation",
       .help = "mean change of the sampled node imbalance from one sample to the next, last third",
       .hosts = METRIC_OF_SIM)
METRIC(FLOOR_S, .name = "floor_s", .unit = "s",
       .help = "what these tasks allow: list scheduling of their true durations, longest first or, "
               "where that ends sooner, in order of creation, on all cores and without latency; "
               "empty where tasks wait for each other or an iteration has more than 4194304",
       .source = "R. L. Graham, Bounds on multiprocessing timing anomalies, 1969",
       .hosts = METRIC_OF_SIM, .may_lack = true)
METRIC(FLOOR_BLIND_S, .name = "floor_blind_s", .unit = "s",
       .help = "the same in order of creation, for who does not know durations beforehand",
       .source = "R. L. Graham, Bounds on multiprocessing timing anomalies, 1969",
       .hosts = METRIC_OF_SIM, .may_lack = true)
METRIC(CUT_S, .name = "cut_s", .unit = "s",
       .help =
           "what the graph allows: the least time in which the cores that appranks can reach do "
           "their work (as drawn; as meant where the last third has more than 4194304 tasks), in "
           "any division; empty where helpers come and go",
       .hosts = METRIC_OF_OFFLOAD)
METRIC(RATIO_TO_POSSIBLE, .name = "ratio_to_possible",
       .help = "time per iteration over the largest of optimal_s, floor_s and cut_s",
       .hosts = METRIC_OF_SIM, .may_lack = true)
METRIC(MESSAGE_CORE_S, .name = "message_core_s", .unit = "s",
       .help = "core time charged for messages of tasks, of both their ends, those that ask for "
               "tasks included",
       .hosts = METRIC_OF_OFFLOAD)
METRIC(POLL_CORE_S, .name = "poll_core_s", .unit = "s",
       .help = "core time charged for polls, idle cores' included", .hosts = METRIC_OF_OFFLOAD)
METRIC(DECISION_CORE_S, .name = "decision_core_s", .unit = "s",
       .help = "core time charged for decisions: who owns which core, where tasks go, and helpers "
               "that start",
       .hosts = METRIC_OF_OFFLOAD)

LIVE_METRIC(WITHOUT_BALANCING_S, .name = "without_balancing_s", .label = "without balancing",
            .unit = "s",
            .help = "estimate: in each iteration all wait for the "
                    "apprank whose work takes its own cores longest, "
                    "last third",
            .hosts = METRIC_OF_LIVE)
LIVE_METRIC(COMMUNICATION_EFFICIENCY, .name = "communication_efficiency",
            .label = "  communication",
            .help = "share of the busiest node's core time that "
                    "is spent in tasks, last third",
            .source = POP, .hosts = METRIC_OF_LIVE)
LIVE_METRIC(MPI_FRACTION, .name = "mpi_fraction",
            .help = "share of the main programs' time in MPI, last third", .hosts = METRIC_OF_LIVE)
LIVE_METRIC(OFFLOADED_TASKS, .name = "offloaded_tasks", .label = "tasks offloaded",
            .help = "tasks executed off the home node, under chameleon off the home rank",
            .hosts = METRIC_OF_LIVE)
LIVE_METRIC(CORES_LENT, .name = "cores_lent", .label = "cores lent", .unit = "cores",
            .help = "times that a core was lent", .source = OFFLOADING ", 5.3",
            .hosts = METRIC_OF_LIVE)
LIVE_METRIC(CORES_BORROWED, .name = "cores_borrowed", .unit = "cores",
            .help = "times that a core was borrowed", .source = OFFLOADING ", 5.3",
            .hosts = METRIC_OF_LIVE)
LIVE_METRIC(CORES_RECLAIMED, .name = "cores_reclaimed", .unit = "cores",
            .help = "times that a lent core was asked back", .source = OFFLOADING ", 5.3",
            .hosts = METRIC_OF_LIVE)
LIVE_METRIC(LOAD_GAP, .name = "load_gap",
            .help = "largest share of tasks' wall time that was not "
                    "processor time; 0 where they sleep",
            .hosts = METRIC_OF_LIVE)
