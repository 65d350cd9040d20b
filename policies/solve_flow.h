/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SOLVE_FLOW_H
#define LB_POLICIES_SOLVE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/solve_arena.h"

/*
 * Minimum-cost flow on small-integer costs (private to this room): send what vertices have too much
 * to those that have too little, over edges with room, at least total cost.
 *
 * - Primal-dual: new prices from distances, then a maximum flow over the edges that are tight.
 * - All costs are -1, 0 or 1, so a cheapest simple path costs less than the number of vertices, and
 *   buckets suffice for a queue.
 * - Memory comes from an arena; nothing is allocated here. Order of edges decides ties: same
 *   network, same flow.
 */

/* Room for more than any flow, and still far from overflow. */
#define FLOW_PLENTY (INT64_MAX / 4)

struct flow_edge {
        int32_t tail, head;
        int32_t cost;              /* per unit from tail to head; 0 or 1 */
        int32_t arc;               /* place of its forward arc, once built */
        int64_t forward, backward; /* how much the flow may grow and shrink */
};

/* How much an arc may still carry. */
struct flow_room {
        int64_t amount;
        int32_t back; /* the same edge, the other way */
};

/* What is looked at again and again is small and by itself. */
struct flow_arc {
        int32_t head;
        int16_t cost;
        uint8_t flags; /* of enum flow_arc_flags */
};

enum flow_arc_flags {
        FLOW_OPEN = 1,      /* it has room */
        FLOW_OPEN_BACK = 2, /* the same edge has room the other way */
        FLOW_TIGHT = 4,     /* its cost is what the prices are apart */
};

struct flow {
        int32_t nvertex, nedge;
        bool priced;            /* any edge has a cost */
        struct flow_edge *edge; /* [nedge] in the order of flow_add() */
        int64_t *excess;        /* [nvertex] too much > 0, too little < 0; sums to 0 */
        int32_t *price;       /* [nvertex] all edges with room cost >= price[head] - price[tail] */
        int32_t *level;       /* [nvertex] steps to a deficit */
        int32_t *distance;    /* [nvertex] */
        int32_t *current;     /* [nvertex] next arc to try */
        int32_t *queue;       /* [nvertex + 1] */
        int32_t *before;      /* [nvertex] */
        int32_t *bucket;      /* [2 nvertex + 1] */
        int32_t *first;       /* [nvertex + 1] */
        struct flow_arc *arc; /* [2 nedge] by tail */
        struct flow_room *room; /* [2 nedge] of each arc */
};

/* Take the arrays of networks of at most these sizes. */
void flow_lay_out(struct flow *flow, struct arena *arena, int32_t nvertex, int32_t nedge);

/* Start a network without edges; all excess is 0. */
void flow_begin(struct flow *flow, int32_t nvertex);

/* Add an edge; returns its number. */
int32_t flow_add(struct flow *flow, struct flow_edge edge);

/*
 * Close the network, and set the prices to start from: zeros, for a network where no edge with room
 * has a negative cost; or such as leave no negative cost. flow_price() gives up (false) where there
 * seem to be none, that is a cycle of negative cost.
 */
void flow_price_zero(struct flow *flow);
bool flow_price(struct flow *flow);

/*
 * Change a network that is closed, also one that excess was routed in: let the flow of an edge
 * shrink by `by` more; add as much to the excess of a vertex, and take it from that of another.
 */
void flow_widen_back(struct flow *flow, int32_t edge, int64_t by);
void flow_ask(struct flow *flow, int32_t to, int32_t from, int64_t by);

/*
 * Route all excess, at least cost. Returns what could not be routed; where that is not 0,
 * flow_reached() tells the cut that is in the way: no edge with room leaves the reached vertices.
 */
int64_t flow_route(struct flow *flow);
bool flow_reached(const struct flow *flow, int32_t vertex);

/* Units sent through an edge, net, since it was added. */
int64_t flow_sent(const struct flow *flow, int32_t edge);

#endif
