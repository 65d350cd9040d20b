/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Primal-dual minimum-cost flow. Sources: Ford and Fulkerson's primal-dual method as in Ahuja,
 * Magnanti and Orlin, "Network Flows", section 9.8; blocking flows after Dinic (1970); buckets
 * after Dial (1969).
 */
#include "policies/solve_flow.h"

#include <string.h>

void flow_lay_out(struct flow *f, struct arena *arena, int32_t nvertex, int32_t nedge)
{
        size_t vertices = (size_t)nvertex, edges = (size_t)nedge;
        f->edge = arena_take(arena, edges, sizeof(*f->edge));
        f->arc = arena_take(arena, 2 * edges, sizeof(*f->arc));
        f->excess = arena_take(arena, vertices, sizeof(*f->excess));
        f->price = arena_take(arena, vertices, sizeof(*f->price));
        f->level = arena_take(arena, vertices, sizeof(*f->level));
        f->distance = arena_take(arena, vertices, sizeof(*f->distance));
        f->current = arena_take(arena, vertices, sizeof(*f->current));
        f->queue = arena_take(arena, vertices, sizeof(*f->queue));
        f->before = arena_take(arena, vertices, sizeof(*f->before));
        f->bucket = arena_take(arena, vertices + 1, sizeof(*f->bucket));
        f->path = arena_take(arena, vertices, sizeof(*f->path));
        f->first = arena_take(arena, vertices + 1, sizeof(*f->first));
}

void flow_begin(struct flow *f, int32_t nvertex)
{
        f->nvertex = nvertex;
        f->nedge = 0;
        memset(f->excess, 0, (size_t)nvertex * sizeof(*f->excess));
}

int32_t flow_add(struct flow *f, struct flow_edge edge)
{
        f->edge[f->nedge] = edge;
        return f->nedge++;
}

/* Sort the edges' two arcs by tail. */
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
                e->arc = there;
                f->arc[there] = (struct flow_arc){ e->forward, e->head, back, e->cost };
                f->arc[back] = (struct flow_arc){ e->backward, e->tail, there, -e->cost };
        }
}

static int32_t reduced_cost(const struct flow *f, int32_t tail, const struct flow_arc *arc)
{
        return arc->cost + f->price[tail] - f->price[arc->head];
}

static int32_t enqueue_sources(struct flow *f)
{
        int32_t count = 0;
        for (int32_t v = 0; v < f->nvertex; v++) {
                f->level[v] = -1;
                if (f->excess[v] > 0) {
                        f->level[v] = 0;
                        f->queue[count++] = v;
                }
        }
        return count;
}

/* Number the vertices by steps over tight arcs from an excess, until a deficit is met. */
static bool label(struct flow *f)
{
        int32_t count = enqueue_sources(f), last = INT32_MAX;
        for (int32_t i = 0; i < count; i++) {
                int32_t v = f->queue[i];
                if (f->level[v] >= last)
                        break;
                for (int32_t j = f->first[v]; j < f->first[v + 1]; j++) {
                        const struct flow_arc *arc = &f->arc[j];
                        if (!arc->room || f->level[arc->head] >= 0 || reduced_cost(f, v, arc))
                                continue;
                        f->level[arc->head] = f->level[v] + 1;
                        f->queue[count++] = arc->head;
                        if (f->excess[arc->head] < 0)
                                last = f->level[arc->head];
                }
        }
        return last < INT32_MAX;
}

/* The next arc from v that leads one step on, or -1. */
static int32_t advance(struct flow *f, int32_t v)
{
        for (; f->current[v] < f->first[v + 1]; f->current[v]++) {
                const struct flow_arc *arc = &f->arc[f->current[v]];
                if (arc->room && f->level[arc->head] == f->level[v] + 1 && !reduced_cost(f, v, arc))
                        return f->current[v];
        }
        return -1;
}

