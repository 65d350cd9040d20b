/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine with another graph, between two events: workers that stay are renumbered with all
 * that they have, new ones begin, policies are made for the new shapes and told what the old ones
 * had observed.
 *
 * The old machine is kept aside as a flat copy while the new one takes its place: cores, appranks,
 * nodes, events and measurements are the same memory, what is numbered by worker or edge is not.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sim/systems/offload/inbox.h"
#include "sim/systems/offload/machine.h"

/* ---- Who is who ---- */

/* New number of each old worker, NONE for those that go. */
static void match(const struct machine *m, const struct machine *old, int32_t *map)
{
        for (int32_t w = 0; w < old->nworker; w++) {
                int32_t edge = machine_edge(m->graph, old->worker[w].apprank, old->worker[w].node);
                map[w] = edge == NONE ? NONE : m->edge_worker[edge];
        }
}

/* ---- Workers ---- */

static void carry_worker(struct machine *m, const struct machine *old, int32_t from, int32_t to)
{
        struct worker *w = &m->worker[to], begun = *w;
        *w = old->worker[from];
        w->edge = begun.edge; /* the column stays */
        w->count = begun.count;
        w->row = begun.row;
        w->slot = begun.slot;
        w->home_worker = begun.home_worker;
        for (int32_t i = 0; i < NCOUNT; i++)
                *worker_count(w, (enum count)i) = *worker_count(&old->worker[from], (enum count)i);
        m->owned[to] = old->owned[from];
        m->borrowed[to] = old->borrowed[from];
        m->running[to] = old->running[from];
        m->held_known[to] = old->held_known[from];
        m->task_us[to] = old->task_us[from];
        m->target[to] = old->target[from];
        m->measured[to] = old->measured[from];
        if (m->urgent)
                m->ready_heap[to] = old->ready_heap[from];
}

static void carry_edge(struct machine *m, const struct machine *old, int32_t from, int32_t to)
{
        *edge_known(m, KNOWN_TASKS, to) = *edge_known(old, KNOWN_TASKS, from);
        *edge_known(m, KNOWN_OWNED, to) = *edge_known(old, KNOWN_OWNED, from);
        *edge_known(m, KNOWN_TARGET, to) = *edge_known(old, KNOWN_TARGET, from);
        *edge_known(m, KNOWN_USABLE, to) = *edge_known(old, KNOWN_USABLE, from);
        *edge_known(m, KNOWN_HELD, to) = *edge_known(old, KNOWN_HELD, from);
        m->held_first[to] = old->held_first[from];
        m->held_last[to] = old->held_last[from];
        m->data_here[to] = old->data_here[from];
        m->assigned_cost[to] = old->assigned_cost[from];
        if (m->urgent)
                m->held_heap[to] = old->held_heap[from];
        m->issued[to] = old->issued[from];
        m->left_bytes[to] = old->left_bytes[from];
}

static void forget(struct machine *m, const struct worker *w)
{
        memory_give(&m->messages, w->inbox.item, w->inbox.size * sizeof(*w->inbox.item));
        memory_give(&m->ready, w->ready_task, w->ready_size * sizeof(*w->ready_task));
}

static void carry_workers(struct machine *m, const struct machine *old, const int32_t *map)
{
        for (int32_t w = 0; w < old->nworker; w++) {
                if (map[w] == NONE) {
                        forget(m, &old->worker[w]);
                        continue;
                }
                carry_worker(m, old, w, map[w]);
                carry_edge(m, old, old->worker[w].edge, m->worker[map[w]].edge);
        }
}

/* A new worker looks for messages at times of its own, the same whenever and beside whom it
 * starts. */
static void begin_worker(struct machine *m, int32_t worker)
{
        struct worker *w = &m->worker[worker];
        const struct apprank *a = &m->apprank[w->apprank];
        struct lb_random random;
        lb_random_init(&random, machine_phase_seed(m), LB_RANDOM_PHASE,
                       1 + (uint64_t)w->apprank * (uint64_t)m->nnode + (uint64_t)w->node);
        if (m->message_poll_ns > 0 && !m->together)
                w->message_phase_ns =
                    (int64_t)lb_random_below(&random, (uint64_t)m->message_poll_ns);
        if (m->columns != m->spec->graph)
                ledger_restart(m->ledger, w->column);
        w->task_ns = (int64_t)((double)a->task_ns * w->time_factor + 0.5);
}

