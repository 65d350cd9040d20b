/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control: what is measured and when, who is to own how many cores, and how ownership moves.
 *
 * As in the original (docs/facts.md O2, O4) nodes exchange figures at polls, every 0.5 s and each
 * at its own phase; a worker that owns too much gives up idle and lent cores at one poll, and a
 * worker that owns too little claims them at the next, so a core that is always busy never moves.
 */
#include "sim/systems/offload/machine.h"

#include <string.h>

static int64_t solver_ns(const struct machine *m, int32_t nnode)
{
        if (m->spec->runtime[RUNTIME_SOLVER_TIME] == SOLVER_TIME_GIVEN)
                return (int64_t)(m->spec->runtime[RUNTIME_SOLVER_MS] * 1e6);
        return (int64_t)(alloc_cost_s(m->spec->alloc, nnode, m->spec->alloc_param) * 1e9);
}

/* What a decision for one group takes where it is made: figures in, solver, outcome out. Groups
 * decide at the same time, each on a node of its own. */
static int64_t decision_ns(const struct machine *m, int32_t nnode)
{
        const double *runtime = m->spec->runtime;
        double messages_us = (runtime[RUNTIME_GATHER_US] + runtime[RUNTIME_SCATTER_US]) * nnode;
        if (runtime[RUNTIME_SOLVER_TIME] == SOLVER_TIME_NONE)
                return 0;
        return solver_ns(m, nnode) + (int64_t)(messages_us * 1e3);
}

static int64_t poll_ns(const struct machine *m)
{
        return node_poll_ns(m->poll_ns, m->spec->runtime[RUNTIME_POLL_ITERATIONS], m->iteration_ns);
}

static void set_poll(struct machine *m, int32_t node, int64_t next_ns)
{
        if (m->watch)
                next_ns = m->watch->next_poll_ns(m->watch->user, node, m->now_ns);
        queue_set(&m->queue, node_slot(m, node), next_ns);
}

static int64_t period_ns(const struct machine *m)
{
        return alloc_period_ns(m->spec->alloc, m->group_nodes, m->iteration_ns,
                               m->spec->alloc_param);
}

void control_begin(struct machine *m)
{
        for (int32_t n = 0; n < m->nnode; n++)
                set_poll(m, n, m->node[n].poll_phase_ns);
        if (m->together)
                queue_set(&m->queue, machine_slot(m, SLOT_STALL), m->poll_ns);
        if (m->decides && m->spec->alloc->scope == ALLOC_SCOPE_GLOBAL) {
                m->group_nodes = alloc_group_nodes(m->spec->alloc, m->nnode, m->spec->alloc_param);
                m->solve_ns = decision_ns(m, m->group_nodes);
                node_solved(&m->solves, 0, period_ns(m));
                queue_set(&m->queue, machine_slot(m, SLOT_COLLECT), m->poll_ns);
        }
        if (m->helpers)
                helpers_begin(m);
}

static void measure_busy(struct machine *m, struct node *n)
{
        int64_t interval = m->now_ns - n->last_poll_ns;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                int64_t busy = worker_busy_ns(m, w);
                m->measured[w] = node_busy_cores(busy - m->worker[w].busy_at_poll_ns, interval);
                m->worker[w].busy_at_poll_ns = busy;
        }
}

/* A policy may come from a plugin: what it decides is checked before anything acts on it. */
static void decide_node(struct machine *m, struct node *n)
{
        struct lb_error err;
        struct ask_alloc ask = { .type = m->spec->alloc,
                                 .state = n->alloc_state,
                                 .shape = machine_node_shape(m, n),
                                 .log = n->log };
        struct alloc_view view = {
                .time_ns = m->now_ns,
                .interval_ns = m->now_ns - n->last_poll_ns,
                .busy_cores = &m->measured[n->first_worker],
                .owned_cores = &m->owned[n->first_worker],
                .iteration_ns = m->iteration_ns,
        };
        ask_observe(&ask, &view);
        if (ask_decide(&ask, &view, &m->target[n->first_worker], &err) < 0)
                machine_fail(m, "policy '%s' on node %d: %s", m->spec->alloc->name,
                             (int)(n - m->node), err.text);
        measure_decision(m);
}

static void take_published(struct machine *m, const struct node *n)
{
        if (!m->has_published)
                return;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++)
                m->target[w] = m->published[m->worker[w].edge];
}

