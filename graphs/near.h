/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_NEAR_H
#define LB_GRAPHS_NEAR_H

#include "graphs/graph.h"

/*
 * Graphs that follow the machine: the same expansion, with helpers near their apprank's home. Links
 * GPL libraries: for the programs only; not thread-safe.
 */
struct distances {
        int32_t nnode;
        double *between; /* [nnode][nnode] from home to helper, at least 0; any unit */
};

/* Nodes in groups of nodes_per_switch, the first ones on the first switch: distance 1 within a
 * group, 2 across (as many switches are passed as make a difference). */
int distances_of_switches(int32_t nnode, int32_t nodes_per_switch, struct distances *out,
                          struct lb_error *err) LB_MUST_CHECK;

/* A CSV file with a header of node names and a row of distances per node, in the same order. */
int distances_read(const char *file, int32_t nnode, struct distances *out,
                   struct lb_error *err) LB_MUST_CHECK;
void distances_finish(struct distances *distances);

/* The mean over helper edges of the distance from home to helper; 0 where there are none. */
double near_mean(const struct graph *graph, const struct distances *distances);

/*
 * A graph like the given one whose helpers are nearer, in two steps:
 *
 * - Nodes are renamed, with the appranks at home there (simulated annealing). The graph is the same
 *   but for names, so nothing that judges it changes.
 * - Pairs of appranks exchange a helper each where that brings them nearer and it is proven, within
 *   a bounded search, that the isoperimetric number is no less. Large graphs, for which that cannot
 *   be proven soon, keep what the renaming gave.
 *
 * Degrees stay. A function of its arguments alone.
 */
struct graph *near_arrange(const struct graph *graph, const struct distances *distances,
                           uint64_t seed, struct lb_error *err);

#endif
