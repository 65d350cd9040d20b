/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_SPECTRUM_H
#define LB_GRAPHS_SPECTRUM_H

#include "graphs/expand.h"

/* What the spectrum of a graph says about its sets. */

struct spectrum {
        double second_singular; /* as in struct graph_judgement */
        bool complete;          /* all singular values were computed; else an estimate from below */
};

int spectrum_compute(const struct graph *graph, struct spectrum *out,
                     struct lb_error *err) LB_MUST_CHECK;

/*
 * A lower bound of |N(A)| / |A| over sets of 1 .. size_max appranks, as the fraction *nnode /
 * *size.
 *
 * - From the spectrum (Tanner 1984, here with unequal degrees), where it is complete. Let vol(X) be
 *   the sum of degrees, E all edges, p = vol(A)/E, s the second singular value, and e(n) the number
 *   of edges between A and node n. Cauchy's inequality on vol(A) = sum over N(A) of
 *   sqrt(deg n) * (e(n) / sqrt(deg n)) and the singular value decomposition give
 *     vol(A)^2 <= vol(N(A)) * vol(A) * (p + s^2 (1 - p)).
 * - From counting: vol(N(A)) >= vol(A), and N(A) contains the home nodes of A.
 */
int spectrum_bound(const struct graph *graph, const struct spectrum *spectrum, int32_t size_max,
                   int32_t *nnode, int32_t *size, struct lb_error *err) LB_MUST_CHECK;

#endif
