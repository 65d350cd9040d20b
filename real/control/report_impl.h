/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_REPORT_IMPL_H
#define LB_REAL_CONTROL_REPORT_IMPL_H

#include "policies/host/metrics.h"
#include "real/control/report.h"

/* The figures of a report (private to it): worked out by report.c, shown by report_print.c and
 * report_write.c. */
struct report_figures {
        int32_t niteration;        /* that every apprank has ended */
        int32_t first_steady;      /* the first of the last third */
        double metric[METRIC_ALL]; /* NaN where there is none */
        double *iteration_s;       /* [niteration] */
        double *apprank_work_s; /* [napprank] mean over the last third, per iteration; likewise: */
        double *node_useful_s;  /* [nnode] */
        double chain_s;         /* likewise; NaN where there is none */
        double ends_apart_s;    /* likewise */
        double apart_s;         /* from the first apprank's start of the last third to the last's */
};

int report_figures_init(struct report_figures *figures, const struct report *report,
                        struct lb_error *err) LB_MUST_CHECK;
void report_figures_finish(struct report_figures *figures);

#endif
