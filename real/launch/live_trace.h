/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_LIVE_TRACE_H
#define LB_REAL_LAUNCH_LIVE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What a run's page shows of its trace (a JSON that plots/trace_chrome.c wrote; private to
 * live_page.c): cores by node and apprank in equal pieces of time. */
enum { LIVE_BINS = 1500 };

struct live_move { /* cores of a node that an apprank owns change */
        double time_s;
        int32_t node, apprank, from, to;
};

struct live_trace {
        int32_t nnode, napprank;
        double end_s;
        double *owned, *busy, *borrowed; /* [nnode][napprank][LIVE_BINS] cores */
        struct live_move *move;          /* [nmove] in the order of time */
        int64_t nmove;
        double *move_s; /* [nmove] */
        bool *known;    /* [nnode][napprank] while reading: it has had cores before */
};

int live_trace_read(struct live_trace *trace, const char *file, struct lb_error *err) LB_MUST_CHECK;
void live_trace_finish(struct live_trace *trace);

#endif
