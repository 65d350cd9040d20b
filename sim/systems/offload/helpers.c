/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helpers come and go (ICPP'22 5.2, "Dynamic work spreading"): the host of growth
 * policies.
 *
 *   wish --start_s--> it is there, owns a core ... retiring: no new tasks --none left--> gone
 *
 * - Like all that nodes tell each other, starts and ends are seen when figures are exchanged, every
 *   poll_s. A start takes processor time on the helper's node, which its next task there pays; the
 *   appranks go on meanwhile (a thread of the runtime system waits for the new process).
 * - A helper is given a core of the worker that owns most beyond its target; one in use comes at
 *   the end of the task. Helpers that go leave their cores to whoever is under target, else to an
 *   apprank at home, and their data goes home.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/systems/offload/machine.h"

struct helpers {
        void *state;             /* of the growth policy */
        struct grow_shape shape; /* that it was made with */
        int32_t *home;           /* [napprank] node */
        struct graph *graph;     /* of now; NULL: the spec's */
        int64_t poll_ns, period_ns, start_ns, start_cpu_ns;
        struct node_solves solves;
        int64_t starts;
        struct grow_edge *ever; /* [never] that have been there */
        int32_t never, ever_capacity;
        struct grow_edge *starting; /* [nstarting] */
        int64_t *ready_ns;          /* [nstarting] ascending */
        int32_t nstarting, capacity;
        bool *retiring; /* [nworker] by edge, for the policy to see */
        struct grow_decision decision;
};

static int64_t param_ns(const struct machine *m, enum grow_param param)
{
        return (int64_t)(m->spec->grow_param[param] * 1e9 + 0.5);
}

static int set_policy(struct helpers *h, const struct machine *m, struct lb_error *err)
{
        const struct grow_type *type = m->spec->grow;
        h->shape = (struct grow_shape){
                .nnode = m->nnode,
                .napprank = m->napprank,
                .cores = m->node_cores,
                .home = h->home,
                .poll_s = m->shape.poll_s,
        };
        for (int32_t a = 0; a < m->napprank; a++)
                h->home[a] = m->worker[home_worker(m, a)].node;
        h->state = ask_grow_make(type, &h->shape, m->spec->grow_param, NULL, err);
        return h->state ? 0 : -1;
}

struct helpers *helpers_create(const struct machine *m, struct lb_error *err)
{
        struct helpers *h = calloc(1, sizeof(*h));
        if (!h)
                goto memory;
        h->period_ns = param_ns(m, GROW_PERIOD_S);
        h->start_ns = param_ns(m, GROW_START_S);
        h->start_cpu_ns = param_ns(m, GROW_START_CPU_S);
        h->decision.room = 4 * m->napprank;
        size_t room = (size_t)h->decision.room;
        h->home = calloc((size_t)m->napprank, sizeof(*h->home));
        h->retiring = calloc((size_t)m->nworker, sizeof(*h->retiring));
        h->decision.add = calloc(room, sizeof(*h->decision.add));
        h->decision.retire = calloc(room, sizeof(*h->decision.retire));
        if (!h->home || !h->retiring || !h->decision.add || !h->decision.retire)
                goto memory;
        if (set_policy(h, m, err) == 0)
                return h;
        helpers_destroy(h);
        return NULL;
memory:
        helpers_destroy(h);
        lb_error_fail(err, "out of memory for helpers");
        return NULL;
}

void helpers_destroy(struct helpers *h)
{
        if (!h)
                return;
        free(h->state);
        free(h->home);
        graph_destroy(h->graph);
        free(h->ever);
        free(h->starting);
        free(h->ready_ns);
        free(h->retiring);
        free(h->decision.add);
        free(h->decision.retire);
        free(h);
}

int64_t helpers_starts(const struct machine *m)
{
        return m->helpers ? m->helpers->starts : 0;
}

void helpers_begin(struct machine *m)
{
        node_solved(&m->helpers->solves, 0, m->helpers->period_ns);
        queue_set(&m->queue, machine_slot(m, SLOT_GROW), m->poll_ns);
}

/* ---- Going ---- */

/* Without tasks here, on their way here, or on their way home. */
static bool may_go(const struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        return w->retiring && *edge_known(m, KNOWN_TASKS, w->edge) == 0 && w->assigned == 0 &&
               m->running[worker] == 0 && m->borrowed[worker] == 0 && w->inbox.count == 0 &&
               w->asking == 0;
}

/* Who is to have a core that somebody on the node leaves. */
static int32_t heir(const struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        int32_t best = NONE, most = 0;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                int32_t under = m->target[w] - m->owned[w];
                bool better = best == NONE || under > most ||
                              (under == most && m->worker[w].home && !m->worker[best].home);
                if (m->worker[w].retiring || !better)
                        continue;
                best = w;
                most = under;
        }
        return best;
}

