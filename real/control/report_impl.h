/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_REPORT_IMPL_H
#define LB_REAL_CONTROL_REPORT_IMPL_H

#include "real/control/report.h"

/* The figures of a report (private to it): worked out by report.c, shown by report_print.c and
 * report_write.c. All of the run are numbers; those by iteration are NaN where there is none. */
struct report_figures {
        int32_t niteration;   /* that every apprank has ended */
        int32_t first_steady; /* the first of the last third */
        double time_per_iteration_s, optimal_s, ratio_to_optimal;
        double apprank_imbalance, node_imbalance;
        double parallel_efficiency, load_balance, communication_efficiency;
        double without_balancing_s; /* estimated */
        double mpi_fraction;        /* of the main programs' time, mean over the appranks */
        double first_iteration_s, total_s;
        double tasks, offloaded_tasks, offloaded_fraction; /* all iterations */
        double *iteration_s;                               /* [niteration] */
        double *apprank_work_s; /* [napprank] mean over the last third, per iteration; likewise: */
        double *node_useful_s;  /* [nnode] */
};

int report_figures_init(struct report_figures *figures, const struct report *report,
                        struct lb_error *err) LB_MUST_CHECK;
void report_figures_finish(struct report_figures *figures);

#endif
