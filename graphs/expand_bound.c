/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/expand_impl.h"

/*
 * The bound. Let each live apprank that misses nodes share one unit among them as it likes, and let
 * a node's demand be the sum of what it gets. Appranks that t more nodes make full have all they
 * miss, and so their whole unit, among the t: there are at most as many of them as the t greatest
 * demands add up to. This holds for any shares; the evener the demands, the less the sum.
 *
 * The demands that are as even as can be (each apprank fills up the least demanded of its nodes,
 * like water, until no one would change) have the least sum for every t at once: demands are the
 * points of a base polyhedron, which has a least majorised one (Fujishige, Submodular Functions and
 * Optimization, section 9; Megiddo 1974), and that sum is the linear programme's. A few rounds of
 * filling come close; a child starts from its parent's shares.
 */
enum { ROUND_MAX = 4, FILL_MAX = 32, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* By a digit of their demands, the greatest first; nodes alike in it stay as they are. */
static void sort_by_digit(const int32_t *demand, int32_t n, int shift, const int32_t *from,
                          int32_t *to)
{
        int32_t first[DIGITS + 1] = { 0 };
        for (int32_t i = 0; i < n; i++)
                first[DIGITS - (demand[from[i]] >> shift) % DIGITS]++;
        for (int32_t d = 1; d <= DIGITS; d++)
                first[d] += first[d - 1];
        for (int32_t i = 0; i < n; i++)
                to[first[DIGITS - 1 - (demand[from[i]] >> shift) % DIGITS]++] = from[i];
}

static void sort_by_digits(struct tree *tree)
{
        int32_t n = tree->graph->nnode, most = 0;
        for (int32_t i = 0; i < n; i++)
                most = tree->demand[i] > most ? tree->demand[i] : most;
        for (int shift = 0; shift < 31 && most >> shift > 0; shift += DIGIT_BITS) {
                int32_t *sorted = tree->spare;
                sort_by_digit(tree->demand, n, shift, tree->sorted, sorted);
                tree->spare = tree->sorted;
                tree->sorted = sorted;
        }
}

/* Nodes by falling demand. On small graphs little moves between two calls. */
static void sort_nodes(struct tree *tree)
{
        if (tree->graph->nnode >= DIGITS) {
                sort_by_digits(tree);
                return;
        }
        int32_t *sorted = tree->sorted;
        const int32_t *demand = tree->demand;
        for (int32_t i = 1; i < tree->graph->nnode; i++) {
                int32_t node = sorted[i], j = i;
                for (; j > 0 && demand[sorted[j - 1]] < demand[node]; j--)
                        sorted[j] = sorted[j - 1];
                sorted[j] = node;
        }
}

static bool demands_allow(struct tree *tree)
{
        sort_nodes(tree);
        int64_t sum = 0;
        for (int32_t t = 0; tree_beats(tree, tree->nin + t, tree->size_max); t++) {
                if (tree_beats(tree, tree->nin + t, tree->nfull + (int32_t)(sum / SHARE_UNIT)))
                        return true;
                if (t == tree->graph->nnode || tree->demand[tree->sorted[t]] == 0)
                        return false;
                sum += tree->demand[tree->sorted[t]];
        }
        return false;
}

/* The edges to the nodes an apprank misses, by rising demand without its own share. */
static int32_t collect_missed(struct tree *tree, int32_t apprank, int32_t *edge)
{
        const struct graph *graph = tree->graph;
        int32_t count = 0;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1];
             e++) {
                int32_t node = graph->edge_node[e], j = count;
                if (tree->decision[node] != UNDECIDED)
                        continue;
                tree->demand[node] -= tree->share[e];
                for (; j > 0 && tree->demand[graph->edge_node[edge[j - 1]]] > tree->demand[node];
                     j--)
                        edge[j] = edge[j - 1];
                edge[j] = e;
                count++;
        }
        return count;
}

/* Share an apprank's unit anew, up to one level. */
static void fill(struct tree *tree, int32_t apprank)
{
        int32_t edge[FILL_MAX];
        int32_t count = collect_missed(tree, apprank, edge);
        const int32_t *node = tree->graph->edge_node;
        int64_t volume = SHARE_UNIT;
        int32_t wet = 0;
        do
                volume += tree->demand[node[edge[wet++]]];
        while (wet < count && volume > (int64_t)wet * tree->demand[node[edge[wet]]]);

        int32_t level = (int32_t)(volume / wet), more = (int32_t)(volume % wet);
        for (int32_t i = 0; i < count; i++) {
                int32_t *demand = &tree->demand[node[edge[i]]];
                tree->share[edge[i]] = i < wet ? level + (i < more) - *demand : 0;
                *demand += tree->share[edge[i]];
        }
}

static void fill_all(struct tree *tree)
{
        for (int32_t a = 0; a < tree->graph->napprank; a++)
                if (!tree->dead[a] && tree->missing[a] > 1 && tree->missing[a] <= FILL_MAX)
                        fill(tree, a);
}

bool tree_can_beat(struct tree *tree)
{
        bool can = demands_allow(tree);
        for (int32_t round = 0; round < ROUND_MAX && can; round++) {
                fill_all(tree);
                can = demands_allow(tree);
        }
        return can;
}
