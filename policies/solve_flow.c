/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Primal-dual minimum-cost flow: prices such that the nearest deficit of every vertex is over tight
 * arcs (Dijkstra over buckets, all deficits at once), then as much as those carry, by push and
 * relabel. What cannot go on at these prices stays where it is: excess may be anywhere, so no
 * second phase returns it. Sources: Ahuja, Magnanti and Orlin, "Network Flows", section 9.8;
 * Goldberg and Tarjan (1988), first in first out, with levels measured anew now and then and gaps
 * after Cherkassky and Goldberg (1997); buckets after Dial (1969).
 */
#include "policies/solve_flow.h"

#include <string.h>

#include "base/ahead.h"

enum { UNKNOWN = INT32_MAX, STRANDED = INT32_MAX, QUEUED = 1 };

/* How often flow_price() looks at every edge before it gives up. */
enum { PATIENCE = 16 };

/* So many vertices before a vertex its arcs are asked for: in a large network they are in no near
 * cache. */
enum { AHEAD = 6, LINE = 64 };

/* A queue of vertices in flow.queue. */
struct flow_ring {
        int32_t begin, end, count;
};

void flow_lay_out(struct flow *f, struct arena *arena, int32_t nvertex, int32_t nedge)
{
        size_t vertices = (size_t)nvertex, edges = (size_t)nedge;
        f->edge = arena_take(arena, edges, sizeof(*f->edge));
        f->arc = arena_take(arena, 2 * edges, sizeof(*f->arc));
        f->room = arena_take(arena, 2 * edges, sizeof(*f->room));
        f->excess = arena_take(arena, vertices, sizeof(*f->excess));
        f->price = arena_take(arena, vertices, sizeof(*f->price));
        f->level = arena_take(arena, vertices, sizeof(*f->level));
        f->distance = arena_take(arena, vertices, sizeof(*f->distance));
        f->current = arena_take(arena, vertices, sizeof(*f->current));
        f->queue = arena_take(arena, vertices + 1, sizeof(*f->queue));
        f->before = arena_take(arena, vertices, sizeof(*f->before));
        f->bucket = arena_take(arena, 2 * vertices + 1, sizeof(*f->bucket));
        f->first = arena_take(arena, vertices + 1, sizeof(*f->first));
}

void flow_begin(struct flow *f, int32_t nvertex)
{
        f->nvertex = nvertex;
        f->nedge = 0;
        f->priced = false;
        memset(f->excess, 0, (size_t)nvertex * sizeof(*f->excess));
}

int32_t flow_add(struct flow *f, struct flow_edge edge)
{
        f->edge[f->nedge] = edge;
        f->priced |= edge.cost != 0;
        return f->nedge++;
}

static uint8_t first_flags(int64_t room, int64_t room_back, int32_t cost)
{
        return (uint8_t)((room > 0 ? FLOW_OPEN : 0) | (room_back > 0 ? FLOW_OPEN_BACK : 0) |
                         (cost == 0 ? FLOW_TIGHT : 0));
}

/* Sort the edges' two arcs by tail; tight as with prices of zero. */
static void build(struct flow *f)
{
        int32_t *first = f->first, *next = f->current;
        memset(first, 0, ((size_t)f->nvertex + 1) * sizeof(*first));
        for (int32_t i = 0; i < f->nedge; i++) {
                first[f->edge[i].tail + 1]++;
                first[f->edge[i].head + 1]++;
        }
        for (int32_t v = 0; v < f->nvertex; v++) {
                first[v + 1] += first[v];
                next[v] = first[v];
        }
        for (int32_t i = 0; i < f->nedge; i++) {
                struct flow_edge *e = &f->edge[i];
                int32_t there = next[e->tail]++, back = next[e->head]++;
                int16_t cost = (int16_t)e->cost;
                e->arc = there;
                f->room[there] = (struct flow_room){ e->forward, back };
                f->room[back] = (struct flow_room){ e->backward, there };
                f->arc[there] =
                    (struct flow_arc){ e->head, cost, first_flags(e->forward, e->backward, cost) };
                f->arc[back] = (struct flow_arc){ e->tail, (int16_t)-cost,
                                                  first_flags(e->backward, e->forward, cost) };
        }
}

static int32_t reduced_cost(const struct flow *f, int32_t tail, const struct flow_arc *arc)
{
        return arc->cost + f->price[tail] - f->price[arc->head];
}

