/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_BOUND_H
#define LB_SIM_SCENARIO_BOUND_H

#include "graphs/graph.h"
#include "models/workload.h"
#include "sim/scenario/scenario.h"

/* The least time that who may use which cores allows, whatever is decided. */

/* Who may use which cores. */
enum bound_reach {
        BOUND_OWN,   /* each apprank the cores that it has from the start */
        BOUND_GRAPH, /* the cores of the nodes where it has workers, in any division
                      */
        BOUND_ANY,   /* all */
};

/* The least time of an iteration that who may use which cores allows, and the
 * proof. */
struct bound {
        enum bound_reach reach;
        int32_t napprank, nnode;
        double perfect_s;    /* all work over the speed of all cores, mean over the last
                                third */
        double least_s;      /* the same by what each apprank can reach; >= perfect_s */
        double *work_s;      /* [napprank] on a core of speed 1, of the last iteration */
        double *serial_s;    /* [napprank] of that, by its main program alone */
        double *start_s;     /* [napprank] when it may create tasks, of speed 1, too */
        double *capacity;    /* [nnode] cores times their speed */
        double *speed;       /* [nnode] of a core */
        double tasks;        /* of the last iteration */
        int32_t first, last; /* iterations first .. last - 1: the last third */
        /* the last iteration: these appranks can reach these nodes alone, which need
         * least_s */
        bool *apprank_in_cut, *node_in_cut;
        int32_t serial; /* or this apprank needs it, for what comes before its tasks, then these;
                           -1: none */
};

struct bound_case {
        const struct scenario_point *point;
        const struct workload *workload;
        const struct graph *graph; /* whose edges are the workers */
        /* [iterations of the last third][napprank] their work as drawn; NULL: what the workload
         * means */
        const double *drawn_ns;
};

int bound_find(struct bound *bound, const struct bound_case *c, struct lb_error *err) LB_MUST_CHECK;
void bound_finish(struct bound *bound);

/* Does the cut leave anything out? Else perfect balance is possible. */
bool bound_is_proper(const struct bound *bound);

#endif
