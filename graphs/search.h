/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_SEARCH_H
#define LB_GRAPHS_SEARCH_H

#include "graphs/graph.h"

/* Finding good graphs, and keeping them. Links GPL libraries: for the programs only; not
 * thread-safe. */

/*
 * Any method of graph_spec, GRAPH_METHOD_BEST included: of spec->trials graphs, in turn circulant,
 * greedy and random, the one with the greatest isoperimetric number (exact for small graphs, else
 * that of the best set found), then the smallest second singular value, then the first. A function
 * of the spec alone. GRAPH_METHOD_CATALOGUE is looked up (graphs/catalogue.h): a size that is not
 * there is an error.
 */
struct graph *graph_search(const struct graph_spec *spec, struct lb_error *err);

/* Is there nothing to choose: degree 1, and the complete graph? */
bool graph_is_unique(const struct graph_spec *spec);

#endif
