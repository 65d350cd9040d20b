/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graphs/expand.h"

/*
 * Local search for sets of appranks with few nodes. From several starts, a set grows by the apprank
 * that adds fewest nodes until it is as large as allowed; then appranks are exchanged, the member
 * with most nodes of its own against the apprank that adds fewest, neither of which has just moved.
 * The best ratio seen on the way is kept.
 *
 * Appranks that are alike in what counts for their choice stand in one set of bits, so that a
 * choice looks at words, not at all appranks.
 */
struct cover {
        const struct graph *graph;
        int32_t size_max;
        int32_t size, nnode; /* |A|, |N(A)| */
        bool *member;        /* [napprank] */
        int32_t *nmember;    /* [nnode] members adjacent to the node */
        int32_t *fresh;      /* [napprank] adjacent nodes without a member */
        int32_t *lone;       /* [napprank] adjacent nodes with one member */
        int32_t *moved;      /* [napprank] the step of the last move, or less than any */
        int32_t ncost, nword;
        uint64_t *alike; /* [outside, members][ncost][nword] by fresh and by lone nodes */
        int32_t *nalike; /* [outside, members][ncost] */
        bool *best;      /* [napprank] */
        int32_t best_size, best_nnode;
        struct lb_random random;
};

enum {
        STARTS_MAX = 32,
        EXCHANGES_MIN = 200,
        REST = 7,          /* steps that a moved apprank stays where it is */
        LOOK_MAX = 8192,   /* appranks to choose the next from, in large graphs */
        EFFORT = 40000000, /* appranks to look at in all, if that is enough for one start */
};

static void cover_finish(struct cover *cover)
{
        free(cover->member);
        free(cover->nmember);
        free(cover->fresh);
        free(cover->lone);
        free(cover->moved);
        free(cover->alike);
        free(cover->nalike);
        free(cover->best);
}

static int cover_init(struct cover *cover, const struct graph *graph, struct lb_error *err)
{
        size_t napprank = (size_t)graph->napprank;
        *cover = (struct cover){ .graph = graph, .nword = (graph->napprank + 63) / 64 };
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t degree = graph->apprank_first[a + 1] - graph->apprank_first[a];
                cover->ncost = degree + 1 > cover->ncost ? degree + 1 : cover->ncost;
        }
        size_t nset = 2 * (size_t)cover->ncost;
        cover->alike = calloc(nset * (size_t)cover->nword, sizeof(*cover->alike));
        cover->nalike = calloc(nset, sizeof(*cover->nalike));
        cover->member = calloc(napprank, sizeof(bool));
        cover->nmember = calloc((size_t)graph->nnode, sizeof(int32_t));
        cover->fresh = calloc(napprank, sizeof(int32_t));
        cover->lone = calloc(napprank, sizeof(int32_t));
        cover->moved = calloc(napprank, sizeof(int32_t));
        cover->best = calloc(napprank, sizeof(bool));
        if (cover->member && cover->nmember && cover->fresh && cover->lone && cover->moved &&
            cover->best && cover->alike && cover->nalike)
                return 0;
        cover_finish(cover);
        return lb_error_fail(err, "out of memory for judging a graph of %d appranks",
                             graph->napprank);
}

static int32_t set_of(const struct cover *cover, int32_t apprank)
{
        return cover->member[apprank] ? cover->ncost + cover->lone[apprank] : cover->fresh[apprank];
}

/* Into the set that it belongs to, or out of it before that changes. */
static void turn(struct cover *cover, int32_t apprank, int32_t count)
{
        int32_t set = set_of(cover, apprank);
        size_t word = (size_t)set * (size_t)cover->nword + (size_t)apprank / 64;
        cover->alike[word] ^= UINT64_C(1) << (apprank % 64);
        cover->nalike[set] += count;
}

static void cover_clear(struct cover *cover)
{
        const struct graph *graph = cover->graph;
        size_t nset = 2 * (size_t)cover->ncost;
        memset(cover->alike, 0, nset * (size_t)cover->nword * sizeof(*cover->alike));
        memset(cover->nalike, 0, nset * sizeof(*cover->nalike));
        cover->size = cover->nnode = 0;
        memset(cover->nmember, 0, (size_t)graph->nnode * sizeof(int32_t));
        for (int32_t a = 0; a < graph->napprank; a++) {
                cover->member[a] = false;
                cover->fresh[a] = graph->apprank_first[a + 1] - graph->apprank_first[a];
                cover->lone[a] = 0;
                cover->moved[a] = -REST;
                turn(cover, a, 1);
        }
}

/* The appranks of a node have `fresh` more nodes without, and `lone` more with one member. */
static void tell_appranks(struct cover *cover, int32_t node, int32_t fresh, int32_t lone)
{
        const struct graph *graph = cover->graph;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t apprank = graph->edge_apprank[graph->node_edge[i]];
                turn(cover, apprank, -1);
                cover->fresh[apprank] += fresh;
                cover->lone[apprank] += lone;
                turn(cover, apprank, 1);
        }
}

static void join(struct cover *cover, int32_t apprank, bool member)
{
        turn(cover, apprank, -1);
        cover->member[apprank] = member;
        turn(cover, apprank, 1);
}

static void add(struct cover *cover, int32_t apprank)
{
        const struct graph *graph = cover->graph;
        join(cover, apprank, true);
        cover->size++;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1];
             e++) {
                int32_t node = graph->edge_node[e];
                int32_t before = cover->nmember[node]++;
                if (before == 0) {
                        cover->nnode++;
                        tell_appranks(cover, node, -1, 1);
                } else if (before == 1) {
                        tell_appranks(cover, node, 0, -1);
                }
        }
}