/* Cores that were given up at the last poll go to those who own too little. */
static void claim(struct machine *m, const struct node *n, int32_t first_core)
{
        for (int32_t c = first_core; c < first_core + m->ncore; c++) {
                if (!m->offered[c])
                        continue;
                int32_t owner = m->core[c].owner, taker = machine_most_under(m, n);
                if (taker != NONE && m->owned[owner] > m->target[owner])
                        core_transfer(m, c, taker);
                else
                        m->offered[c] = false;
        }
}

/* Those who own too much give up what is not in their use: kept-free cores first, then idle and
 * lent ones. None is offered yet: claim() comes first. */
static void give_up(struct machine *m, int32_t first_core, bool kept_free)
{
        for (int32_t c = first_core; c < first_core + m->ncore; c++) {
                const struct core *core = &m->core[c];
                if (node_is_movable(core->user == core->owner, false) &&
                    (core->state == CORE_GIVING) == kept_free && m->node_target[core->owner] > 0) {
                        m->node_target[core->owner]--;
                        core_offer(m, c);
                }
        }
}

static void move_ownership(struct machine *m, const struct node *n, int32_t first_core)
{
        claim(m, n, first_core);
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++)
                m->node_target[w] = m->owned[w] - m->target[w]; /* surplus */
        give_up(m, first_core, true);
        give_up(m, first_core, false);
        if (m->boundary)
                claim(m, n, first_core);
}

/* What a worker's apprank knows of it from now on. */
static void refresh_known(struct machine *m, int32_t worker, int32_t owned, int32_t target,
                          int32_t usable)
{
        int32_t edge = m->worker[worker].edge;
        *edge_known(m, KNOWN_OWNED, edge) = owned;
        *edge_known(m, KNOWN_TARGET, edge) = target;
        *edge_known(m, KNOWN_USABLE, edge) = usable;
}

/* How many tasks its apprank holds, to those who may take them. */
static void tell_held(struct machine *m, int32_t worker)
{
        const struct apprank *a = &m->apprank[m->worker[worker].apprank];
        for (int32_t e = a->first_edge + 1; e < a->first_edge + a->nedge; e++) {
                int64_t message = message_says(MESSAGE_HELD, e, m->held_known[worker]);
                tasks_tell(m, m->edge_worker[e], message, 0);
        }
}

static void tell_figures(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        tasks_tell(m, w->home_worker, message_says(MESSAGE_FIGURES, w->edge, 0),
                   pack_figures(m->owned[worker], m->target[worker], worker_usable(m, worker)));
}

static void refill_told(struct machine *m, int32_t worker)
{
        tasks_refill(m, worker, PLACE_REFRESHED);
}

void control_told(struct machine *m, int64_t message, int64_t figures)
{
        int32_t worker = m->edge_worker[message_edge(message)];
        if (message_kind(message) == MESSAGE_HELD) {
                m->held_known[worker] = message_task(message);
                return;
        }
        refresh_known(m, worker, packed_figure(figures, 2), packed_figure(figures, 1),
                      packed_figure(figures, 0));
        refill_told(m, worker);
}

/* At once. */
static void learn_of(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        refresh_known(m, worker, m->owned[worker], m->target[worker], worker_usable(m, worker));
        m->held_known[worker] = node_held(m->apprank[w->apprank].view.held_tasks);
}

/* By message, but what it knows of itself. */
static void tell_of(struct machine *m, int32_t worker)
{
        if (!m->worker[worker].home) {
                tell_figures(m, worker);
                return;
        }
        learn_of(m, worker);
        tell_held(m, worker);
}

/* What others know of this node's workers until the next poll, and what follows from it. */
static void refresh(struct machine *m, const struct node *n)
{
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                if (m->worker[w].retiring)
                        continue;
                if (m->together)
                        tell_of(m, w);
                else
                        learn_of(m, w);
        }
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                if (!m->together || m->worker[w].home)
                        refill_told(m, w);
                worker_seek(m, &m->worker[w]);
        }
}

/* An idle core does what a poll takes, or the node's next task waits for it. */
static void pay(struct machine *m, struct node *n)
{
        int32_t running = 0;
        m->charged.poll_ns += m->poll_cpu_ns * n->nworker;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++)
                running += m->running[w];
        if (running >= m->node_cores[n - m->node])
                n->stolen_ns += m->poll_cpu_ns * n->nworker;
}

/* How long policies that are asked now and then may take until they change something. */
static int64_t patience_ns(const struct machine *m)
{
        bool solves = m->decides && m->spec->alloc->scope == ALLOC_SCOPE_GLOBAL;
        return (solves ? period_ns(m) + m->solve_ns : 0) + helpers_patience_ns(m);
}

