/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_METRICS_H
#define LB_POLICIES_HOST_METRICS_H

/*
 * What is measured of a run, simulated or live: one table, from which the columns of CSV and JSON,
 * lbsim params, the schema of results, the live report and the manual come. All are computed by
 * ledger_metrics() (policies/host/ledger.h). A new metric is an entry here and a line there.
 *
 * - Where a metric makes no sense for a host it is NaN: an empty field in CSV, null in JSON, a
 * blank in tables; never 0.
 * - "Last third" is of the iterations; see ledger_first_steady().
 */

/* Who reports: the machine on which appranks offload (systems baseline, dlb, local, global, dynamic
 * and plugged-in ones), the other simulated ones, the live runtime. */
enum metric_host {
        METRIC_OF_NONE = 0,
        METRIC_OF_OFFLOAD = 1,
        METRIC_OF_CHAMELEON = 2,
        METRIC_OF_DPB = 4,
        METRIC_OF_PACKING = 8,
        METRIC_OF_LIVE = 16,
        METRIC_OF_SIM = METRIC_OF_OFFLOAD | METRIC_OF_CHAMELEON | METRIC_OF_DPB | METRIC_OF_PACKING,
        METRIC_OF_ALL = METRIC_OF_SIM | METRIC_OF_LIVE,
};

/* Up to METRIC_COUNT in the order of the columns of results.csv; those behind are live ones alone.
 */
enum metric {
        METRIC_TIME_PER_ITERATION_S,
        METRIC_OPTIMAL_S,
        METRIC_RATIO_TO_OPTIMAL,
        METRIC_APPRANK_IMBALANCE,
        METRIC_NODE_IMBALANCE,
        METRIC_OFFLOADED_FRACTION,
        METRIC_TASKS,
        METRIC_FIRST_ITERATION_S,
        METRIC_TOTAL_S,
        METRIC_PARALLEL_EFFICIENCY,
        METRIC_LOAD_BALANCE,
        METRIC_TRANSFER_EFFICIENCY,
        METRIC_RUNTIME_EFFICIENCY,
        METRIC_OFFLOADED_BYTES,
        METRIC_BORROWED_CORE_S,
        METRIC_OWNERSHIP_CHANGES,
        METRIC_DECISIONS,
        METRIC_CONVERGED_S,
        METRIC_STEADY_NODE_IMBALANCE,
        METRIC_EVENTS,
        METRIC_CORES_USED,
        METRIC_HELPER_RANKS,
        METRIC_STEADY_OFFLOADED_FRACTION,
        METRIC_PEAK_NODE_IMBALANCE,
        METRIC_IMBALANCE_FRACTION,
        METRIC_FREED_FRACTION,
        METRIC_ENERGY_PER_ITERATION_J,
        METRIC_PROCESS_STARTS,
        METRIC_COUNT, /* columns of a simulation */

        METRIC_WITHOUT_BALANCING_S = METRIC_COUNT,
        METRIC_COMMUNICATION_EFFICIENCY,
        METRIC_MPI_FRACTION,
        METRIC_OFFLOADED_TASKS,
        METRIC_CORES_LENT,
        METRIC_CORES_BORROWED,
        METRIC_CORES_RECLAIMED,
        METRIC_LOAD_GAP,
        METRIC_ALL
};

struct metric_info {
        const char *name;   /* column or key, unit last */
        const char *unit;   /* NULL: none */
        const char *help;   /* its definition */
        const char *source; /* where it is defined so: paper, section; NULL: here */
        unsigned hosts;     /* enum metric_host, for which it makes sense */
};
extern const struct metric_info metric_table[METRIC_ALL];

/* The bits of hosts as words: "all", "offload, live". */
const char *metric_hosts(const struct metric_info *metric, char text[static 64]);

/* By name among the first `count`; -1 where there is none. */
int metric_find(const char *name, int count);

#endif
