/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SOLVE_H
#define LB_POLICIES_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/shape.h"

/*
 * One global core allocation (ICPP'22 5.4.2, equation 1): integer cores per
 * worker, at least one each (a talk-only one none), at most the node's cores on each node, such
 * that max over appranks of load / cores is least; among those, the fewest cores off the home
 * nodes; among those, the fewest cores moved away from the current ownership. Cores that nobody
 * needs go to the home appranks of their node, so a node with a home apprank is always given out
 * whole; those of a node where nobody is at home stay unowned. Loads are compared exactly, whatever
 * their size: ties are ties.
 */

struct solve_instance {
        const struct lb_shape *shape; /* global scope */
        const double *load; /* [napprank] busy cores or any other measure of work, finite, >= 0 */
        const int32_t *owned_cores; /* [nworker] now, or NULL: no third criterion */
};

struct solve_result {
        double objective;        /* max load / cores */
        int64_t offloaded_cores; /* cores owned off the home node */
        int64_t moved_cores;     /* sum over workers of cores gained; 0 where owned_cores is NULL */
        int32_t cut_appranks;    /* why not less: so many appranks would then need more ... */
        int32_t cut_nodes;       /* ... than their so many nodes have; both 0 without load */
};

/* Is there an allocation at all? Every apprank has a worker, every node a core for each worker that
 * is not talk-only. An apprank's workers must not all be. */
int solve_check(const struct lb_shape *shape, struct lb_error *err) LB_MUST_CHECK;

/* Are load[napprank] finite and >= 0? */
int solve_check_loads(const struct lb_shape *shape, const double *load,
                      struct lb_error *err) LB_MUST_CHECK;

/* Memory that solve_exact() works in, bytes. */
size_t solve_workspace_size(const struct lb_shape *shape);

/*
 * The exact optimum by max-flow over candidate values, then min-cost flow. Allocates nothing: works
 * in workspace[solve_workspace_size()]. Writes owned_cores[nworker]; result may be NULL. Where a
 * node has fewer cores than workers it fails and names the node. All loads zero: everything at
 * home.
 */
int solve_exact(const struct solve_instance *instance, void *workspace, int32_t *owned_cores,
                struct solve_result *result, struct lb_error *err) LB_MUST_CHECK;

/*
 * The same, and after the worst apprank the next worst, and so on: of all allocations with the
 * least objective the one whose second largest load / cores is least, then the third; only then the
 * fewest cores off home. Where a core is not enough for all appranks of equal load, the first get
 * it. Takes longer: a flow for each set of appranks that binds; 0.1 ms
 * at 32 nodes, 75 ms at 1024.
 */
int solve_lexicographic(const struct solve_instance *instance, void *workspace,
                        int32_t *owned_cores, struct solve_result *result,
                        struct lb_error *err) LB_MUST_CHECK;

/*
 * Why nothing is better than the answer of the last of these two in this workspace, which must
 * have succeeded: the appranks of the cut have workers on the nodes of the cut only, and for any
 * smaller objective they would together need more cores than these nodes have beside one for every
 * other worker. Writes apprank_in_cut[napprank] and node_in_cut[nnode]; all false where there was
 * no load. Only a helper of an apprank of the cut on a node outside it can relieve it.
 */
void solve_cut(const struct lb_shape *shape, const void *workspace, bool *apprank_in_cut,
               bool *node_in_cut);

/* Fill `result` from an allocation, whoever made it. */
void solve_evaluate(const struct solve_instance *instance, const int32_t *owned_cores,
                    struct solve_result *result);

#endif
