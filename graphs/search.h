/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_SEARCH_H
#define LB_GRAPHS_SEARCH_H

#include <stddef.h>

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

/*
 * The graph of a spec from the cache, made with graph_search() and stored there on first use
 * (papers/ompss2-cluster-dlb 5.2: "each graph is stored ... only created once"). A cache that
 * cannot be written is no error; a stored graph that does not fit its name is one. Processes may do
 * so at the same time: a file appears whole, and any of them makes the same. Degree 1 and the
 * complete graph have nothing to keep and are made anew; those of the catalogue are kept there.
 */
struct graph *graph_obtain(const struct graph_spec *spec, struct lb_error *err);

/*
 * The cache's file name of a spec, without the directory: "graph-v2-32x16-d3-best-s1-t20.json",
 * and "-w8" after that for 8 nodes per switch. The version changes when the same spec would give
 * another graph.
 */
void graph_cache_name(const struct graph_spec *spec, char *name, size_t size);

#endif
