/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/metrics.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

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
#define METRIC(key, ...) [METRIC_##key] = { __VA_ARGS__ },
#define LIVE_METRIC METRIC
#include "policies/host/metric_list.h"
};

const char *metric_hosts(const struct metric_info *metric, char text[static 64])
{
        static const char *const names[] = { "offload", "chameleon", "dpb",
                                             "packing", "live",      "other" };
        if (metric->hosts == METRIC_OF_ALL)
                return "all";
        if (metric->hosts == METRIC_OF_SIM)
                return "all simulated";
        text[0] = '\0';
        for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (metric->hosts & 1u << i)
                        lb_text_add(text, 64, "%s%s", text[0] ? ", " : "", names[i]);
        return text;
}

bool metric_always(const struct metric_info *metric)
{
        return (metric->hosts & METRIC_OF_SIM) == METRIC_OF_SIM && !metric->may_lack;
}

int metric_find(const char *name, int count)
{
        for (int m = 0; m < count; m++)
                if (strcmp(metric_table[m].name, name) == 0)
                        return m;
        return -1;
}
