/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "graphs/expand_impl.h"

void tree_finish(struct tree *tree)
{
        free(tree->best);
        free(tree->decision);
        free(tree->live_degree);
        free(tree->dead);
        free(tree->missing);
        free(tree->killed);
        free(tree->share);
        free(tree->demand);
        free(tree->sorted);
        free(tree->spare);
        free(tree->searched);
        free(tree->out);
        free(tree->in);
        symmetry_finish(&tree->symmetry);
}

/* Nothing decided; each apprank shares evenly. */
static void tree_fill(struct tree *tree)
{
        const struct graph *graph = tree->graph;
        for (int32_t n = 0; n < graph->nnode; n++) {
                tree->sorted[n] = n;
                tree->live_degree[n] = graph_node_degree(graph, n);
        }
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t first = graph->apprank_first[a];
                int32_t degree = graph->apprank_first[a + 1] - first;
                tree->missing[a] = degree;
                for (int32_t i = 0; i < degree; i++) {
                        int32_t share = SHARE_UNIT / degree + (i < SHARE_UNIT % degree);
                        tree->share[first + i] = share;
                        tree->demand[graph->edge_node[first + i]] += share;
                }
        }
        tree->nlive = graph->napprank;
}

int tree_init(struct tree *tree, const struct graph *graph, struct lb_error *err)
{
        size_t napprank = (size_t)graph->napprank, nnode = (size_t)graph->nnode;
        *tree = (struct tree){ .graph = graph, .nword = (graph->nnode + 63) / 64 };
        if (symmetry_create(graph, SYMMETRY_MAX, &tree->symmetry, err))
                return -1;
        size_t nword = (size_t)tree->nword, nimage = (size_t)tree->symmetry.count;
        tree->best = calloc(nnode, sizeof(bool));
        tree->decision = calloc(nnode, sizeof(*tree->decision));
        tree->live_degree = calloc(nnode, sizeof(int32_t));
        tree->dead = calloc(napprank, sizeof(bool));
        tree->missing = calloc(napprank, sizeof(int32_t));
        tree->killed = calloc(napprank, sizeof(int32_t));
        tree->share = calloc((size_t)graph->nedge, sizeof(int32_t));
        tree->demand = calloc(nnode, sizeof(int32_t));
        tree->sorted = calloc(nnode, sizeof(int32_t));
        tree->spare = calloc(nnode, sizeof(int32_t));
        tree->searched = calloc(SEARCHED_MAX * (nimage + 1) * 2 * nword, sizeof(uint64_t));
        tree->out = calloc(nword, sizeof(uint64_t));
        tree->in = calloc(nword, sizeof(uint64_t));
        if (!tree->best || !tree->decision || !tree->live_degree || !tree->dead || !tree->missing ||
            !tree->killed || !tree->share || !tree->demand || !tree->sorted || !tree->spare ||
            !tree->searched || !tree->out || !tree->in) {
                tree_finish(tree);
                return lb_error_fail(err, "out of memory for judging a graph of %d appranks",
                                     graph->napprank);
        }
        tree_fill(tree);
        return 0;
}

/* ---- Decisions ---- */

/* A dead apprank demands nothing (by = -1); by = 1 takes that back. */
static void add_demand(struct tree *tree, int32_t apprank, int32_t by)
{
        const struct graph *graph = tree->graph;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1];
             e++) {
                int32_t node = graph->edge_node[e];
                tree->live_degree[node] += by;
                if (tree->decision[node] == UNDECIDED)
                        tree->demand[node] += by * tree->share[e];
        }
        tree->nlive += by;
}

void tree_put_out(struct tree *tree, int32_t node)
{
        const struct graph *graph = tree->graph;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t apprank = graph->edge_apprank[graph->node_edge[i]];
                if (tree->dead[apprank])
                        continue;
                tree->dead[apprank] = true;
                tree->killed[tree->nkilled++] = apprank;
                add_demand(tree, apprank, -1);
        }
        tree->decision[node] = OUTSIDE;
        tree->out[node / 64] |= (uint64_t)1 << (node % 64);
        tree->ndecided++;
}

