/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_LIBRARY_H
#define LB_GRAPHS_LIBRARY_H

#include <igraph.h>

#include "base/error.h"
#include "graphs/graph.h"

/*
 * The one place where igraph's and GSL's handlers, which end the program on an error, are turned
 * off. Every public function of the room that uses either calls this first; calling again is fine.
 */
void library_quiet(void);

/* Fill err with what igraph says of an error code. Returns -1. */
int library_error(struct lb_error *err, const char *what, igraph_error_t code);

/* The graph as igraph's, edge by edge: appranks first, then nodes. To be destroyed by the caller.
 */
igraph_error_t library_graph(const struct graph *graph, igraph_t *out);

#endif
