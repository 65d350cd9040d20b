/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_METRICS_H
#define LB_POLICIES_HOST_METRICS_H

#include <stdbool.h>

/*
 * What is measured of a run, simulated or live: one table, from which the columns of CSV and JSON,
 * lbsim params, the schema of results, the live report and the manual come. All are computed by
 * ledger_metrics() (policies/host/ledger.h). A new metric is an entry in
 * policies/host/metric_list.h and a line there.
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
        METRIC_OF_OTHER = 32, /* simulated, with no metric but those of all */
        METRIC_OF_SIM = METRIC_OF_OFFLOAD | METRIC_OF_CHAMELEON | METRIC_OF_DPB |
                        METRIC_OF_PACKING | METRIC_OF_OTHER,
        METRIC_OF_ALL = METRIC_OF_SIM | METRIC_OF_LIVE,
};

/* Up to METRIC_COUNT in the order of the columns of results.csv; those behind are live ones alone.
 */
enum metric {
#define METRIC(key, ...) METRIC_##key,
#define LIVE_METRIC(key, ...)
#include "policies/host/metric_list.h"
#undef METRIC
#undef LIVE_METRIC
        METRIC_COUNT, /* columns of a simulation */

        METRIC_LAST_COLUMN = METRIC_COUNT - 1,
#define METRIC(key, ...)
#define LIVE_METRIC(key, ...) METRIC_##key,
#include "policies/host/metric_list.h"
#undef METRIC
#undef LIVE_METRIC
        METRIC_ALL
};

struct metric_info {
        const char *name;   /* column or key, unit last */
        const char *label;  /* in a live run's report; NULL: it has no row of its own */
        const char *unit;   /* NULL: none */
        const char *help;   /* its definition */
        const char *source; /* where it is defined so: paper, section; NULL: here */
        unsigned hosts;     /* enum metric_host, for which it makes sense */
        bool may_lack;      /* of some of their runs it is not known, as `help` says: NaN */
};
extern const struct metric_info metric_table[METRIC_ALL];

/* The bits of hosts as words: "all", "offload, live". */
const char *metric_hosts(const struct metric_info *metric, char text[static 64]);

/* Has every simulated run a number, whatever system and workload it is of? */
bool metric_always(const struct metric_info *metric);

/* By name among the first `count`; -1 where there is none. */
int metric_find(const char *name, int count);

#endif