static bool has(const struct flow_arc *arc, uint8_t flags)
{
        return (arc->flags & flags) == flags;
}

static void arcs_ahead(const struct flow *f, int32_t v)
{
        const char *arc = (const char *)&f->arc[f->first[v]];
        lb_ahead(arc);
        lb_ahead(arc + LINE);
}

/*
 * Append the vertices that arcs of v with these flags lead to, and that have no level yet, to
 * queue[count], and give them this one; returns how many are there then. Without branches: which
 * arcs are of that kind is not to be guessed.
 */
static int32_t spread(struct flow *f, int32_t v, uint8_t flags, int32_t level, int32_t count)
{
        for (int32_t j = f->first[v]; j < f->first[v + 1]; j++) {
                const struct flow_arc *arc = &f->arc[j];
                int32_t known = f->level[arc->head];
                bool found = has(arc, flags) & (known == STRANDED);
                f->queue[count] = arc->head;
                f->level[arc->head] = found ? level : known;
                count += found;
        }
        return count;
}

/* ---- Maximum flow over tight arcs: push and relabel ---- */

/*
 * Number the vertices by steps over tight arcs to the nearest deficit, STRANDED where none leads
 * there. Vertices that got excess wait in the queue.
 */
static void label(struct flow *f)
{
        int32_t count = 0, *on_level = f->before;
        for (int32_t v = 0; v < f->nvertex; v++) {
                f->level[v] = STRANDED;
                f->current[v] = f->first[v];
                on_level[v] = 0;
                if (f->excess[v] < 0) {
                        f->level[v] = 0;
                        f->queue[count++] = v;
                }
        }
        for (int32_t i = 0; i < count; i++) {
                int32_t v = f->queue[i];
                if (i + AHEAD < count)
                        arcs_ahead(f, f->queue[i + AHEAD]);
                on_level[f->level[v]]++;
                count = spread(f, v, FLOW_TIGHT | FLOW_OPEN_BACK, f->level[v] + 1, count);
        }
}

/* Vertices with excess wait in a ring; each is in it at most once. */
static void enqueue(struct flow *f, struct flow_ring *ring, int32_t v)
{
        f->queue[ring->end] = v;
        ring->end = ring->end + 1 == f->nvertex ? 0 : ring->end + 1;
        ring->count++;
}

static int32_t dequeue(struct flow *f, struct flow_ring *ring)
{
        int32_t v = f->queue[ring->begin];
        ring->begin = ring->begin + 1 == f->nvertex ? 0 : ring->begin + 1;
        ring->count--;
        return v;
}

static void enqueue_all(struct flow *f, struct flow_ring *ring)
{
        *ring = (struct flow_ring){ 0 };
        for (int32_t v = 0; v < f->nvertex; v++)
                if (f->excess[v] > 0 && f->level[v] != STRANDED)
                        enqueue(f, ring, v);
}

/* One step more than the lowest that a tight arc leads to. */
static int32_t relabelled(const struct flow *f, int32_t v)
{
        int32_t lowest = STRANDED;
        for (int32_t j = f->first[v]; j < f->first[v + 1]; j++) {
                const struct flow_arc *arc = &f->arc[j];
                int32_t level = has(arc, FLOW_TIGHT | FLOW_OPEN) ? f->level[arc->head] : STRANDED;
                lowest = level < lowest ? level : lowest;
        }
        return lowest < f->nvertex - 1 ? lowest + 1 : STRANDED;
}

/* Nothing is on this level any more, so what is above it cannot come down to a deficit. */
static void strand_above(struct flow *f, int32_t level)
{
        for (int32_t v = 0; v < f->nvertex; v++)
                if (f->level[v] > level)
                        f->level[v] = STRANDED;
}

/* False where the vertex is stranded. */
static bool raise_level(struct flow *f, int32_t v)
{
        int32_t *on_level = f->before, level = f->level[v], next = relabelled(f, v);
        f->level[v] = next;
        if (--on_level[level] == 0)
                strand_above(f, level);
        if (f->level[v] == STRANDED)
                return false;
        on_level[next]++;
        return true;
}