static void drop(struct cover *cover, int32_t apprank)
{
        const struct graph *graph = cover->graph;
        join(cover, apprank, false);
        cover->size--;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1];
             e++) {
                int32_t node = graph->edge_node[e];
                int32_t after = --cover->nmember[node];
                if (after == 0) {
                        cover->nnode--;
                        tell_appranks(cover, node, 1, -1);
                } else if (after == 1) {
                        tell_appranks(cover, node, 0, 1);
                }
        }
}

static void keep_best(struct cover *cover)
{
        if (cover->best_size > 0 &&
            (int64_t)cover->nnode * cover->best_size >= (int64_t)cover->best_nnode * cover->size)
                return;
        cover->best_size = cover->size;
        cover->best_nnode = cover->nnode;
        memcpy(cover->best, cover->member, (size_t)cover->graph->napprank * sizeof(bool));
}

/* The first apprank of a set in from .. end-1 that has not just moved, or -1. */
static int32_t first_of(const struct cover *cover, int32_t set, int32_t from, int32_t end,
                        int32_t step)
{
        const uint64_t *alike = &cover->alike[(size_t)set * (size_t)cover->nword];
        uint64_t mask = ~UINT64_C(0) << (from % 64);
        for (int32_t word = from / 64; word * 64 < end; word++, mask = ~UINT64_C(0))
                for (uint64_t left = alike[word] & mask; left; left &= left - 1) {
                        int32_t apprank = word * 64 + __builtin_ctzll(left);
                        if (apprank >= end)
                                return -1;
                        if (step - cover->moved[apprank] >= REST)
                                return apprank;
                }
        return -1;
}

/* Of those at start .. start + look - 1, around the end, the best by its set, then the first. */
static int32_t pick_near(const struct cover *cover, bool dropping, int32_t step, int32_t start,
                         int32_t look)
{
        int32_t napprank = cover->graph->napprank, ncost = cover->ncost;
        int32_t end = start + look < napprank ? start + look : napprank;
        int32_t apprank = -1;
        for (int32_t cost = 0; cost < ncost && apprank < 0; cost++) {
                int32_t set = dropping ? 2 * ncost - 1 - cost : cost;
                if (cover->nalike[set] == 0)
                        continue;
                apprank = first_of(cover, set, start, end, step);
                if (apprank < 0 && start + look > napprank)
                        apprank = first_of(cover, set, 0, start + look - napprank, step);
        }
        return apprank;
}

/* The apprank outside that adds fewest nodes, or (drop) the member with most of its own; from a
 * random place on. Where none of LOOK_MAX may be chosen, the first of those behind that may. */
static int32_t pick(struct cover *cover, bool dropping, int32_t step)
{
        int32_t napprank = cover->graph->napprank;
        int32_t start = (int32_t)lb_random_below(&cover->random, (uint64_t)napprank);
        int32_t look = napprank < LOOK_MAX ? napprank : LOOK_MAX;
        int32_t best = pick_near(cover, dropping, step, start, look);
        for (int32_t i = look; i < napprank && best < 0; i++)
                best = pick_near(cover, dropping, step, (start + i) % napprank, 1);
        return best;
}

static void grow(struct cover *cover)
{
        while (cover->size < cover->size_max) {
                int32_t apprank = pick(cover, false, 0);
                if (apprank < 0)
                        return;
                add(cover, apprank);
                keep_best(cover);
        }
}

static void exchange(struct cover *cover, int32_t nstep)
{
        for (int32_t step = 0; step < nstep && cover->size > 1; step++) {
                int32_t out = pick(cover, true, step);
                if (out < 0)
                        return;
                drop(cover, out);
                cover->moved[out] = step;
                keep_best(cover);
                int32_t in = pick(cover, false, step);
                if (in < 0)
                        return;
                add(cover, in);
                cover->moved[in] = step;
                keep_best(cover);
        }
}

static int collect(const struct cover *cover, struct expansion *out, struct lb_error *err)
{
        *out = (struct expansion){ .nnode = cover->best_nnode, .low_nnode = 1 };
        out->low_size = cover->size_max;
        out->set = malloc((size_t)cover->best_size * sizeof(*out->set));
        if (!out->set)
                return lb_error_fail(err, "out of memory for a set of %d appranks",
                                     cover->best_size);
        for (int32_t a = 0; a < cover->graph->napprank; a++)
                if (cover->best[a])
                        out->set[out->size++] = a;
        return 0;
}

int expansion_guess(const struct graph *graph, int32_t size_max, struct expansion *out,
                    struct lb_error *err)
{
        struct cover cover;
        if (cover_init(&cover, graph, err))
                return -1;
        cover.size_max = size_max;
        lb_random_init(&cover.random, 0, LB_RANDOM_GRAPH, UINT64_MAX);
        /* A start is size_max + 2 nstep choices; large graphs get one long one. */
        int64_t look = graph->napprank < LOOK_MAX ? graph->napprank : LOOK_MAX;
        int64_t nstep = EFFORT / 2 / look;
        nstep = nstep < 4 * (int64_t)size_max ? nstep : 4 * (int64_t)size_max;
        nstep = nstep > EXCHANGES_MIN ? nstep : EXCHANGES_MIN;
        int64_t nstart = EFFORT / (look * (size_max + 2 * nstep));
        for (int64_t start = 0; start == 0 || (start < nstart && start < STARTS_MAX); start++) {
                cover_clear(&cover);
                grow(&cover);
                exchange(&cover, (int32_t)nstep);
        }
        int failed = collect(&cover, out, err);
        cover_finish(&cover);
        return failed;
}