static void leave_cores(struct machine *m, int32_t worker)
{
        int32_t first = m->worker[worker].node * m->stride;
        for (int32_t c = first; c < first + m->ncore; c++) {
                if (m->core[c].owner != worker)
                        continue;
                int32_t to = heir(m, m->worker[worker].node);
                if (m->target[to] <= m->owned[to])
                        m->target[to] = m->owned[to] + 1;
                core_transfer(m, c, to);
        }
}

/* Its data, and the tasks that are to start from there, are home's. */
static void leave_data(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        const struct apprank *a = &m->apprank[w->apprank];
        int32_t home = a->first_edge;
        int64_t bytes = worker_left_bytes(m, w);
        if (m->urgent)
                urgent_move_held(m, w->apprank, w->edge, home);
        else if (m->explicit)
                dependencies_move_held(m, w->apprank, w->edge, home);
        *edge_known(m, KNOWN_HELD, home) += *edge_known(m, KNOWN_HELD, w->edge);
        m->data_here[home] += m->data_here[w->edge];
        m->issued[home] += m->issued[w->edge];
        if (bytes == 0)
                return;
        network_send(&m->network, w->node, m->worker[m->edge_worker[home]].node, bytes, m->now_ns);
        measure_bytes(m, bytes);
}

static void leave_counts(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        m->totals.tasks += w->executed_data;
        m->totals.gone_borrowed_ns += w->borrowed_ns;
        m->node[w->node].gone_busy_ns += w->busy_ns;
        m->worker[home_worker(m, w->apprank)].debt_ns += w->debt_ns;
}

/* Those that can go leave; their number. They own nothing then. */
static int32_t leave(struct machine *m)
{
        int32_t count = 0;
        for (int32_t w = 0; w < m->nworker; w++) {
                if (!may_go(m, w))
                        continue;
                leave_cores(m, w);
                leave_data(m, w);
                leave_counts(m, w);
                if (m->tracing)
                        tracing_gone(m, w);
                count++;
        }
        return count;
}

/* ---- Coming ---- */

static int32_t arrived(const struct machine *m)
{
        const struct helpers *h = m->helpers;
        int32_t count = 0;
        while (count < h->nstarting && h->ready_ns[count] <= m->now_ns)
                count++;
        return count;
}

/* A graph with further edges, and without those marked as left out (NULL: none is). */
static struct graph *extend(const struct graph *from, const bool *left_out,
                            const struct grow_edge *more, int32_t nmore, struct lb_error *err)
{
        int32_t *first = calloc((size_t)from->napprank + 1, sizeof(*first));
        int32_t *node = calloc((size_t)(from->nedge + nmore), sizeof(*node));
        struct graph *graph = NULL;
        int32_t count = 0;
        for (int32_t a = 0; first && node && a < from->napprank; a++) {
                for (int32_t e = from->apprank_first[a]; e < from->apprank_first[a + 1]; e++)
                        if (!left_out || !left_out[e])
                                node[count++] = from->edge_node[e];
                for (int32_t i = 0; i < nmore; i++)
                        if (more[i].apprank == a)
                                node[count++] = more[i].node;
                first[a + 1] = count;
        }
        if (first && node)
                graph = graph_from_edges(from->napprank, from->nnode, first, node, err);
        else
                lb_error_fail(err, "out of memory for a graph");
        free(first);
        free(node);
        return graph;
}

