/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/expand.h"

#include <stdlib.h>
#include <string.h>

/*
 * Branch and bound over sets of nodes. Let c(S) be the number of appranks whose nodes all are in S;
 * then
 *
 *   min { |N(A)| / |A| : 1 <= |A| <= K }  =  min { |S| / min(c(S), K) : c(S) >= 1 },
 *
 * since A = N^-1(S), cut to K appranks, has N(A) within S, and S = N(A) contains A. There are far
 * fewer sets of nodes than of appranks with several appranks per node, and the bound is better,
 * too.
 *
 * A vertex of the tree has decided for some nodes whether they are in S. An apprank is dead when
 * one of its nodes is out; a live one is missing as many nodes as are undecided. Bound: with t more
 * nodes, each of which can serve as many live appranks as are adjacent to it, at most the t largest
 * of these numbers can be spent, and an apprank that misses r nodes costs r: take the cheapest. If
 * for no t the ratio gets below the best known one, nothing is to be found here.
 *
 * The undecided node with most live appranks is decided next, out first: that kills most.
 */
struct tree {
        const struct graph *graph;
        int32_t size_max;
        int64_t left;                  /* budget */
        int32_t best_nnode, best_size; /* the ratio to beat */
        bool found;                    /* beaten, by: */
        bool *best;                    /* [nnode] S */

        int32_t ndecided, nin;
        int32_t *order;       /* [nnode], the decided ones first */
        bool *in;             /* [nnode] */
        int32_t *live_degree; /* [nnode] live appranks adjacent, of undecided nodes */
        int32_t nlive;
        bool *dead;        /* [napprank] */
        int32_t *missing;  /* [napprank] undecided nodes, of live appranks */
        int32_t *nmissing; /* [degree + 1] how many live appranks miss so many */
        int32_t *killed;   /* [napprank] stack of dead appranks, for going back */
        int32_t nkilled;
        int32_t node_degree_max;
        int32_t *degree_count; /* [node_degree_max + 1] scratch of the bound */
};

enum { TREE_NODE_MAX = 1024 }; /* beyond, a proof is out of reach, and recursion would be deep */

static void tree_finish(struct tree *tree)
{
        free(tree->best);
        free(tree->order);
        free(tree->in);
        free(tree->live_degree);
        free(tree->dead);
        free(tree->missing);
        free(tree->nmissing);
        free(tree->killed);
        free(tree->degree_count);
}

static void tree_fill(struct tree *tree)
{
        const struct graph *graph = tree->graph;
        for (int32_t n = 0; n < graph->nnode; n++) {
                tree->order[n] = n;
                tree->live_degree[n] = graph_node_degree(graph, n);
        }
        for (int32_t a = 0; a < graph->napprank; a++) {
                tree->missing[a] = graph->apprank_first[a + 1] - graph->apprank_first[a];
                tree->nmissing[tree->missing[a]]++;
        }
        tree->nlive = graph->napprank;
}

static int tree_init(struct tree *tree, const struct graph *graph, struct lb_error *err)
{
        size_t napprank = (size_t)graph->napprank, nnode = (size_t)graph->nnode;
        *tree = (struct tree){ .graph = graph };
        for (int32_t n = 0; n < graph->nnode; n++)
                if (graph_node_degree(graph, n) > tree->node_degree_max)
                        tree->node_degree_max = graph_node_degree(graph, n);
        tree->best = calloc(nnode, sizeof(bool));
        tree->order = calloc(nnode, sizeof(int32_t));
        tree->in = calloc(nnode, sizeof(bool));
        tree->live_degree = calloc(nnode, sizeof(int32_t));
        tree->dead = calloc(napprank, sizeof(bool));
        tree->missing = calloc(napprank, sizeof(int32_t));
        tree->nmissing = calloc((size_t)graph->degree + 1, sizeof(int32_t));
        tree->killed = calloc(napprank, sizeof(int32_t));
        tree->degree_count = calloc((size_t)tree->node_degree_max + 1, sizeof(int32_t));
        if (!tree->best || !tree->order || !tree->in || !tree->live_degree || !tree->dead ||
            !tree->missing || !tree->nmissing || !tree->killed || !tree->degree_count) {
                tree_finish(tree);
                return lb_error_fail(err, "out of memory for judging a graph of %d appranks",
                                     graph->napprank);
        }
        tree_fill(tree);
        return 0;
}

/* Is nnode / min(size, size_max) below the best ratio known? */
static bool beats(const struct tree *tree, int32_t nnode, int32_t size)
{
        int64_t cut = size < tree->size_max ? size : tree->size_max;
        return (int64_t)nnode * tree->best_size < (int64_t)tree->best_nnode * cut;
}

/* How many undecided nodes have so many live appranks. */
static void count_live_degrees(struct tree *tree)
{
        memset(tree->degree_count, 0,
               ((size_t)tree->node_degree_max + 1) * sizeof(*tree->degree_count));
        for (int32_t i = tree->ndecided; i < tree->graph->nnode; i++)
                tree->degree_count[tree->live_degree[tree->order[i]]]++;
}

