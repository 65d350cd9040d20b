/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Needs at home first, then by the network to helpers. Cores that nobody needs lie with the first
 * apprank at home on their node, from where the network may take them: it never sees a node with
 * homes less than full.
 */
#include "policies/solve_impl.h"

static int32_t at_most(int64_t wanted, int32_t limit)
{
        return wanted < limit ? (int32_t)wanted : limit;
}

/* Give a node's spare cores to the appranks at home there: what they need, then the rest to the
 * first. */
static void fill_node(struct solve *s, int32_t node)
{
        const struct lb_shape *shape = s->shape;
        int32_t spare = s->spare[node], first = -1;
        for (int32_t i = shape->node_first[node]; i < shape->node_first[node + 1]; i++) {
                int32_t w = shape->node_worker[i], a = shape->worker_apprank[w];
                s->extra[w] = 0;
                if (!shape->worker_home[w])
                        continue;
                if (first < 0)
                        first = w;
                int64_t missing = s->need[a] - s->least[a] - s->have[a];
                s->extra[w] = at_most(missing > 0 ? missing : 0, spare);
                s->have[a] += s->extra[w];
                spare -= s->extra[w];
        }
        if (first < 0)
                return;
        s->extra[first] += spare;
        s->have[shape->worker_apprank[first]] += spare;
}

void home_fill(struct solve *s)
{
        for (int32_t a = 0; a < s->shape->napprank; a++)
                s->have[a] = 0;
        for (int32_t n = 0; n < s->shape->nnode; n++)
                fill_node(s, n);
}

static void add_worker_edges(struct solve *s, bool priced)
{
        const struct lb_shape *shape = s->shape;
        for (int32_t w = 0; w < shape->nworker; w++) {
                struct flow_edge edge = {
                        .tail = shape->worker_apprank[w],
                        .head = shape->napprank + shape->worker_node[w],
                        .cost = priced && !shape->worker_home[w],
                        .forward = FLOW_PLENTY,
                        .backward = s->extra[w],
                };
                s->edge[w] = flow_add(&s->flow, edge);
        }
}

/* What an apprank lacks is excess; it may have more than it needs, and what it has so far of that
 * may go, or (`exact`) is to go. */
static void add_apprank(struct solve *s, int32_t apprank, bool exact)
{
        const struct lb_shape *shape = s->shape;
        int32_t root = shape->napprank + shape->nnode;
        int64_t surplus = s->least[apprank] - s->need[apprank];
        for (int32_t w = shape->apprank_first[apprank]; w < shape->apprank_first[apprank + 1]; w++)
                surplus += s->extra[w];
        struct flow_edge edge = { root, apprank, .forward = FLOW_PLENTY };
        if (surplus > 0 && !exact) {
                edge.backward = surplus;
                surplus = 0;
        }
        flow_add(&s->flow, edge);
        s->flow.excess[apprank] -= surplus;
        s->flow.excess[root] += surplus;
}

/* A node with homes is to be full; another may have what is left over. What a route that failed
 * left on its way is more than a node has, and goes on from there. */
static void add_node(struct solve *s, int32_t n, int32_t root)
{
        const struct lb_shape *shape = s->shape;
        struct flow *flow = &s->flow;
        int32_t left = s->spare[n];
        for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++)
                left -= s->extra[shape->node_worker[i]];
        if (!s->homed[n]) {
                int32_t open = left > 0 ? left : 0;
                flow_add(flow, (struct flow_edge){ shape->napprank + n, root, .forward = open,
                                                   .backward = s->spare[n] - open });
                left -= open;
        }
        flow->excess[shape->napprank + n] -= left;
        flow->excess[root] += left;
}

void home_network(struct solve *s, bool priced, bool exact)
{
        const struct lb_shape *shape = s->shape;
        int32_t root = shape->napprank + shape->nnode;
        flow_begin(&s->flow, root + 1);
        add_worker_edges(s, priced);
        for (int32_t a = 0; a < shape->napprank; a++)
                add_apprank(s, a, exact);
        for (int32_t n = 0; n < shape->nnode; n++)
                add_node(s, n, root);
}

int32_t home_apprank_edge(const struct solve *s, int32_t apprank)
{
        return s->shape->nworker + apprank;
}

void home_take_routed(struct solve *s)
{
        for (int32_t w = 0; w < s->shape->nworker; w++)
                s->extra[w] += (int32_t)flow_sent(&s->flow, s->edge[w]);
}

int64_t home_route(struct solve *s)
{
        int64_t missing = flow_route(&s->flow);
        home_take_routed(s);
        return missing;
}

void home_take_present(struct solve *s)
{
        const struct lb_shape *shape = s->shape;
        for (int32_t n = 0; n < shape->nnode; n++) {
                int32_t spare = s->spare[n];
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++) {
                        int32_t w = shape->node_worker[i], owned = s->instance->owned_cores[w];
                        s->extra[w] = at_most(owned > 1 ? owned - 1 : 0, spare);
                        spare -= s->extra[w];
                }
        }
}

/* From the present ownership where that was the optimum of other needs; else anew. */
void home_settle(struct solve *s)
{
        bool warm = s->instance->owned_cores != NULL;
        if (warm) {
                home_take_present(s);
                home_network(s, true, true);
                warm = flow_price(&s->flow);
        }
        if (!warm) {
                home_fill(s);
                home_network(s, true, false);
                flow_price_zero(&s->flow);
        }
        home_route(s);
        int32_t *price = s->price;
        s->price = s->flow.price;
        s->flow.price = price;
}