/* The graph without those that own nothing, and with the first `come` of those that start. */
static struct graph *next_graph(const struct machine *m, int32_t come, struct lb_error *err)
{
        bool *gone = m->helpers->retiring;
        for (int32_t w = 0; w < m->nworker; w++)
                gone[m->worker[w].edge] = m->owned[w] == 0;
        return extend(m->graph, gone, m->helpers->starting, come, err);
}

struct graph *helpers_columns(const struct machine *m, struct lb_error *err)
{
        return extend(m->spec->graph, NULL, m->helpers->ever, m->helpers->never, err);
}

/* Who gives a newcomer its core: the one that owns most beyond its target, and most. */
static int32_t donor(const struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        int32_t best = NONE;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                if (m->owned[w] < 2)
                        continue;
                int32_t beyond = m->owned[w] - m->target[w];
                int32_t most = best == NONE ? 0 : m->owned[best] - m->target[best];
                if (best == NONE || beyond > most ||
                    (beyond == most && m->owned[w] > m->owned[best]))
                        best = w;
        }
        return best;
}

/* The core that is missed least: idle, else used by somebody. */
static int32_t spare_core(const struct machine *m, int32_t owner)
{
        int32_t first = m->worker[owner].node * m->stride, used = NONE;
        for (int32_t c = first; c < first + m->ncore; c++) {
                if (m->core[c].owner != owner)
                        continue;
                if (m->core[c].user == NONE)
                        return c;
                if (used == NONE || m->core[used].state == CORE_KEPT)
                        used = c;
        }
        return used;
}

static void give_core(struct machine *m, int32_t worker)
{
        int32_t from = donor(m, m->worker[worker].node);
        if (from == NONE) {
                machine_fail(m, "a helper has come to a node without a core for it");
                return;
        }
        int32_t core = spare_core(m, from);
        m->target[worker] = 1;
        core_transfer(m, core, worker);
        if (m->target[from] > m->owned[from])
                m->target[from] = m->owned[from];
        bool in_use = m->core[core].user != NONE && m->core[core].user != worker;
        if (in_use) /* it comes at the end of the task */
                worker_counts(&m->worker[worker], COUNT_RECLAIMING, 1);
}

static bool was_there(const struct helpers *h, struct grow_edge edge)
{
        for (int32_t i = 0; i < h->never; i++)
                if (h->ever[i].apprank == edge.apprank && h->ever[i].node == edge.node)
                        return true;
        return false;
}

static void remember(struct machine *m, struct grow_edge edge)
{
        struct helpers *h = m->helpers;
        if (was_there(h, edge))
                return;
        if (h->never == h->ever_capacity) {
                int32_t capacity = h->ever_capacity ? 2 * h->ever_capacity : 16;
                void *larger = realloc(h->ever, (size_t)capacity * sizeof(*h->ever));
                if (!larger) {
                        machine_fail(m, "out of memory for helpers");
                        return;
                }
                h->ever = larger;
                h->ever_capacity = capacity;
        }
        h->ever[h->never++] = edge;
}

static void change_graph(struct machine *m, int32_t come)
{
        struct helpers *h = m->helpers;
        struct lb_error err;
        struct graph *graph = next_graph(m, come, &err), *before = h->graph;
        bool *retiring = graph ? calloc((size_t)graph->nedge, sizeof(*retiring)) : NULL;
        if (!retiring) {
                graph_destroy(graph);
                machine_fail(m, "out of memory for helpers");
                return;
        }
        free(h->retiring);
        h->retiring = retiring;
        h->graph = graph;
        machine_regraph(m, graph);
        graph_destroy(before);
        for (int32_t i = 0; i < come; i++)
                remember(m, h->starting[i]);
        h->nstarting -= come;
        memmove(h->starting, h->starting + come, (size_t)h->nstarting * sizeof(*h->starting));
        memmove(h->ready_ns, h->ready_ns + come, (size_t)h->nstarting * sizeof(*h->ready_ns));
        for (int32_t w = 0; w < m->nworker && !m->failed; w++)
                if (m->owned[w] == 0)
                        give_core(m, w);
#ifdef LB_CHECK
        for (int32_t n = 0; n < m->nnode; n++)
                machine_check_node(m, n);
#endif
}

