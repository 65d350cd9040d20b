/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_DRAW_H
#define LB_GRAPHS_DRAW_H

#include <stdio.h>

#include "graphs/graph.h"

/*
 * Draw a graph as SVG, as ICPP'22 Figure 4 does: on the left the grid of nodes
 * and appranks, home squares black and helper squares grey; on the right the bipartite view, home
 * edges thicker.
 */
enum { DRAW_APPRANK_MAX = 1024 };
void draw_svg(FILE *out, const struct graph *graph);

#endif
