/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/grow.h"

#include "policies/average.h"
#include "policies/grow_impl.h"
#include "policies/registry.h"

/*
 * Starting a process: MPI_Comm_spawn of one process and the merge with it take 0.27 s on one
 * machine with Open MPI 4.1 (0.03 to 0.05 s of that are the new process's processor time), as
 * measured; on another node a daemon must be reached and started first, and the runtime system
 * connects to its peers. So 1 s is assumed, and it matters little: a start is paid once.
 */
const struct lb_param grow_params[] = {
        [GROW_PERIOD_S] = { .name = "grow_period_s",
                            .unit = "s",
                            .type = LB_PARAM_NUMBER,
                            .fallback = 2,
                            .min = 0.001,
                            .max = 3600,
                            .help = "dynamic, tight: how often helpers are started and retired" },
        [GROW_START_S] = { .name = "start_s",
                           .unit = "s",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 1,
                           .min = 0,
                           .max = 3600,
                           .help = "dynamic, tight: starting a helper process takes so long; "
                                   "MPI_Comm_spawn on one machine 0.3 s" },
        [GROW_START_CPU_S] = { .name = "start_cpu_s",
                               .unit = "s",
                               .type = LB_PARAM_NUMBER,
                               .fallback = 0.05,
                               .min = 0,
                               .max = 3600,
                               .help = "dynamic, tight: processor time of a start on the helper's "
                                       "node" },
        [GROW_DEGREE] = { .name = "grow_degree",
                          .unit = "",
                          .type = LB_PARAM_INTEGER,
                          .fallback = 8,
                          .min = 1,
                          .max = 64,
                          .help = "dynamic, tight: nodes per apprank, at most" },
        [GROW_GAIN] = { .name = "grow_gain",
                        .unit = "",
                        .type = LB_PARAM_NUMBER,
                        .fallback = 0.02,
                        .min = 0,
                        .max = 1,
                        .help =
                            "dynamic, tight: helpers are started where they save this share of the "
                            "time; 0.02: one core of 48" },
        [GROW_IDLE_S] = { .name = "grow_idle_s",
                          .unit = "s",
                          .type = LB_PARAM_NUMBER,
                          .fallback = 20,
                          .min = 0,
                          .max = 1e6,
                          .help =
                              "dynamic, tight: a helper that the optimum has had no use for during "
                              "this time is retired" },
        [GROW_PARTS] = { .name = "grow_parts",
                         .unit = "",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 8,
                         .min = 1,
                         .max = 64,
                         .help = "dynamic, tight: a core counts as so many parts, since lending "
                                 "divides "
                                 "it in time; 1: whole cores, without LeWI" },
        [GROW_AVERAGE] = AVERAGE_PARAM_KIND,
        [GROW_AVERAGE_S] = AVERAGE_PARAM_S,
        [GROW_STEADY_GAIN] = { .name = "grow_steady_gain",
                               .unit = "",
                               .type = LB_PARAM_NUMBER,
                               .fallback = 0,
                               .min = 0,
                               .max = 1,
                               .help = "dynamic, tight: a lesser gain than grow_gain, for which "
                                       "helpers are started once it has been there at every "
                                       "decision during grow_steady_s; 0: none" },
        [GROW_STEADY_S] = { .name = "grow_steady_s",
                            .unit = "s",
                            .type = LB_PARAM_NUMBER,
                            .fallback = 5,
                            .min = 0,
                            .max = 1e6,
                            .help = "dynamic, tight: how long grow_steady_gain must last" },
        [GROW_STEADY_IDLE_S] = { .name = "grow_steady_idle_s",
                                 .unit = "s",
                                 .type = LB_PARAM_NUMBER,
                                 .fallback = 20,
                                 .min = 0,
                                 .max = 1e6,
                                 .help = "dynamic, tight: grow_idle_s of the helpers that came for "
                                         "grow_steady_gain" },
        [GROW_START_CORES] = { .name = "grow_start_cores",
                               .unit = "cores",
                               .type = LB_PARAM_INTEGER,
                               .fallback = 0,
                               .min = 0,
                               .max = 4096,
                               .help = "tight: where graph.degree is 2 or more, as many helpers "
                                       "from the start, up to grow_degree nodes for an apprank, "
                                       "as leave so many cores of a node, and half of them, beyond "
                                       "one for each worker; 0: graph.degree alone" },
        [GROW_NPARAM] = { .name = NULL },
};

const struct grow_type *const grow_types[] = {
#define ENTRY(type) &type,
        GROW_TYPES(ENTRY) NULL
};

POLICY_FIND(grow, grow_types[i])

int32_t grow_start_degree(const double *param, int32_t degree, int32_t nnode, int32_t cores,
                          int32_t appranks)
{
        int32_t keep = (int32_t)param[GROW_START_CORES], most = (int32_t)param[GROW_DEGREE];
        if (keep == 0 || degree < 2)
                return degree;
        int32_t workers = cores / 2 < cores - keep ? cores / 2 : cores - keep;
        most = most < nnode ? most : nnode;
        most = most < workers / appranks ? most : workers / appranks;
        return most > degree ? most : degree;
}

static bool is(struct grow_edge a, struct grow_edge b)
{
        return a.apprank == b.apprank && a.node == b.node;
}

static int32_t count_of(const struct grow_edge *list, int32_t count, struct grow_edge edge)
{
        int32_t found = 0;
        for (int32_t i = 0; i < count; i++)
                found += is(list[i], edge);
        return found;
}

/* The worker of an edge that is there, or -1. */
static int32_t worker_of(const struct lb_shape *shape, struct grow_edge edge)
{
        for (int32_t w = shape->apprank_first[edge.apprank];
             w < shape->apprank_first[edge.apprank + 1]; w++)
                if (shape->worker_node[w] == edge.node)
                        return w;
        return -1;
}

static int check_added(const struct grow_view *view, const struct grow_decision *decision,
                       struct grow_edge edge, struct lb_error *err)
{
        const struct lb_shape *shape = view->shape;
        if (worker_of(shape, edge) >= 0 || count_of(view->starting, view->nstarting, edge) +
                                                   count_of(decision->add, decision->nadd, edge) >
                                               1)
                return lb_error_fail(err, "apprank %d is given a second worker on node %d",
                                     edge.apprank, edge.node);
        int32_t here = shape->node_first[edge.node + 1] - shape->node_first[edge.node];
        for (int32_t i = 0; i < view->nstarting; i++)
                here += view->starting[i].node == edge.node;
        for (int32_t i = 0; i < decision->nadd; i++)
                here += decision->add[i].node == edge.node;
        if (here > shape->cores[edge.node])
                return lb_error_fail(err, "node %d is given %d workers for %d cores", edge.node,
                                     here, shape->cores[edge.node]);
        return 0;
}

int grow_check(const struct grow_view *view, const struct grow_decision *decision,
               struct lb_error *err)
{
        for (int32_t i = 0; i < decision->nadd; i++)
                if (check_added(view, decision, decision->add[i], err) < 0)
                        return -1;
        for (int32_t i = 0; i < decision->nretire; i++) {
                struct grow_edge edge = decision->retire[i];
                int32_t w = worker_of(view->shape, edge);
                if (w < 0 || view->shape->worker_home[w] || view->retiring[w] ||
                    count_of(decision->retire, decision->nretire, edge) > 1)
                        return lb_error_fail(err,
                                             "apprank %d has no helper on node %d to be retired",
                                             edge.apprank, edge.node);
        }
        return 0;
}