void tree_undo_out(struct tree *tree, int32_t node, int32_t nkilled_before)
{
        tree->decision[node] = UNDECIDED;
        tree->out[node / 64] &= ~((uint64_t)1 << (node % 64));
        tree->ndecided--;
        while (tree->nkilled > nkilled_before) {
                int32_t apprank = tree->killed[--tree->nkilled];
                tree->dead[apprank] = false;
                add_demand(tree, apprank, 1);
        }
}

/* The undecided node of an apprank with least demand, as an edge. */
static int32_t least_demanded(const struct tree *tree, int32_t apprank)
{
        const struct graph *graph = tree->graph;
        int32_t best = -1;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1];
             e++) {
                int32_t node = graph->edge_node[e];
                if (tree->decision[node] == UNDECIDED &&
                    (best < 0 || tree->demand[node] < tree->demand[graph->edge_node[best]]))
                        best = e;
        }
        return best;
}

void tree_put_in(struct tree *tree, int32_t node)
{
        const struct graph *graph = tree->graph;
        tree->decision[node] = INSIDE;
        tree->in[node / 64] |= (uint64_t)1 << (node % 64);
        tree->ndecided++;
        tree->nin++;
        tree->demand[node] = 0;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t edge = graph->node_edge[i], apprank = graph->edge_apprank[edge];
                if (tree->dead[apprank])
                        continue;
                if (--tree->missing[apprank] == 0) {
                        tree->nfull++;
                } else {
                        int32_t other = least_demanded(tree, apprank);
                        tree->share[other] += tree->share[edge];
                        tree->demand[graph->edge_node[other]] += tree->share[edge];
                }
                tree->share[edge] = 0;
        }
}

/* Shares stay where they have gone: they are still those of nodes that the apprank misses. */
void tree_undo_in(struct tree *tree, int32_t node)
{
        const struct graph *graph = tree->graph;
        tree->decision[node] = UNDECIDED;
        tree->in[node / 64] &= ~((uint64_t)1 << (node % 64));
        tree->ndecided--;
        tree->nin--;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t edge = graph->node_edge[i], apprank = graph->edge_apprank[edge];
                if (tree->dead[apprank])
                        continue;
                if (tree->missing[apprank]++ == 0) {
                        tree->nfull--;
                        tree->share[edge] = SHARE_UNIT;
                        tree->demand[node] += SHARE_UNIT;
                }
        }
}

/* ---- What was searched ---- */

static uint64_t *images(const struct tree *tree, int32_t which)
{
        return tree->searched +
               (size_t)which * (size_t)tree->symmetry.count * 2 * (size_t)tree->nword;
}

static void write_image(const struct tree *tree, const int32_t *image_of, int32_t node,
                        uint64_t *image)
{
        memset(image, 0, 2 * (size_t)tree->nword * sizeof(*image));
        for (int32_t n = 0; n < tree->graph->nnode; n++) {
                if (tree->decision[n] == UNDECIDED && n != node)
                        continue;
                int32_t to = image_of[n];
                uint64_t *set = tree->decision[n] == INSIDE ? image + tree->nword : image;
                set[to / 64] |= (uint64_t)1 << (to % 64);
        }
}

void tree_remember(struct tree *tree, int32_t node)
{
        if (tree->nsearched++ >= SEARCHED_MAX)
                return;
        uint64_t *image = images(tree, tree->nsearched - 1);
        const int32_t *image_of = tree->symmetry.image_of;
        for (int32_t k = 0; k < tree->symmetry.count; k++) {
                write_image(tree, image_of, node, image);
                image += 2 * tree->nword;
                image_of += tree->graph->nnode;
        }
}

void tree_forget(struct tree *tree)
{
        tree->nsearched--;
}

static bool is_within(const uint64_t *part, const uint64_t *whole, int32_t nword)
{
        for (int32_t i = 0; i < nword; i++)
                if (part[i] & ~whole[i])
                        return false;
        return true;
}

bool tree_is_image(const struct tree *tree)
{
        int32_t nword = tree->nword;
        int32_t nsearched = tree->nsearched < SEARCHED_MAX ? tree->nsearched : SEARCHED_MAX;
        const uint64_t *end = images(tree, nsearched);
        for (const uint64_t *image = tree->searched; image < end; image += 2 * nword)
                if (is_within(image, tree->out, nword) && is_within(image + nword, tree->in, nword))
                        return true;
        return false;
}