static void begin_workers(struct machine *m, const struct graph *before)
{
        for (int32_t w = 0; w < m->nworker; w++)
                if (machine_edge(before, m->worker[w].apprank, m->worker[w].node) == NONE)
                        begin_worker(m, w);
}

/* ---- What points to workers ---- */

static void renumber_cores(struct machine *m, const int32_t *map)
{
        for (int32_t n = 0; n < m->nnode; n++) {
                for (int32_t c = n * m->stride; c < n * m->stride + m->ncore; c++) {
                        struct core *core = &m->core[c];
                        core_set_owner(core, map[core->owner]);
                        if (core->user != NONE)
                                core->user = map[core->user];
                }
        }
}

static void renumber_messages(struct machine *m, const struct machine *old, const int32_t *map)
{
        for (int32_t w = 0; w < m->nworker; w++) {
                struct inbox *inbox = &m->worker[w].inbox;
                for (uint32_t i = 0; i < inbox->count; i++) {
                        struct message *item = &inbox->item[(inbox->head + i) & (inbox->size - 1)];
                        if (item->task >= 0)
                                continue;
                        int32_t of = map[old->edge_worker[message_edge(item->task)]];
                        item->task = message_says(message_kind(item->task), m->worker[of].edge,
                                                  message_task(item->task));
                }
        }
}

static void move_events(struct machine *m, const struct machine *old)
{
        for (int32_t n = 0; n < m->nnode; n++)
                for (int32_t i = 0; i < graph_node_degree(old->graph, n); i++)
                        queue_clear(&m->queue, n * m->stride + m->ncore + i);
        for (int32_t w = 0; w < m->nworker; w++)
                inbox_watch(m, &m->worker[w]);
}

/* ---- Policies ---- */

/* Are the workers of the node or apprank still those of the same appranks and nodes? */
static bool same_node(const struct graph *a, const struct graph *b, int32_t node)
{
        int32_t count = graph_node_degree(a, node);
        bool same = count == graph_node_degree(b, node);
        for (int32_t i = 0; same && i < count; i++)
                same = a->edge_apprank[a->node_edge[a->node_first[node] + i]] ==
                       b->edge_apprank[b->node_edge[b->node_first[node] + i]];
        return same;
}

static bool same_apprank(const struct graph *a, const struct graph *b, int32_t apprank)
{
        int32_t first = a->apprank_first[apprank], other = b->apprank_first[apprank];
        int32_t count = a->apprank_first[apprank + 1] - first;
        bool same = count == b->apprank_first[apprank + 1] - other;
        for (int32_t i = 0; same && i < count; i++)
                same = a->edge_node[first + i] == b->edge_node[other + i];
        return same;
}

/* Lending and placement: states stay where the workers do. */
static int renew_lending(struct machine *m, const struct graph *before, int32_t node,
                         struct lb_error *err)
{
        struct node *n = &m->node[node];
        void *state = n->lend_state;
        n->lend_state = NULL;
        int status = machine_set_lending(m, n, err);
        if (status == 0 && same_node(before, m->graph, node)) {
                free(n->lend_state);
                n->lend_state = state;
        } else {
                free(state);
        }
        return status;
}

static int renew_placement(struct machine *m, const struct graph *before, int32_t apprank,
                           struct lb_error *err)
{
        struct apprank *a = &m->apprank[apprank];
        void *state = a->place_state;
        a->place_state = NULL;
        int status = machine_set_placement(m, a, err);
        if (m->priced)
                priced_show(m, apprank);
        if (status == 0 && same_apprank(before, m->graph, apprank)) {
                free(a->place_state);
                a->place_state = state;
        } else {
                free(state);
        }
        return status;
}

/* A policy of global scope numbers by edge; what was observed of helpers that go is their
 * appranks'. */
