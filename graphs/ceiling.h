/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_CEILING_H
#define LB_GRAPHS_CEILING_H

#include "graphs/ratio.h"

/*
 * What no biregular graph of a size can exceed: an upper bound of the isoperimetric number, so that
 * a graph that reaches it is the best possible. napprank is a multiple of nnode, and
 * 1 <= degree <= nnode.
 *
 * Some sets of appranks are small in any graph, as they can be built step by step, each step the
 * best of an average:
 *
 * - Among the appranks not in A, one adds at most the average of new nodes, rounded down. One that
 *   shares a node with A adds at most degree - 1; if none does, A is a component, and then the
 *   number is at most nnode / napprank, less than any bound.
 * - The same from the other side: nodes T that A must miss are added one by one, each taking the
 *   fewest appranks from A.
 */
struct ratio ceiling_of(int32_t napprank, int32_t nnode, int32_t degree);

#endif
