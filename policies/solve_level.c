/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least objective. From a lower bound (what all cores together allow, what each apprank's own
 * nodes allow) a maximum flow says whether the needs fit. Where they do not, the vertices that
 * missing cores reach are a set of appranks that needs more than its nodes have (Hall); the
 * objective rises to the smallest one at which that set fits, and the flow is asked again. Every
 * step is a lower bound, so the first that fits is the optimum (Newton's method on cuts).
 */
#include <string.h>

#include "policies/solve_impl.h"

/* A settled apprank may have any multiple of the objective: its need is not asked. */
static void fill_needs(struct solve *s)
{
        for (int32_t a = 0; a < s->shape->napprank; a++) {
                if (s->settled[a])
                        continue;
                int64_t need = ratio_need(s->objective, s->load[a]);
                s->need[a] = need > s->least[a] ? need : s->least[a];
        }
}

/* No apprank can have more cores than its nodes can spare. */
static void bound_by_reach(struct solve *s)
{
        const struct lb_shape *shape = s->shape;
        for (int32_t a = 0; a < shape->napprank; a++) {
                int64_t reach = s->least[a];
                for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1]; w++)
                        reach += s->spare[shape->worker_node[w]];
                struct ratio bound = { s->load[a], reach };
                if (!s->settled[a] && ratio_compare(bound, s->objective) > 0)
                        s->objective = bound;
        }
}

static void bound_by_sum(struct solve *s)
{
        int64_t total = 0;
        int32_t count = 0;
        for (int32_t n = 0; n < s->shape->nnode; n++)
                total += s->spare[n];
        for (int32_t a = 0; a < s->shape->napprank; a++) {
                total += s->least[a];
                if (s->settled[a])
                        total -= s->need[a];
                else
                        s->set[count++] = a;
        }
        s->objective = ratio_fit(s, count, s->least, total);
}

/* The appranks on the near side of the cut that stopped the flow, but for settled ones. */
static int32_t collect_cut(struct solve *s)
{
        int32_t count = 0;
        for (int32_t a = 0; a < s->shape->napprank; a++)
                if (flow_reached(&s->flow, a) && !s->settled[a])
                        s->set[count++] = a;
        return count;
}

/*
 * To the smallest objective at which the appranks of the cut fit. The network stays: what an
 * apprank then needs less is surplus, which may go back to the root.
 */
static void raise_objective(struct solve *s, int64_t missing)
{
        int64_t *asked = s->have;
        memcpy(asked, s->need, (size_t)s->shape->napprank * sizeof(*asked));
        int32_t count = collect_cut(s);
        s->objective = ratio_raise(s, count, s->least, missing, s->objective);
        fill_needs(s);
        for (int32_t a = 0; a < s->shape->napprank; a++)
                flow_widen_back(&s->flow, home_apprank_edge(s, a), asked[a] - s->need[a]);
}

void level_find(struct solve *s)
{
        bound_by_sum(s);
        bound_by_reach(s);
        fill_needs(s);
        home_network(s, false, false);
        flow_price_zero(&s->flow);
        for (int64_t missing; (missing = flow_route(&s->flow)) > 0;)
                raise_objective(s, missing);
        home_take_routed(s);
}

static void mark_cut(struct solve *s)
{
        s->cut_appranks = collect_cut(s);
        for (int32_t i = 0; i < s->cut_appranks; i++)
                s->apprank_in_cut[s->set[i]] = true;
        for (int32_t n = 0; n < s->shape->nnode; n++) {
                s->node_in_cut[n] = flow_reached(&s->flow, s->shape->napprank + n);
                s->cut_nodes += s->node_in_cut[n];
        }
}

/* Let every apprank that is just at the objective ask for one core more, and see what stops that.
 */
void level_cut(struct solve *s)
{
        int32_t root = s->shape->napprank + s->shape->nnode;
        for (int32_t a = 0; a < s->shape->napprank; a++) {
                struct ratio own = { s->load[a], s->need[a] };
                if (ratio_compare(own, s->objective) == 0)
                        flow_ask(&s->flow, a, root, 1);
        }
        if (flow_route(&s->flow) > 0)
                mark_cut(s);
}