static void carry_global(struct machine *m, const struct machine *old, const int32_t *map,
                         int32_t *number)
{
        for (int32_t w = 0; w < old->nworker; w++) {
                int32_t to = map[w] == NONE ? home_worker(m, old->worker[w].apprank) : map[w];
                number[old->worker[w].edge] = m->worker[to].edge;
        }
        called_begin(m->spec->alloc->name, "carry");
        m->spec->alloc->carry(m->alloc_state, old->alloc_state, number);
        called_end();
}

/* One of node scope by place on the node; the node has forgotten those that go. */
static void carry_nodes(struct machine *m, const struct machine *old, void *const *state,
                        const int32_t *map, int32_t *number)
{
        for (int32_t n = 0; n < m->nnode; n++) {
                int32_t first = old->graph->node_first[n], end = old->graph->node_first[n + 1];
                for (int32_t w = first; w < end; w++)
                        number[w - first] =
                            map[w] == NONE ? NONE : map[w] - m->node[n].first_worker;
                called_begin(m->spec->alloc->name, "carry");
                m->spec->alloc->carry(m->node[n].alloc_state, state[n], number);
                called_end();
        }
}

static int renew_allocation(struct machine *m, const struct machine *old, const int32_t *map,
                            struct lb_error *err)
{
        bool global = old->alloc_state != NULL;
        void **state = calloc((size_t)m->nnode, sizeof(*state));
        int32_t *number = calloc((size_t)old->nworker, sizeof(*number));
        int status = -1;
        if (!state || !number) {
                lb_error_fail(err, "out of memory for a change of the graph");
                goto end;
        }
        m->alloc_state = NULL;
        for (int32_t n = 0; n < m->nnode; n++) {
                state[n] = m->node[n].alloc_state;
                m->node[n].alloc_state = NULL;
        }
        status = machine_set_allocation(m, err);
        if (status == 0 && m->decides && m->spec->alloc->carry && global)
                carry_global(m, old, map, number);
        else if (status == 0 && m->decides && m->spec->alloc->carry)
                carry_nodes(m, old, state, map, number);
        ask_alloc_free(m->spec->alloc, old->alloc_state);
        for (int32_t n = 0; n < m->nnode; n++)
                ask_alloc_free(m->spec->alloc, state[n]);
end:
        free(state);
        free(number);
        return status;
}

static int renew_policies(struct machine *m, const struct machine *old, const int32_t *map,
                          struct lb_error *err)
{
        for (int32_t n = 0; n < m->nnode; n++)
                if (renew_lending(m, old->graph, n, err) < 0)
                        return -1;
        for (int32_t a = 0; a < m->napprank; a++)
                if (renew_placement(m, old->graph, a, err) < 0)
                        return -1;
        return renew_allocation(m, old, map, err);
}

/* ---- The whole ---- */

static void carry(struct machine *m, const struct machine *old, const int32_t *map)
{
        m->helper_ns += (old->nworker - m->nworker) * m->now_ns;
        carry_workers(m, old, map);
        begin_workers(m, old->graph);
        renumber_cores(m, map);
        renumber_messages(m, old, map);
        queue_soon_back(&m->queue);
        ahead_set(m);
        move_events(m, old);
        /* What was decided for the old graph is void; the next decision is due. */
        m->has_published = false;
        m->solves.next_ns = m->now_ns;
        queue_clear(&m->queue, machine_slot(m, SLOT_PUBLISH));
}

void machine_regraph(struct machine *m, const struct graph *graph)
{
        struct machine old = *m;
        struct lb_error err;
        int32_t *map = calloc((size_t)m->nworker, sizeof(*map));
        m->graph = graph;
        m->nworker = graph->nedge;
        if (!map || machine_make_workers(m, &err) < 0) {
                if (map)
                        machine_free_workers(m);
                free(map);
                *m = old;
                machine_fail(m, "out of memory for a change of the graph");
                return;
        }
        machine_wire(m);
        match(m, &old, map);
        carry(m, &old, map);
        if (renew_policies(m, &old, map, &err) < 0)
                machine_fail(m, "%s", err.text);
        machine_free_workers(&old);
        free(map);
}