/* Send as much as fits along the path from source to a deficit. */
static void push(struct flow *f, int32_t source, int32_t sink, int32_t length)
{
        int64_t amount =
            f->excess[source] < -f->excess[sink] ? f->excess[source] : -f->excess[sink];
        for (int32_t i = 0; i < length; i++)
                if (f->arc[f->path[i]].room < amount)
                        amount = f->arc[f->path[i]].room;
        for (int32_t i = 0; i < length; i++) {
                struct flow_arc *arc = &f->arc[f->path[i]];
                arc->room -= amount;
                f->arc[arc->back].room += amount;
        }
        f->excess[source] -= amount;
        f->excess[sink] += amount;
}

/* Send a source's excess as far as the labelled arcs carry it. */
static void drain(struct flow *f, int32_t source)
{
        int32_t length = 0, at = source;
        while (f->excess[source] > 0) {
                if (f->excess[at] < 0) {
                        push(f, source, at, length);
                        at = source;
                        length = 0;
                        continue;
                }
                int32_t arc = advance(f, at);
                if (arc >= 0) {
                        f->path[length++] = arc;
                        at = f->arc[arc].head;
                        continue;
                }
                if (length == 0)
                        return;
                f->level[at] = -1; /* a dead end */
                at = f->arc[f->arc[f->path[--length]].back].head;
        }
}

/* A maximum flow over tight arcs. */
static void augment(struct flow *f)
{
        while (label(f)) {
                memcpy(f->current, f->first, (size_t)f->nvertex * sizeof(*f->current));
                for (int32_t v = 0; v < f->nvertex; v++)
                        if (f->level[v] == 0)
                                drain(f, v);
        }
}

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

static void relax(struct flow *f, int32_t v)
{
        for (int32_t j = f->first[v]; j < f->first[v + 1]; j++) {
                const struct flow_arc *arc = &f->arc[j];
                if (!arc->room)
                        continue;
                int32_t distance = f->distance[v] + reduced_cost(f, v, arc);
                if (distance >= f->distance[arc->head])
                        continue;
                if (f->distance[arc->head] < INT32_MAX)
                        bucket_remove(f, arc->head);
                bucket_insert(f, arc->head, distance);
        }
}

/* The distance of the nearest deficit from any excess, or -1; distances below it are final. */
static int32_t measure(struct flow *f)
{
        for (int32_t v = 0; v < f->nvertex; v++) {
                f->bucket[v] = -1;
                f->distance[v] = INT32_MAX;
        }
        for (int32_t v = 0; v < f->nvertex; v++)
                if (f->excess[v] > 0)
                        bucket_insert(f, v, 0);
        for (int32_t d = 0; d < f->nvertex; d++) {
                while (f->bucket[d] >= 0) {
                        int32_t v = f->bucket[d];
                        if (f->excess[v] < 0)
                                return d;
                        bucket_remove(f, v);
                        relax(f, v);
                }
        }
        return -1;
}

/* Raise prices until a path to a deficit is tight; false where there is none. */
static bool reprice(struct flow *f)
{
        int32_t nearest = measure(f);
        if (nearest < 0)
                return false;
        for (int32_t v = 0; v < f->nvertex; v++)
                f->price[v] += f->distance[v] < nearest ? f->distance[v] : nearest;
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

int64_t flow_route(struct flow *f)
{
        build(f);
        memset(f->price, 0, (size_t)f->nvertex * sizeof(*f->price));
        int64_t rest = left(f);
        while (rest > 0) {
                augment(f);
                rest = left(f);
                if (rest > 0 && !reprice(f))
                        break;
        }
        return rest;
}

bool flow_reached(const struct flow *f, int32_t vertex)
{
        return f->distance[vertex] < INT32_MAX;
}

int64_t flow_sent(const struct flow *f, int32_t edge)
{
        return f->edge[edge].forward - f->arc[f->edge[edge].arc].room;
}
