/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_SYMMETRY_H
#define LB_GRAPHS_SYMMETRY_H

#include "graphs/graph.h"

/*
 * Symmetries of a graph: ways to rename its nodes so that, with the appranks renamed to match, it
 * is the same graph; home edges count like the others. A set of nodes and its image have the same
 * appranks within, so one of them need be looked at.
 */
struct symmetry {
        int32_t nnode;
        int32_t count;     /* not counting the one that renames nothing */
        int32_t *image_of; /* [count][nnode] */
};

/* Some symmetries, `count_max` at most (all of them, where there are no more). */
int symmetry_create(const struct graph *graph, int32_t count_max, struct symmetry *out,
                    struct lb_error *err) LB_MUST_CHECK;
void symmetry_finish(struct symmetry *symmetry);

#endif