/* Over arc j of v. */
static void push(struct flow *f, struct flow_ring *ring, int32_t v, int32_t j)
{
        struct flow_room *room = &f->room[j];
        struct flow_arc *arc = &f->arc[j], *back = &f->arc[room->back];
        int64_t amount = f->excess[v] < room->amount ? f->excess[v] : room->amount;
        int64_t before = f->excess[arc->head];
        room->amount -= amount;
        f->room[room->back].amount += amount;
        arc->flags |= FLOW_OPEN_BACK;
        back->flags |= FLOW_OPEN;
        if (room->amount == 0) {
                arc->flags &= (uint8_t)~FLOW_OPEN;
                back->flags &= (uint8_t)~FLOW_OPEN_BACK;
        }
        f->excess[v] -= amount;
        f->excess[arc->head] += amount;
        if (before <= 0 && before + amount > 0)
                enqueue(f, ring, arc->head);
}

/* Send excess on over the tight arcs that lead one level down, from the current one on. */
static void send_down(struct flow *f, struct flow_ring *ring, int32_t v)
{
        int32_t j = f->current[v], end = f->first[v + 1], down = f->level[v] - 1;
        for (; j < end; j++) {
                const struct flow_arc *arc = &f->arc[j];
                if (!(has(arc, FLOW_TIGHT | FLOW_OPEN) & (f->level[arc->head] == down)))
                        continue;
                push(f, ring, v, j);
                if (f->excess[v] == 0)
                        break;
        }
        f->current[v] = j;
}

/* Rid a vertex of its excess, or find it stranded; returns the steps of raising it. */
static int64_t discharge(struct flow *f, struct flow_ring *ring, int32_t v)
{
        int64_t steps = 0;
        for (;;) {
                send_down(f, ring, v);
                if (f->excess[v] == 0)
                        return steps;
                f->current[v] = f->first[v];
                steps += f->first[v + 1] - f->first[v];
                if (!raise_level(f, v))
                        return steps;
        }
}

static void augment(struct flow *f)
{
        struct flow_ring ring;
        label(f);
        enqueue_all(f, &ring);
        int64_t steps = 0, often = f->nedge;
        while (ring.count > 0) {
                int32_t v = dequeue(f, &ring);
                if (f->level[v] != STRANDED)
                        steps += discharge(f, &ring, v);
                if (steps > often) {
                        label(f);
                        enqueue_all(f, &ring);
                        steps = 0;
                }
        }
}

/* ---- Prices ---- */

/* Buckets of vertices by distance: doubly linked lists through queue (next) and before. */
static void bucket_insert(struct flow *f, int32_t v, int32_t distance)
{
        int32_t head = f->bucket[distance];
        f->distance[v] = distance;
        f->queue[v] = head;
        f->before[v] = -1;
        if (head >= 0)
                f->before[head] = v;
        f->bucket[distance] = v;
}

static void bucket_remove(struct flow *f, int32_t v)
{
        int32_t before = f->before[v], next = f->queue[v];
        if (before >= 0)
                f->queue[before] = next;
        else
                f->bucket[f->distance[v]] = next;
        if (next >= 0)
                f->before[next] = before;
}

/* Vertices from where an arc leads to v; returns how many were not known before. */
static int32_t relax(struct flow *f, int32_t v)
{
        int32_t found = 0;
        for (int32_t j = f->first[v]; j < f->first[v + 1]; j++) {
                const struct flow_arc *arc = &f->arc[j];
                int32_t tail = arc->head;
                int32_t distance = f->distance[v] - reduced_cost(f, v, arc);
                if (!(has(arc, FLOW_OPEN_BACK) & (distance < f->distance[tail])))
                        continue;
                if (f->distance[tail] < UNKNOWN)
                        bucket_remove(f, tail);
                else
                        found++;
                bucket_insert(f, tail, distance);
        }
        return found;
}

/* Distances to the nearest deficit; returns the largest, or -1 where no excess has one. */
static int32_t measure(struct flow *f)
{
        int32_t waiting = 0, farthest = -1, d = 0;
        bool useful = false;
        for (int32_t i = 0; i <= 2 * f->nvertex; i++)
                f->bucket[i] = -1;
        for (int32_t v = 0; v < f->nvertex; v++)
                f->distance[v] = UNKNOWN;
        for (int32_t v = 0; v < f->nvertex; v++) {
                if (f->excess[v] >= 0)
                        continue;
                bucket_insert(f, v, 0);
                waiting++;
        }
        for (; waiting > 0; d++) {
                while (f->bucket[d] >= 0) {
                        int32_t v = f->bucket[d];
                        bucket_remove(f, v);
                        useful |= f->excess[v] > 0;
                        waiting += relax(f, v) - 1;
                        farthest = d;
                }
        }
        return useful ? farthest : -1;
}

