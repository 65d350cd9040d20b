/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_JUDGE_H
#define LB_GRAPHS_JUDGE_H

#include "graphs/graph.h"

/*
 * How good a graph is. Links igraph and GSL (GPL): for the programs only. Not thread-safe, as
 * igraph is not, and turns off the handlers of igraph and GSL, which end the program on an error.
 *
 * Vertex isoperimetric number (ICPP'22 5.2): the minimum of |N(A)| / |A| over all
 * non-empty sets A of at most half the appranks (of one, where there is only one), N(A) being the
 * nodes adjacent to A. With k appranks per node no graph can exceed 1 at |A| = napprank/2, so it is
 * also given times k (`scaled`). It is a promise about loads: with an even number of appranks and
 * equal nodes, loads of imbalance 2 or less can always be spread to a node imbalance of at most
 * 2 / scaled, and some cannot be spread better.
 *
 * Worst load: the greatest I such that all apprank loads with max / mean <= I can be spread over
 * nodes of equal capacity with none above the mean. By Hall's theorem, loads w with mean 1 can be
 * spread if and only if sum of w over A <= |N(A)| * napprank / nnode for every set A. The most that
 * A can carry is min(|A| * I, napprank), so only sets that miss a node constrain I, and
 *
 *   worst load = napprank / nnode * min { |N(A)| / |A| : A not empty, N(A) not all nodes },
 *
 * over all sizes of A; where no set misses a node (a complete graph) it is napprank, all load on
 * one. It is a strict measure: all appranks that are not adjacent to some one node, equally loaded,
 * leave that node idle, so it is at most napprank * (nnode-1) / (nnode * (napprank - node degree)).
 */
struct graph_judgement {
        double isoperimetric;       /* exact, or the value of the best set found (an upper bound) */
        double isoperimetric_lower; /* a proven lower bound; equal to the above when exact */
        int32_t lower_nnode, lower_size; /* the same as a fraction */
        bool exact;
        double scaled;     /* isoperimetric * napprank / nnode */
        int32_t set_nnode; /* |N(A)| of the minimising set */
        int32_t set_size;  /* |A| of the minimising set */
        int32_t *set;      /* [set_size] appranks, ascending; freed by graph_judgement_finish() */
        /*
         * Second singular value of the biadjacency matrix with rows and columns divided by the
         * square roots of their degrees: of a biregular graph, the second over the first singular
         * value.
         */
        double second_singular;
        double worst_load;
        bool worst_load_exact; /* else an upper bound: the graph is large */
        bool connected;
};

/*
 * Judge a graph. budget: most vertices of the search tree to look at before the isoperimetric
 * number is only bounded, 0 for a default that takes a second or two at most.
 */
int graph_judge(const struct graph *graph, int64_t budget, struct graph_judgement *out,
                struct lb_error *err) LB_MUST_CHECK;
void graph_judgement_finish(struct graph_judgement *judgement);

/*
 * Draw or export by the ending of `file`: .svg (grid and bipartite view, as Figure 4), .dot,
 * .graphml, .json. A drawing has at most 1024 appranks. spec may be NULL.
 */
int graph_export(const struct graph *graph, const struct graph_spec *spec, const char *file,
                 struct lb_error *err) LB_MUST_CHECK;

/* Has `file` an ending that graph_export() knows? To say so before any work is done. */
int graph_export_check(const char *file, struct lb_error *err) LB_MUST_CHECK;

/* The versions of the libraries that this room uses, "0.10.4": constants. */
struct graph_libraries {
        const char *gsl, *igraph;
};
struct graph_libraries graph_libraries(void);

#endif
