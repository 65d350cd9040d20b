/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_SEARCH_H
#define LB_GRAPHS_SEARCH_H

#include "graphs/graph.h"

/* Finding good graphs, and keeping them. Links GPL libraries: for the programs only. */

/* Any method of graph_spec, GRAPH_METHOD_BEST included: the best judged of spec->trials graphs. */
struct graph *graph_search(const struct graph_spec *spec, struct lb_error *err);

/*
 * The graph of a spec from the cache, made with graph_search() and stored there on first use
 * (papers/ompss2-cluster-dlb 5.2: "each graph is stored ... only created once"). A cache that cannot
 * be written is no error; a stored graph that does not fit its name is one.
 */
struct graph *graph_obtain(const struct graph_spec *spec, struct lb_error *err);

#endif
