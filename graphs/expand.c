/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/expand.h"

#include <stdlib.h>
#include <string.h>

#include "graphs/expand_impl.h"

/*
 * Branch and bound over sets of nodes. Let c(S) be the number of appranks whose nodes all are in S;
 * then
 *
 *   min { |N(A)| / |A| : 1 <= |A| <= K }  =  min { |S| / min(c(S), K) : c(S) >= 1 },
 *
 * since A = N^-1(S), cut to K appranks, has N(A) within S, and S = N(A) contains A. There are far
 * fewer sets of nodes than of appranks with several appranks per node.
 *
 * A vertex of the tree has decided for some nodes whether they are in S. The undecided node with
 * most live appranks is decided next, those that miss most first, and out before in: that kills
 * most. Nothing is looked at below a vertex whose bound (expand_bound.c) says that the ratio cannot
 * be beaten there, or that is the image, by a symmetry of the graph, of what was searched before
 * ("symmetry breaking by dominance detection", Fahle, Schamberger and Sellmann 2001).
 */
enum {
        TREE_NODE_MAX = 1024, /* beyond, a proof is out of reach, and recursion would be deep */
        STAGES = 6,           /* of a lower bound: halvings of what is open */
        FINENESS = 64,        /* a ratio to beat is a multiple of 1 / (this * size_max) */
};

/* How many nodes the live appranks of a node miss. */
static int32_t missing_around(const struct tree *tree, int32_t node)
{
        const struct graph *graph = tree->graph;
        int32_t sum = 0;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t apprank = graph->edge_apprank[graph->node_edge[i]];
                sum += tree->dead[apprank] ? 0 : tree->missing[apprank];
        }
        return sum;
}

static int32_t choose_node(const struct tree *tree)
{
        int32_t best = -1, best_missing = 0;
        for (int32_t n = 0; n < tree->graph->nnode; n++) {
                if (tree->decision[n] != UNDECIDED)
                        continue;
                int32_t more = best < 0 ? 1 : tree->live_degree[n] - tree->live_degree[best];
                if (more < 0)
                        continue;
                int32_t missing = missing_around(tree, n);
                if (more == 0 && missing <= best_missing)
                        continue;
                best = n;
                best_missing = missing;
        }
        return best;
}

static void keep_best(struct tree *tree)
{
        if (tree->nfull == 0 || !tree_beats(tree, tree->nin, tree->nfull))
                return;
        tree->bar_nnode = tree->nin;
        tree->bar_size = tree->nfull < tree->size_max ? tree->nfull : tree->size_max;
        tree->found = true;
        for (int32_t n = 0; n < tree->graph->nnode; n++)
                tree->best[n] = tree->decision[n] == INSIDE;
}

static void search(struct tree *tree)
{
        if (tree->left <= 0)
                return;
        tree->left--;
        keep_best(tree);
        if (tree->ndecided == tree->graph->nnode || tree_is_image(tree) || !tree_can_beat(tree))
                return;

        int32_t node = choose_node(tree), nkilled = tree->nkilled;
        tree_put_out(tree, node);
        search(tree);
        tree_undo_out(tree, node, nkilled);

        tree_remember(tree, node);
        tree_put_in(tree, node);
        search(tree);
        tree_undo_in(tree, node);
        tree_forget(tree);
}

/* The first size_max appranks that have all their nodes in S. */
static int collect(const struct tree *tree, struct expansion *out, struct lb_error *err)
{
        const struct graph *graph = tree->graph;
        int32_t *set = malloc((size_t)tree->bar_size * sizeof(*set));
        if (!set)
                return lb_error_fail(err, "out of memory for a set of %d appranks", tree->bar_size);
        int32_t size = 0;
        for (int32_t a = 0; a < graph->napprank && size < tree->bar_size; a++) {
                int32_t e = graph->apprank_first[a];
                while (e < graph->apprank_first[a + 1] && tree->best[graph->edge_node[e]])
                        e++;
                if (e == graph->apprank_first[a + 1])
                        set[size++] = a;
        }
        free(out->set);
        out->set = set;
        out->size = size;
        out->nnode = tree->bar_nnode;
        return 0;
}

/* Look for sets that beat a ratio, at `budget` vertices at most, and take the best. Returns 1 when
 * all were looked at, 0 when not, -1 on failure. */
static int search_below(struct tree *tree, int64_t nnode, int64_t size, int64_t budget,
                        struct expansion *expansion, struct lb_error *err)
{
        tree->found = false;
        tree->bar_nnode = (int32_t)nnode;
        tree->bar_size = (int32_t)size;
        tree->left = budget;
        search(tree);
        if (tree->found && collect(tree, expansion, err))
                return -1;
        return tree->left > 0;
}

/* Find the greatest ratio that no set beats, between the proven one and the best set's, by halving;
 * a set that beats a ratio becomes the best set, and where all were looked at, it is the best. */
static int raise_bound(struct tree *tree, int64_t budget, struct expansion *expansion,
                       struct lb_error *err)
{
        int64_t unit = (int64_t)FINENESS * tree->size_max;
        int64_t high = expansion->nnode * unit / expansion->size;
        for (int stage = 0; stage < STAGES && !expansion->exact; stage++) {
                int64_t low = expansion->low_nnode * unit / expansion->low_size;
                int64_t middle = low + (high - low) / 2;
                if (middle <= low)
                        return 0;
                int done = search_below(tree, middle, unit, budget, expansion, err);
                if (done < 0)
                        return -1;
                expansion->exact = done && tree->found;
                if (!done) {
                        high = middle;
                } else if (!tree->found) {
                        expansion->low_nnode = (int32_t)middle;
                        expansion->low_size = (int32_t)unit;
                }
        }
        return 0;
}

static int improve(struct tree *tree, int64_t budget, bool bound, struct expansion *expansion,
                   struct lb_error *err)
{
        int done = search_below(tree, expansion->nnode, expansion->size, budget, expansion, err);
        if (done < 0)
                return -1;
        expansion->exact = done;
        if (!expansion->exact && bound && raise_bound(tree, budget / STAGES, expansion, err))
                return -1;
        if (!expansion->exact)
                return 0;
        expansion->low_nnode = expansion->nnode;
        expansion->low_size = expansion->size;
        return 0;
}

int expansion_improve(const struct graph *graph, int32_t size_max, int64_t budget, bool bound,
                      struct expansion *expansion, struct lb_error *err)
{
        if (graph->nnode > TREE_NODE_MAX)
                return 0;
        struct tree tree;
        if (tree_init(&tree, graph, err))
                return -1;
        tree.size_max = size_max;
        int failed = improve(&tree, budget, bound, expansion, err);
        tree_finish(&tree);
        return failed;
}

void expansion_finish(struct expansion *expansion)
{
        free(expansion->set);
        *expansion = (struct expansion){ 0 };
}