/* ---- Deciding ---- */

static bool make_room(struct helpers *h, int32_t count)
{
        if (count <= h->capacity)
                return true;
        size_t capacity = 2 * (size_t)count;
        struct grow_edge *starting = realloc(h->starting, capacity * sizeof(*starting));
        if (starting)
                h->starting = starting;
        int64_t *ready_ns = realloc(h->ready_ns, capacity * sizeof(*ready_ns));
        if (ready_ns)
                h->ready_ns = ready_ns;
        if (starting && ready_ns)
                h->capacity = (int32_t)capacity;
        return starting && ready_ns;
}

static void start(struct machine *m, struct grow_edge edge)
{
        struct helpers *h = m->helpers;
        if (!make_room(h, h->nstarting + 1)) {
                machine_fail(m, "out of memory for helpers");
                return;
        }
        h->starting[h->nstarting] = edge;
        h->ready_ns[h->nstarting++] = m->now_ns + h->start_ns;
        h->starts++;
        machine_decides(m, &m->node[edge.node], h->start_cpu_ns);
}

/* From now on its apprank believes that it has no cores, and gives it no tasks. */
static void retire(struct machine *m, struct grow_edge edge)
{
        const struct apprank *a = &m->apprank[edge.apprank];
        for (int32_t e = a->first_edge + 1; e < a->first_edge + a->nedge; e++) {
                int32_t w = m->edge_worker[e];
                if (m->worker[w].node != edge.node)
                        continue;
                m->worker[w].retiring = true;
                m->held_known[w] = 0;
                *edge_known(m, KNOWN_OWNED, e) = *edge_known(m, KNOWN_TARGET, e) =
                    *edge_known(m, KNOWN_USABLE, e) = 0;
        }
}

static struct grow_view view_of(struct machine *m)
{
        struct helpers *h = m->helpers;
        for (int32_t w = 0; w < m->nworker; w++) {
                m->edge_busy[m->worker[w].edge] = m->measured[w];
                h->retiring[m->worker[w].edge] = m->worker[w].retiring;
        }
        return (struct grow_view){
                .time_ns = m->now_ns,
                .interval_ns = m->poll_ns,
                .shape = &m->shape,
                .busy_cores = m->edge_busy,
                .retiring = h->retiring,
                .starting = h->starting,
                .nstarting = h->nstarting,
        };
}

static void decide(struct machine *m)
{
        struct helpers *h = m->helpers;
        struct grow_view view = view_of(m);
        struct lb_error err;
        if (ask_grow(m->spec->grow, h->state, &view, &h->decision, NULL, &err) < 0) {
                machine_fail(m, "%s", err.text);
                return;
        }
        for (int32_t i = 0; i < h->decision.nadd; i++)
                start(m, h->decision.add[i]);
        for (int32_t i = 0; i < h->decision.nretire; i++)
                retire(m, h->decision.retire[i]);
        node_solved(&h->solves, m->now_ns, h->period_ns);
}

int64_t helpers_patience_ns(const struct machine *m)
{
        return m->helpers ? m->helpers->period_ns + m->helpers->start_ns : 0;
}

bool helpers_change(const struct machine *m)
{
        bool any = arrived(m) > 0;
        for (int32_t w = 0; w < m->nworker && !any; w++)
                any = may_go(m, w);
        return any;
}

void helpers_event(struct machine *m)
{
        struct grow_view view = view_of(m);
        ask_grow_observe(m->spec->grow, m->helpers->state, &view, NULL);
        int32_t come = arrived(m);
        if (leave(m) + come > 0)
                change_graph(m, come);
        if (!m->failed &&
            node_solve_is_due(&m->helpers->solves, m->now_ns, m->helpers->period_ns, 0))
                decide(m);
        queue_set(&m->queue, machine_slot(m, SLOT_GROW), m->now_ns + m->poll_ns);
}
