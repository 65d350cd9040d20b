/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_EXPAND_H
#define LB_GRAPHS_EXPAND_H

#include "graphs/graph.h"

/* Sets of appranks with few nodes: what the vertex isoperimetric number is the minimum over. */

struct expansion {
        int32_t size;  /* |A| */
        int32_t nnode; /* |N(A)| */
        bool exact;    /* no set of at most size_max appranks has a smaller |N(A)| / |A| */
        int32_t *set;  /* [size], ascending */
};

/* A good set of 1 .. size_max appranks by local search; a function of its arguments alone. */
int expansion_guess(const struct graph *graph, int32_t size_max, struct expansion *out,
                    struct lb_error *err) LB_MUST_CHECK;

/*
 * Improve a set to the best there is by branch and bound, looking at `budget` vertices of the
 * search tree at most; `exact` says whether that sufficed.
 */
int expansion_improve(const struct graph *graph, int32_t size_max, int64_t budget,
                      struct expansion *expansion, struct lb_error *err) LB_MUST_CHECK;

void expansion_finish(struct expansion *expansion);

#endif