void control_node_poll(struct machine *m, int32_t node)
{
        struct node *n = &m->node[node];
        int32_t first_core = node * m->stride;
        machine_moment(m, SIM_MOMENT_POLL, node);
        if (m->now_ns > n->last_poll_ns) {
                measure_busy(m, n);
                if (m->decides && m->spec->alloc->scope == ALLOC_SCOPE_NODE)
                        decide_node(m, n);
                else if (m->decides)
                        take_published(m, n);
                n->last_poll_ns = m->now_ns;
        }
        if (node == 0 && !m->together)
                stall_look(m, poll_ns(m), patience_ns(m));
        if (m->failed)
                return;
        if (m->poll_cpu_ns > 0)
                pay(m, n);
        if (m->drom)
                move_ownership(m, n, first_core);
        refresh(m, n);
        if (m->lewi || m->drom)
                cores_retry_lending(m, node);
        if (m->tracing)
                tracing_node(m, node);
        set_poll(m, node, m->now_ns + poll_ns(m));
}

static double busy_cores(const struct machine *m, const struct node *n)
{
        double busy = 0;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++)
                busy += m->measured[w];
        return busy;
}

/* Of the group that begins at node `first`. */
static int32_t solver_node(const struct machine *m, int32_t first)
{
        int32_t best = first;
        if (m->spec->runtime[RUNTIME_SOLVER_NODE] == SOLVER_NODE_FIRST)
                return first;
        for (int32_t n = first; n < first + m->group_nodes && n < m->nnode; n++)
                if (busy_cores(m, &m->node[n]) < busy_cores(m, &m->node[best]))
                        best = n;
        return best;
}

/* The solver decides now, and the answer is out when its processor time is spent. */
static void solve(struct machine *m, const struct ask_alloc *ask, const struct alloc_view *view)
{
        struct lb_error err;
        if (ask_decide(ask, view, m->edge_target, &err) < 0)
                machine_fail(m, "policy '%s': %s", m->spec->alloc->name, err.text);
        for (int32_t n = 0; n < m->nnode; n += m->group_nodes)
                machine_decides(m, &m->node[solver_node(m, n)], m->solve_ns);
        node_solved(&m->solves, m->now_ns + m->solve_ns, period_ns(m));
        queue_set(&m->queue, machine_slot(m, SLOT_PUBLISH), m->now_ns + m->solve_ns);
        measure_decision(m);
}

/* A node that has not measured yet is not idle. */
static bool all_have_measured(const struct machine *m)
{
        for (int32_t n = 0; n < m->nnode; n++)
                if (m->node[n].last_poll_ns == 0)
                        return false;
        return true;
}

static void collect(struct machine *m)
{
        for (int32_t w = 0; w < m->nworker; w++) {
                m->edge_busy[m->worker[w].edge] = m->measured[w];
                m->edge_owned[m->worker[w].edge] = m->owned[w];
        }
        struct alloc_view view = {
                .time_ns = m->now_ns,
                .interval_ns = m->now_ns - m->collected_ns,
                .busy_cores = m->edge_busy,
                .owned_cores = m->edge_owned,
                .iteration_ns = m->iteration_ns,
        };
        struct ask_alloc ask = {
                .type = m->spec->alloc, .state = m->alloc_state, .shape = m->shape, .log = m->log
        };
        ask_observe(&ask, &view);
        m->collected_ns = m->now_ns;
        if (node_solve_is_due(&m->solves, m->now_ns, period_ns(m), 0))
                solve(m, &ask, &view);
}

void control_collect(struct machine *m)
{
        if (all_have_measured(m)) {
                collect(m);
        } else {
                m->collected_ns = m->now_ns;
                node_solved(&m->solves, m->now_ns, period_ns(m));
        }
        queue_set(&m->queue, machine_slot(m, SLOT_COLLECT), m->now_ns + poll_ns(m));
}

/* Where looks are together no node knows of the others. */
void control_stall(struct machine *m)
{
        stall_look(m, poll_ns(m), patience_ns(m));
        queue_set(&m->queue, machine_slot(m, SLOT_STALL), m->now_ns + poll_ns(m));
}

void control_publish(struct machine *m)
{
        memcpy(m->published, m->edge_target, (size_t)m->nworker * sizeof(int32_t));
        m->has_published = true;
        queue_clear(&m->queue, machine_slot(m, SLOT_PUBLISH));
}
