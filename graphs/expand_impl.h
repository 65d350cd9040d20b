/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_EXPAND_IMPL_H
#define LB_GRAPHS_EXPAND_IMPL_H

#include "graphs/symmetry.h"

/*
 * Private to expand*.c: a vertex of the search tree, that is, nodes decided to be in or out of S.
 *
 * - An apprank is dead when one of its nodes is out, else live; a live one misses its undecided
 *   nodes, and is full when it misses none.
 * - A live apprank that is not full has SHARE_UNIT to share among the nodes it misses:
 *   share[edge], and demand[node] is the sum over live appranks. (expand_bound.c says why.)
 */
enum { SHARE_UNIT = 1 << 14 };

enum decision { UNDECIDED = 0, INSIDE, OUTSIDE };

struct tree {
        const struct graph *graph;
        int32_t size_max;
        int64_t left;                /* vertices that may still be looked at */
        int32_t bar_nnode, bar_size; /* the ratio to beat */
        bool found;                  /* beaten, by: */
        bool *best;                  /* [nnode] S */

        enum decision *decision; /* [nnode] */
        int32_t ndecided, nin;
        int32_t *live_degree; /* [nnode] live appranks adjacent */
        int32_t nlive, nfull;
        bool *dead;       /* [napprank] */
        int32_t *missing; /* [napprank] undecided nodes */
        int32_t *killed;  /* [napprank] stack of dead appranks, for going back */
        int32_t nkilled;
        int32_t *share;  /* [nedge] */
        int32_t *demand; /* [nnode], 0 where decided */
        int32_t *sorted; /* [nnode] all nodes, by falling demand whenever the bound was taken */
        int32_t *spare;  /* [nnode] for sorting them */

        /* What was searched already, as sets of nodes out and in, and their images. */
        struct symmetry symmetry;
        int32_t nword;      /* 64-bit words of a set of nodes */
        int32_t nsearched;  /* on the way from the root */
        uint64_t *searched; /* [SEARCHED_MAX][symmetry.count][out, in][nword] */
        uint64_t *out, *in; /* [nword] decided at this vertex */
};

enum { SEARCHED_MAX = 32, SYMMETRY_MAX = 512 };

int tree_init(struct tree *tree, const struct graph *graph, struct lb_error *err) LB_MUST_CHECK;
void tree_finish(struct tree *tree);

/* Decide for an undecided node, and take the last decision back. */
void tree_put_out(struct tree *tree, int32_t node);
void tree_undo_out(struct tree *tree, int32_t node, int32_t nkilled_before);
void tree_put_in(struct tree *tree, int32_t node);
void tree_undo_in(struct tree *tree, int32_t node);

/* Is nnode / min(size, size_max) below the ratio to beat? */
static inline bool tree_beats(const struct tree *tree, int32_t nnode, int32_t size)
{
        int64_t cut = size < tree->size_max ? size : tree->size_max;
        return (int64_t)nnode * tree->bar_size < (int64_t)tree->bar_nnode * cut;
}

/* Can a set below this vertex beat the ratio? False is a proof that none can. */
bool tree_can_beat(struct tree *tree);

/* Remember that all with `node` out, beside what is decided, was searched; and forget the last. */
void tree_remember(struct tree *tree, int32_t node);
void tree_forget(struct tree *tree);

/* Is all below this vertex the image of something searched already? */
bool tree_is_image(const struct tree *tree);

#endif
