/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_FIT_H
#define LB_GRAPHS_FIT_H

#include "graphs/graph.h"

/*
 * Make a graph fit nodes of unequal size: every worker needs a core of its own, so no node may have
 * more of them than cores[nnode]. As few helpers as that takes move, one after the other, each from
 * the node with the most too many to the node with the most to spare, so that small nodes serve
 * fewer appranks and degrees of appranks stay. Homes do not move.
 *
 * *graph is replaced where anything moves (its note says so), a function of its arguments alone.
 * Fails, and leaves it as it is, where there are not enough cores.
 */
int graph_fit(struct graph **graph, const int32_t *cores, struct lb_error *err) LB_MUST_CHECK;

#endif
