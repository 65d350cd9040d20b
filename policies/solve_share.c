/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who gets the cores that nobody needs, and which of the equally good allocations is taken.
 *
 * Every allocation with as few cores off home satisfies complementary slackness with the prices
 * that home_settle() found, and all that do are as good: a worker whose edge is dearer than the
 * prices allow has just its least, an apprank priced below the root just what it needs, a node
 * without homes priced below the root is full, one above it empty. Within these limits a second
 * flow starts from the present ownership and repairs what does not add up, at a cost of one per
 * core gained.
 */
#include "policies/solve_impl.h"

static int32_t root_of(const struct solve *s)
{
        return s->shape->napprank + s->shape->nnode;
}

static bool worker_free(const struct solve *s, int32_t w)
{
        const int32_t *price = s->price;
        int32_t apprank = s->shape->worker_apprank[w];
        int32_t node = s->shape->napprank + s->shape->worker_node[w];
        return !s->shape->worker_home[w] + price[apprank] == price[node];
}

/* The extra cores a worker has now, as far as its node could grant them. */
static int32_t present(const struct solve *s, int32_t w)
{
        int32_t spare = s->spare[s->shape->worker_node[w]];
        int32_t extra = s->instance->owned_cores[w] - lb_shape_least(s->shape, w);
        if (extra <= 0)
                return 0;
        return extra < spare ? extra : spare;
}

/* Below the present number a core costs nothing, above it one. */
static void add_worker(struct solve *s, int32_t w)
{
        struct flow *flow = &s->flow;
        int32_t apprank = s->shape->worker_apprank[w];
        int32_t node = s->shape->napprank + s->shape->worker_node[w];
        s->extra[w] = 0;
        s->edge[w] = -1;
        if (!worker_free(s, w))
                return;
        s->extra[w] = present(s, w);
        s->edge[w] = flow_add(flow, (struct flow_edge){ apprank, node, .backward = s->extra[w] });
        flow_add(flow, (struct flow_edge){ apprank, node, .cost = 1, .forward = FLOW_PLENTY });
        flow->excess[apprank] -= s->extra[w];
        flow->excess[node] += s->extra[w];
}

static void add_apprank(struct solve *s, int32_t apprank)
{
        struct flow *flow = &s->flow;
        int32_t root = root_of(s);
        int64_t need = s->need[apprank] - s->least[apprank], have = -flow->excess[apprank];
        int64_t given = need;
        if (s->price[apprank] == s->price[root]) {
                given = have > need ? have : need;
                flow_add(flow, (struct flow_edge){ root, apprank, .forward = FLOW_PLENTY,
                                                   .backward = given - need });
        }
        flow->excess[apprank] += given;
        flow->excess[root] -= given;
}

static void add_node(struct solve *s, int32_t n)
{
        struct flow *flow = &s->flow;
        int32_t root = root_of(s), node = s->shape->napprank + n;
        int64_t used = s->spare[n];
        if (!s->homed[n] && s->price[node] > s->price[root])
                used = 0;
        else if (!s->homed[n] && s->price[node] == s->price[root]) {
                if (flow->excess[node] < used)
                        used = flow->excess[node];
                flow_add(flow, (struct flow_edge){ node, root, .forward = s->spare[n] - used,
                                                   .backward = used });
        }
        flow->excess[node] -= used;
        flow->excess[root] += used;
}

void share_least_moved(struct solve *s)
{
        flow_begin(&s->flow, root_of(s) + 1);
        for (int32_t w = 0; w < s->shape->nworker; w++)
                add_worker(s, w);
        for (int32_t a = 0; a < s->shape->napprank; a++)
                add_apprank(s, a);
        for (int32_t n = 0; n < s->shape->nnode; n++)
                add_node(s, n);
        flow_price_zero(&s->flow);
        flow_route(&s->flow);
        for (int32_t w = 0; w < s->shape->nworker; w++)
                if (s->edge[w] >= 0)
                        s->extra[w] += (int32_t)(flow_sent(&s->flow, s->edge[w]) +
                                                 flow_sent(&s->flow, s->edge[w] + 1));
}

/* Take back what appranks have beyond their needs: it lies with home workers only. */
static void take_surplus(struct solve *s)
{
        const struct lb_shape *shape = s->shape;
        for (int32_t a = 0; a < shape->napprank; a++) {
                int64_t have = s->least[a];
                for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1]; w++)
                        have += s->extra[w];
                for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1]; w++) {
                        int64_t surplus = have - s->need[a];
                        if (!shape->worker_home[w] || surplus <= 0)
                                continue;
                        int32_t taken = surplus < s->extra[w] ? (int32_t)surplus : s->extra[w];
                        s->extra[w] -= taken;
                        have -= taken;
                }
                s->have[a] = have;
        }
}

/* The appranks at home on a node into set[]; where none of them has a load they count as equal. */
static int32_t collect_homes(struct solve *s, int32_t node)
{
        const struct lb_shape *shape = s->shape;
        int32_t count = 0;
        double load = 0;
        for (int32_t i = shape->node_first[node]; i < shape->node_first[node + 1]; i++) {
                int32_t w = shape->node_worker[i];
                if (!shape->worker_home[w])
                        continue;
                s->set[count++] = shape->worker_apprank[w];
                load += s->load[shape->worker_apprank[w]];
        }
        for (int32_t i = 0; i < count && load <= 0; i++)
                s->load[s->set[i]] = 1;
        return count;
}

/*
 * Give each of set[count] the cores it needs at the smallest ratio that the total allows; what is
 * then left is less than one for each apprank just at that ratio.
 */
static void divide(struct solve *s, int32_t count, int64_t left)
{
        int64_t total = left;
        for (int32_t i = 0; i < count; i++)
                total += s->have[s->set[i]];
        struct ratio ratio = ratio_fit(s, count, s->have, total);
        for (int32_t i = 0; i < count; i++)
                total -= s->need[s->set[i]];
        for (int32_t i = 0; i < count && total > 0; i++) {
                int32_t a = s->set[i];
                if (ratio_compare((struct ratio){ s->load[a], s->need[a] }, ratio) != 0)
                        continue;
                s->need[a]++;
                total--;
        }
}

void share_by_load(struct solve *s)
{
        const struct lb_shape *shape = s->shape;
        take_surplus(s);
        for (int32_t n = 0; n < shape->nnode; n++) {
                int64_t left = s->spare[n];
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++)
                        left -= s->extra[shape->node_worker[i]];
                if (!s->homed[n] || left == 0)
                        continue;
                divide(s, collect_homes(s, n), left);
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++) {
                        int32_t w = shape->node_worker[i], a = shape->worker_apprank[w];
                        if (!shape->worker_home[w])
                                continue;
                        s->extra[w] += (int32_t)(s->need[a] - s->have[a]);
                        s->have[a] = s->need[a];
                }
        }
}
