/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that are taken by urgency: by their priority (models/taskgraph.h), then by what they cost
 * (priced.c), first in, first out among equals, as lbrun does (real/runtime/queue.c). Those that
 * are held with their data at one edge are a pairing heap, and so are a worker's ready ones:
 *
 *   root    the first to be taken
 *   child   the first of those behind a task, which are a list by next
 */
#include <stdlib.h>

#include "models/taskgraph.h"
#include "sim/systems/offload/machine.h"

bool urgent_wanted(const struct sim_spec *spec)
{
        const struct taskgraph *graph = workload_graph_of(spec->workload);
        return spec->runtime[RUNTIME_COST_HINTS] != 0 || (graph && taskgraph_has_priorities(graph));
}

int urgent_create(struct machine *m, struct lb_error *err)
{
        if (!urgent_wanted(m->spec) || m->alike)
                return 0;
        m->urgent = calloc((size_t)m->napprank, sizeof(*m->urgent));
        if (!m->urgent)
                return lb_error_fail(err, "out of memory for %d appranks", m->napprank);
        return 0;
}

void urgent_destroy(struct machine *m)
{
        for (int32_t a = 0; m->urgent && a < m->napprank; a++)
                free(m->urgent[a].task);
        free(m->urgent);
}

static bool reach(struct urgent *u, int64_t ntask)
{
        if (ntask <= u->room)
                return true;
        free(u->task);
        u->task = malloc((size_t)ntask * sizeof(*u->task));
        u->room = u->task ? ntask : 0;
        return u->task != NULL;
}

void urgent_begin(struct machine *m, int32_t apprank)
{
        struct urgent *u = &m->urgent[apprank];
        int64_t ntask = m->apprank[apprank].ntask;
        if (!reach(u, ntask)) {
                machine_fail(m, "out of memory for tasks");
                return;
        }
        for (int32_t t = 0; t < ntask; t++) {
                int32_t priority =
                    m->explicit ? taskgraph_priority(m->explicit[apprank].graph, t) : 0;
                u->task[t].urgency =
                    costs_urgency(priority, m->priced ? m->priced[apprank].cost[t] : 0);
        }
}

/* ---- A heap ---- */

static bool is_before(const struct urgent *u, int32_t a, int32_t b)
{
        if (u->task[a].urgency != u->task[b].urgency)
                return u->task[a].urgency > u->task[b].urgency;
        return u->task[a].came < u->task[b].came;
}

static int32_t meld(struct urgent *u, int32_t a, int32_t b)
{
        if (a == NONE || b == NONE)
                return a == NONE ? b : a;
        int32_t first = is_before(u, a, b) ? a : b, other = first == a ? b : a;
        u->task[other].next = u->task[first].child;
        u->task[first].child = other;
        return first;
}

/* A list by next becomes one heap: by pairs, then the pairs from the last one on. */
static int32_t meld_all(struct urgent *u, int32_t list)
{
        int32_t pairs = NONE, root = NONE;
        while (list != NONE) {
                int32_t a = list, b = u->task[a].next;
                list = b == NONE ? NONE : u->task[b].next;
                int32_t pair = meld(u, a, b);
                u->task[pair].next = pairs;
                pairs = pair;
        }
        while (pairs != NONE) {
                int32_t pair = pairs;
                pairs = u->task[pair].next;
                root = meld(u, root, pair);
        }
        return root;
}

static void put(struct urgent *u, struct urgent_heap *heap, int32_t task)
{
        u->task[task].child = NONE;
        heap->root = heap->any ? meld(u, heap->root, task) : task;
        heap->any = true;
}

static void push(struct urgent *u, struct urgent_heap *heap, int32_t task)
{
        u->task[task].came = heap->any ? ++heap->newest : (heap->newest = 0);
        put(u, heap, task);
}

static int32_t pop(struct urgent *u, struct urgent_heap *heap)
{
        int32_t task = heap->root;
        heap->root = meld_all(u, u->task[task].child);
        heap->any = heap->root != NONE;
        return task;
}

static int64_t most(const struct urgent *u, const struct urgent_heap *heap)
{
        return heap->any ? u->task[heap->root].urgency : INT64_MIN;
}

/* ---- Ready ones ---- */

static bool stays(const struct machine *m, const struct worker *w, int32_t task)
{
        return m->explicit && !taskgraph_moves(m->explicit[w->apprank].graph, task);
}

void urgent_ready(struct machine *m, const struct worker *w, int32_t task)
{
        struct urgent_heap *heap = &m->ready_heap[w - m->worker];
        push(&m->urgent[w->apprank], heap, task);
        heap->staying += stays(m, w, task);
}

int32_t urgent_take(struct machine *m, const struct worker *w)
{
        struct urgent_heap *heap = &m->ready_heap[w - m->worker];
        int32_t task = pop(&m->urgent[w->apprank], heap);
        heap->staying -= stays(m, w, task);
        return task;
}

int32_t urgent_staying(const struct machine *m, const struct worker *w)
{
        return m->ready_heap[w - m->worker].staying;
}

int32_t urgent_take_last(struct machine *m, const struct worker *w)
{
        struct urgent *u = &m->urgent[w->apprank];
        struct urgent_heap *heap = &m->ready_heap[w - m->worker];
        int32_t list = NONE, taken = NONE;
        while (heap->any) {
                int32_t task = pop(u, heap);
                u->task[task].next = list;
                list = task;
        }
        while (list != NONE) {
                int32_t task = list;
                list = u->task[task].next;
                if (taken == NONE && !stays(m, w, task))
                        taken = task;
                else
                        put(u, heap, task);
        }
        return taken;
}

/* ---- Held ones ---- */

void urgent_hold(struct machine *m, int32_t apprank, int32_t edge, int32_t task)
{
        push(&m->urgent[apprank], &m->held_heap[edge], task);
        if (m->priced)
                priced_held(m, apprank, task, true);
}

int32_t urgent_held_edge(struct machine *m, int32_t apprank, int32_t edge)
{
        const struct apprank *a = &m->apprank[apprank];
        const struct urgent *u = &m->urgent[apprank];
        int32_t best = edge;
        for (int32_t e = a->first_edge; e < a->first_edge + a->nedge; e++)
                if (most(u, &m->held_heap[e]) > most(u, &m->held_heap[best]))
                        best = e;
        if (m->priced)
                priced_next(m, apprank, m->held_heap[best].any ? m->held_heap[best].root : NONE);
        return best;
}

int32_t urgent_release(struct machine *m, int32_t apprank, int32_t edge)
{
        int32_t task = pop(&m->urgent[apprank], &m->held_heap[edge]);
        if (m->priced)
                priced_held(m, apprank, task, false);
        return task;
}

void urgent_move_held(struct machine *m, int32_t apprank, int32_t from, int32_t to)
{
        while (m->held_heap[from].any)
                urgent_hold(m, apprank, to, urgent_release(m, apprank, from));
}
