/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_LIFT_H
#define LB_GRAPHS_LIFT_H

#include "graphs/graph.h"

/*
 * Graphs that are mapped onto themselves by adding `period` to every node (modulo the nodes), with
 * appranks moving along with their homes: random otherwise, and biregular. Known as lifts of a
 * small graph, or quasi-cyclic. Period 1 is a circulant, period nnode any graph; between them lie
 * graphs that expand as well as random ones, whose symmetry makes them easy to certify.
 *
 * nnode is a multiple of the period, napprank of nnode. A function of its arguments. NULL, with a
 * message, where the random choices never fit.
 */
struct graph *lift_create(const struct graph_spec *spec, int32_t period, struct lb_error *err);

/*
 * The graph whose first `period` nodes' appranks have the helpers node[period * napprank /
 * nnode][degree] (home first), and the others follow.
 */
struct graph *lift_expand(const struct graph_spec *spec, int32_t period, const int32_t *node,
                          struct lb_error *err);

#endif
