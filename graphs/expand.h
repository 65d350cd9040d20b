/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_EXPAND_H
#define LB_GRAPHS_EXPAND_H

#include "graphs/graph.h"

/* Sets of appranks with few nodes: what the vertex isoperimetric number is the minimum over. */

struct expansion {
        int32_t size;                /* |A| */
        int32_t nnode;               /* |N(A)| */
        bool exact;                  /* no set of at most size_max appranks has less per apprank */
        int32_t low_nnode, low_size; /* proven: |N(A)| / |A| is at least this for all of them */
        int32_t *set;                /* [size], ascending */
};

/*
 * A good set of 1 .. size_max appranks by local search; a function of its arguments alone. Proves
 * nothing: the lower bound is 1 / size_max.
 */
int expansion_guess(const struct graph *graph, int32_t size_max, struct expansion *out,
                    struct lb_error *err) LB_MUST_CHECK;

/*
 * Improve a set to the best there is by branch and bound, looking at `budget` vertices of the
 * search tree at most; `exact` says whether that sufficed. If it did not and `bound` is true, as
 * many are spent on raising the proven lower bound. A function of its arguments alone. Graphs of
 * more than 1024 nodes are left as they are.
 */
int expansion_improve(const struct graph *graph, int32_t size_max, int64_t budget, bool bound,
                      struct expansion *expansion, struct lb_error *err) LB_MUST_CHECK;

void expansion_finish(struct expansion *expansion);

#endif
