/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_JUDGE_H
#define LB_GRAPHS_JUDGE_H

#include "graphs/graph.h"

/*
 * How good a graph is. Links igraph and GSL (GPL): for the programs only.
 *
 * Vertex isoperimetric number (papers/ompss2-cluster-dlb 5.2): the minimum of |N(A)| / |A| over all
 * non-empty sets A of at most half the appranks. With k appranks per node no graph can exceed 1 at
 * |A| = napprank/2, so it is also given times k (`scaled`).
 */
struct graph_judgement {
        double isoperimetric; /* exact, or the value of the best set found (an upper bound) */
        double isoperimetric_lower; /* a proven lower bound; equal to the above when exact */
        bool exact;
        double scaled; /* isoperimetric * napprank / nnode */
        int32_t set_size; /* |A| of the minimising set */
        int32_t *set; /* [set_size] appranks; freed by graph_judgement_finish() */
        double second_singular; /* second singular value of the biadjacency matrix over the first */
        double worst_load; /* greatest imbalance (max/mean of apprank loads, cores equal) it can always balance */
        bool connected;
};

/* Judge; budget = most sets (or search-tree vertices) to look at before the value is only a bound, 0 = default. */
int graph_judge(const struct graph *graph, int64_t budget, struct graph_judgement *out,
                struct lb_error *err) LB_MUST_CHECK;
void graph_judgement_finish(struct graph_judgement *judgement);

/* Draw or export by the ending of `file`: .svg (grid and bipartite view, as Figure 4), .dot, .graphml, .json. */
int graph_export(const struct graph *graph, const struct graph_spec *spec, const char *file,
                 struct lb_error *err) LB_MUST_CHECK;

#endif
