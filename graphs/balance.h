/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_BALANCE_H
#define LB_GRAPHS_BALANCE_H

#include "graphs/graph.h"

/*
 * The minimum of |N(A)| / |A| over the sets A of appranks, of any size, that miss a node, as the
 * fraction *nnode / *size; 0/0 where every apprank has every node. It is found by max-flow, in
 * polynomial time, as sets are not limited in size. *exact is false where the graph is too large
 * and only sets of all appranks that miss one given node were tried: an upper bound.
 */
int balance_worst_set(const struct graph *graph, int32_t *nnode, int32_t *size, bool *exact,
                      struct lb_error *err) LB_MUST_CHECK;

#endif
