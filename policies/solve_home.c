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

int64_t home_network(struct solve *s, bool priced)
{
        const struct lb_shape *shape = s->shape;
        struct flow *flow = &s->flow;
        int32_t root = shape->napprank + shape->nnode;
        for (int32_t a = 0; a < shape->napprank; a++)
                s->have[a] = 0;
        for (int32_t n = 0; n < shape->nnode; n++)
                fill_node(s, n);
        flow_begin(flow, root + 1);
        add_worker_edges(s, priced);
        for (int32_t a = 0; a < shape->napprank; a++) {
                int64_t surplus = s->least[a] + s->have[a] - s->need[a];
                if (surplus < 0)
                        flow->excess[a] = -surplus;
                else
                        flow_add(flow, (struct flow_edge){ a, root, .forward = surplus });
                flow->excess[root] -= flow->excess[a];
        }
        for (int32_t n = 0; n < shape->nnode; n++) {
                struct flow_edge edge = { shape->napprank + n, root, .forward = s->spare[n] };
                if (!s->homed[n])
                        flow_add(flow, edge);
        }
        return -flow->excess[root];
}

void home_settle(struct solve *s)
{
        home_network(s, true);
        flow_route(&s->flow);
        for (int32_t w = 0; w < s->shape->nworker; w++)
                s->extra[w] += (int32_t)flow_sent(&s->flow, s->edge[w]);
}
