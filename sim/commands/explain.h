/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_EXPLAIN_H
#define LB_SIM_COMMANDS_EXPLAIN_H

#include <stdio.h>

#include "graphs/graph.h"
#include "models/workload.h"
#include "sim/engine/sim.h"
#include "sim/scenario/scenario.h"

/* Why a point came out as it did (private to explain*.c). */

/* Who may use which cores. */
enum explain_reach {
        EXPLAIN_OWN,   /* each apprank the cores that it has from the start */
        EXPLAIN_GRAPH, /* the cores of the nodes where it has workers, in any division
                        */
        EXPLAIN_ANY,   /* all */
};

/* The least time of an iteration that who may use which cores allows, and the
 * proof. */
struct explain_bound {
        enum explain_reach reach;
        int32_t napprank, nnode;
        double perfect_s;    /* all work over the speed of all cores, mean over the last
                                third */
        double least_s;      /* the same by what each apprank can reach; >= perfect_s */
        double *work_s;      /* [napprank] on a core of speed 1, of the last iteration */
        double *capacity;    /* [nnode] cores times their speed */
        double task_s;       /* of the last iteration: mean of the apprank with the longest
                                tasks */
        double tasks;        /* and how many there are */
        int32_t first, last; /* iterations first .. last - 1: the last third */
        /* the last iteration: these appranks can reach these nodes alone, which need
         * least_s */
        bool *apprank_in_cut, *node_in_cut;
};

struct explain_case {
        const struct scenario_point *point;
        const struct workload *workload;
        const struct graph *graph; /* whose edges are the workers */
};

int explain_bound_find(struct explain_bound *bound, const struct explain_case *c,
                       struct lb_error *err) LB_MUST_CHECK;
void explain_bound_finish(struct explain_bound *bound);

/* Does the cut leave anything out? Else perfect balance is possible. */
bool explain_bound_is_proper(const struct explain_bound *bound);

/* Say it, a line for each cause. node[nnode] is room to work in. */
void explain_print(const struct explain_case *c, const struct explain_bound *bound,
                   const struct sim_result *result, double *node, FILE *out);

#endif
