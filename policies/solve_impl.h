/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SOLVE_IMPL_H
#define LB_POLICIES_SOLVE_IMPL_H

#include "policies/solve.h"
#include "policies/solve_flow.h"

/*
 * The exact solver's inside (private to solve*.c). All cores are counted beyond the one (or none)
 * that every worker has at least: "extra" of a worker, "spare" of a node. Cores flow round:
 *
 *           need - least                extra                  spare
 *   root ------------------> apprank ----------> node ------------------> root
 *         or more: surplus          one per worker    all of it where an
 *                                                     apprank is at home
 */

/* An objective: so much load on so many cores. Compared exactly, see solve_ratio.c. */
struct ratio {
        double load;
        int64_t cores;
};

struct solve {
        const struct solve_instance *instance;
        const struct lb_shape *shape;
        struct ratio objective;          /* no allocation is better than this ... */
        int32_t cut_appranks, cut_nodes; /* ... since these appranks have just these nodes */
        double *load;   /* [napprank] scaled by a power of two, so that products are exact */
        int64_t *least; /* [napprank] what its workers have at least */
        int64_t *need;  /* [napprank] cores needed for the objective, >= least */
        int64_t *have;  /* [napprank] cores beyond `least` */
        int32_t *set;   /* [napprank] some appranks: a cut, or those at home on a node */
        int32_t *heap;  /* [napprank] */
        int32_t *spare; /* [nnode] */
        int32_t *extra; /* [nworker] */
        int32_t *edge;  /* [nworker] edge of the present network, or -1 */
        int32_t *price; /* [napprank + nnode + 1] of the fewest cores off home */
        bool *settled;  /* [napprank] need[] is final; see solve_next.c */
        int32_t *tied;  /* [napprank] */
        int32_t *kept;  /* [nworker] */
        bool *homed;    /* [nnode] is any apprank at home here? */
        bool *apprank_in_cut, *node_in_cut; /* [napprank], [nnode] see solve_cut() */
        struct flow flow;
};

/* solve_ratio.c: the smallest objective that a sum of cores allows. */

/* Copy the loads, scaled; returns the largest, 0 where there is no load at all. */
double ratio_scale(struct solve *solve);

/* -1, 0, 1 as a is below, at or above b. */
int ratio_compare(struct ratio a, struct ratio b);

/* The fewest cores that hold a load at the ratio; 0 for no load. */
int64_t ratio_need(struct ratio ratio, double load);

/*
 * The smallest ratio at which the appranks set[count] together need at most `total` cores, each at
 * least floor[apprank]; fills need[] of the set. total >= the sum of the floors; some load > 0.
 */
struct ratio ratio_fit(struct solve *solve, int32_t count, const int64_t *floor, int64_t total);

/*
 * The smallest ratio above `from` at which the appranks set[count] need `fewer` cores fewer than
 * need[] says, which holds for `from`; updates need[] of the set.
 */
struct ratio ratio_raise(struct solve *solve, int32_t count, const int64_t *floor, int64_t fewer,
                         struct ratio from);

/* solve_level.c: the least objective. */

/* Fills need[] of all who are not settled, some of them with a load, and extra[], which is to be an
 * allocation to start from. */
void level_find(struct solve *solve);

/* Which cut forbids a smaller one, by the network that level_find() left; extra[] and need[] stay.
 */
void level_cut(struct solve *solve);

/* solve_next.c: from the least objective on to the next worst apprank, and so on; fills need[]. */
void next_find(struct solve *solve);

/* solve_home.c: the network of needs and spare cores, homes first. */

/* Fill extra[] with the needs at home as far as they fit; no node with a home has a core left. */
void home_fill(struct solve *solve);

/* Fill extra[] with the cores that workers have now, as far as their node has so many. */
void home_take_present(struct solve *solve);

/*
 * The network that starts from extra[]: an edge for every worker (of cost 1 for helpers where
 * `priced`), the appranks' missing cores as excess, the nodes' as deficits.
 */
void home_network(struct solve *solve, bool priced, bool exact);

/* Its edge from the root to an apprank: the flow over it is what the apprank has. */
int32_t home_apprank_edge(const struct solve *solve, int32_t apprank);

/* Bring extra[] up to date with what was routed, once for a network. */
void home_take_routed(struct solve *solve);

/* Route, and bring extra[] up to date; returns the cores that cannot be had. */
int64_t home_route(struct solve *solve);

/* The fewest cores off home that meet need[]: fills extra[] and price[]. */
void home_settle(struct solve *solve);

/* solve_share.c: who gets the cores that nobody needs. */

/* Among the allocations that the prices show to be as good: the fewest cores moved. */
void share_least_moved(struct solve *solve);

/* To the apprank at home with the highest load per core. */
void share_by_load(struct solve *solve);

#endif