/* The bound of the top comment: can any set below this vertex of the tree beat the best? */
static bool can_beat(struct tree *tree)
{
        int32_t size = tree->nmissing[0]; /* live appranks that miss nothing, or can be paid for */
        int32_t miss = 0, nmiss = 0; /* the price now being paid, and how many are left at it */
        int64_t purse = 0;
        int32_t live_degree = tree->node_degree_max;

        count_live_degrees(tree);
        for (int32_t nin = tree->nin; beats(tree, nin, tree->size_max); nin++) {
                if (beats(tree, nin, size))
                        return true;
                while (live_degree > 0 && tree->degree_count[live_degree] == 0)
                        live_degree--;
                if (live_degree == 0 || size == tree->nlive)
                        return false;
                tree->degree_count[live_degree]--;
                purse += live_degree;
                while (size < tree->nlive) {
                        while (nmiss == 0)
                                nmiss = tree->nmissing[++miss];
                        if (purse < miss)
                                break;
                        int32_t paid = purse / miss < nmiss ? (int32_t)(purse / miss) : nmiss;
                        size += paid;
                        nmiss -= paid;
                        purse -= (int64_t)paid * miss;
                }
        }
        return false;
}

/* Move the undecided node with most live appranks to the front of the undecided ones. */
static int32_t decide_next(struct tree *tree)
{
        int32_t *order = tree->order;
        int32_t at = tree->ndecided;
        for (int32_t i = at + 1; i < tree->graph->nnode; i++)
                if (tree->live_degree[order[i]] > tree->live_degree[order[at]])
                        at = i;
        int32_t node = order[at];
        order[at] = order[tree->ndecided];
        order[tree->ndecided++] = node;
        return node;
}

static void kill_apprank(struct tree *tree, int32_t apprank)
{
        const struct graph *graph = tree->graph;
        tree->dead[apprank] = true;
        tree->nlive--;
        tree->nmissing[tree->missing[apprank]]--;
        tree->killed[tree->nkilled++] = apprank;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1]; e++)
                tree->live_degree[graph->edge_node[e]]--;
}

static void revive_last(struct tree *tree)
{
        const struct graph *graph = tree->graph;
        int32_t apprank = tree->killed[--tree->nkilled];
        tree->dead[apprank] = false;
        tree->nlive++;
        tree->nmissing[tree->missing[apprank]]++;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1]; e++)
                tree->live_degree[graph->edge_node[e]]++;
}

static void put_out(struct tree *tree, int32_t node)
{
        const struct graph *graph = tree->graph;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t apprank = graph->edge_apprank[graph->node_edge[i]];
                if (!tree->dead[apprank])
                        kill_apprank(tree, apprank);
        }
}

/* Put a node in (by = -1: its live appranks miss one less) or take it back (by = 1). */
static void put_in(struct tree *tree, int32_t node, int32_t by)
{
        const struct graph *graph = tree->graph;
        tree->in[node] = by < 0;
        tree->nin -= by;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t apprank = graph->edge_apprank[graph->node_edge[i]];
                if (tree->dead[apprank])
                        continue;
                tree->nmissing[tree->missing[apprank]]--;
                tree->missing[apprank] += by;
                tree->nmissing[tree->missing[apprank]]++;
        }
}

static void keep_best(struct tree *tree)
{
        int32_t size = tree->nmissing[0];
        if (size == 0 || !beats(tree, tree->nin, size))
                return;
        tree->best_nnode = tree->nin;
        tree->best_size = size < tree->size_max ? size : tree->size_max;
        tree->found = true;
        memcpy(tree->best, tree->in, (size_t)tree->graph->nnode * sizeof(bool));
}

static void search(struct tree *tree)
{
        if (tree->left <= 0)
                return;
        tree->left--;
        keep_best(tree);
        if (tree->ndecided == tree->graph->nnode || !can_beat(tree))
                return;

        int32_t nkilled = tree->nkilled;
        int32_t node = decide_next(tree);
        put_out(tree, node);
        search(tree);
        while (tree->nkilled > nkilled)
                revive_last(tree);
        put_in(tree, node, -1);
        search(tree);
        put_in(tree, node, 1);
        tree->ndecided--;
}

/* The first size_max appranks that have all their nodes in S. */
static int collect(const struct tree *tree, struct expansion *out, struct lb_error *err)
{
        const struct graph *graph = tree->graph;
        int32_t *set = malloc((size_t)tree->best_size * sizeof(*set));
        if (!set)
                return lb_error_fail(err, "out of memory for a set of %d appranks",
                                     tree->best_size);
        int32_t size = 0;
        for (int32_t a = 0; a < graph->napprank && size < tree->best_size; a++) {
                int32_t e = graph->apprank_first[a];
                while (e < graph->apprank_first[a + 1] && tree->best[graph->edge_node[e]])
                        e++;
                if (e == graph->apprank_first[a + 1])
                        set[size++] = a;
        }
        free(out->set);
        out->set = set;
        out->size = size;
        out->nnode = tree->best_nnode;
        return 0;
}

int expansion_improve(const struct graph *graph, int32_t size_max, int64_t budget,
                      struct expansion *expansion, struct lb_error *err)
{
        if (graph->nnode > TREE_NODE_MAX)
                return 0;
        struct tree tree;
        if (tree_init(&tree, graph, err))
                return -1;
        tree.size_max = size_max;
        tree.left = budget;
        tree.best_nnode = expansion->nnode;
        tree.best_size = expansion->size;
        search(&tree);
        int failed = tree.found ? collect(&tree, expansion, err) : 0;
        expansion->exact = tree.left > 0;
        tree_finish(&tree);
        return failed;
}

void expansion_finish(struct expansion *expansion)
{
        free(expansion->set);
        *expansion = (struct expansion){ 0 };
}