static void mark_tight(struct flow *f)
{
        for (int32_t v = 0; v < f->nvertex; v++)
                for (int32_t j = f->first[v]; j < f->first[v + 1]; j++) {
                        struct flow_arc *arc = &f->arc[j];
                        uint8_t rest = arc->flags & (uint8_t)~FLOW_TIGHT;
                        arc->flags = (uint8_t)(rest | FLOW_TIGHT * (reduced_cost(f, v, arc) == 0));
                }
}

/* Lower prices until the nearest deficit of every vertex is over tight arcs; false where no excess
 * has one. */
static bool reprice(struct flow *f)
{
        int32_t farthest = measure(f);
        if (farthest < 0)
                return false;
        for (int32_t v = 0; v < f->nvertex; v++)
                f->price[v] -= f->distance[v] < farthest ? f->distance[v] : farthest;
        mark_tight(f);
        return true;
}

static int64_t left(const struct flow *f)
{
        int64_t sum = 0;
        for (int32_t v = 0; v < f->nvertex; v++)
                if (f->excess[v] > 0)
                        sum += f->excess[v];
        return sum;
}

/* What the excess that is left could still reach: level >= 0. */
static void reach(struct flow *f)
{
        int32_t count = 0;
        for (int32_t v = 0; v < f->nvertex; v++) {
                f->level[v] = f->excess[v] > 0 ? 0 : STRANDED;
                if (f->excess[v] > 0)
                        f->queue[count++] = v;
        }
        for (int32_t i = 0; i < count; i++) {
                int32_t v = f->queue[i];
                count = spread(f, v, FLOW_OPEN, 0, count);
        }
}

void flow_price_zero(struct flow *f)
{
        build(f);
        memset(f->price, 0, (size_t)f->nvertex * sizeof(*f->price));
}

/* Lower the distances of those from where an arc leads to v; returns the steps it took. */
static int64_t correct(struct flow *f, struct flow_ring *ring, int32_t v)
{
        for (int32_t j = f->first[v]; j < f->first[v + 1]; j++) {
                const struct flow_arc *arc = &f->arc[j];
                int32_t tail = arc->head, distance = f->distance[v] - arc->cost;
                if (!has(arc, FLOW_OPEN_BACK) || distance >= f->distance[tail])
                        continue;
                f->distance[tail] = distance;
                if (f->level[tail] == QUEUED)
                        continue;
                f->level[tail] = QUEUED;
                enqueue(f, ring, tail);
        }
        return f->first[v + 1] - f->first[v];
}

/* The least cost of any path that begins at a vertex, the empty one included, is a valid price with
 * its sign changed: label correcting (Bellman and Ford). */
bool flow_price(struct flow *f)
{
        struct flow_ring ring = { 0 };
        int64_t steps = 0, most = PATIENCE * (int64_t)f->nedge;
        build(f);
        for (int32_t v = 0; v < f->nvertex; v++) {
                f->distance[v] = 0;
                f->level[v] = QUEUED;
                enqueue(f, &ring, v);
        }
        while (ring.count > 0 && steps < most) {
                int32_t v = dequeue(f, &ring);
                f->level[v] = 0;
                steps += correct(f, &ring, v);
        }
        for (int32_t v = 0; v < f->nvertex; v++)
                f->price[v] = -f->distance[v];
        return ring.count == 0;
}

void flow_widen_back(struct flow *f, int32_t edge, int64_t by)
{
        int32_t there = f->edge[edge].arc, back = f->room[there].back;
        f->edge[edge].backward += by;
        f->room[back].amount += by;
        if (f->room[back].amount > 0) {
                f->arc[there].flags |= FLOW_OPEN_BACK;
                f->arc[back].flags |= FLOW_OPEN;
        }
}

void flow_ask(struct flow *f, int32_t to, int32_t from, int64_t by)
{
        f->excess[to] += by;
        f->excess[from] -= by;
}

/* Without costs all prices stay zero, and one maximum flow is all. */
int64_t flow_route(struct flow *f)
{
        if (!f->priced)
                augment(f);
        while (f->priced && reprice(f))
                augment(f);
        int64_t rest = left(f);
        if (rest > 0)
                reach(f);
        return rest;
}

bool flow_reached(const struct flow *f, int32_t vertex)
{
        return f->level[vertex] == 0;
}

int64_t flow_sent(const struct flow *f, int32_t edge)
{
        return f->edge[edge].forward - f->room[f->edge[edge].arc].amount;
}
