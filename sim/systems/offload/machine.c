/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine at time 0, and what must hold of it at any time. */
#include "sim/systems/offload/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sim/engine/measure.h"

/* The int32_t arrays of one number per worker, to be made and freed alike. */
enum { NARRAY = 15 };
static void worker_arrays(struct machine *m, int32_t **array[NARRAY])
{
        int32_t **all[NARRAY] = {
                &m->owned,       &m->borrowed,   &m->running,     &m->held_known, &m->target,
                &m->edge_worker, &m->edge_owned, &m->edge_target, &m->published,  &m->node_target,
                &m->count_up,    &m->zeros,      &m->held_first,  &m->held_last,  &m->task_us,
        };
        memcpy(array, all, sizeof(all));
}

static int out_of_memory(const struct machine *m, struct lb_error *err)
{
        return lb_error_fail(err, "out of memory for %d nodes of %d cores", m->nnode, m->ncore);
}

static int make_arrays(struct machine *m, struct lb_error *err)
{
        size_t nnode = (size_t)m->nnode, napprank = (size_t)m->napprank;
        bool failed = false;
        m->core = memory_zeroed(nnode * (size_t)m->stride, sizeof(*m->core), &failed);
        m->offered = memory_zeroed(nnode * (size_t)m->stride, sizeof(*m->offered), &failed);
        m->apprank = memory_zeroed(napprank, sizeof(*m->apprank), &failed);
        m->node = memory_zeroed(nnode, sizeof(*m->node), &failed);
        m->work = memory_zeroed(napprank, sizeof(*m->work), &failed);
        m->node_cores = memory_zeroed(nnode, sizeof(int32_t), &failed);
        m->block_ns = memory_zeroed(napprank, WORKLOAD_BLOCK * sizeof(int64_t), &failed);
        return failed ? out_of_memory(m, err) : machine_make_workers(m, err);
}

static int make_core_tasks(struct machine *m, struct lb_error *err)
{
        bool failed = false;
        if (m->numbered)
                m->core_task =
                    memory_zeroed((size_t)m->nnode * (size_t)m->stride, sizeof(int32_t), &failed);
        return failed ? out_of_memory(m, err) : 0;
}

int machine_make_workers(struct machine *m, struct lb_error *err)
{
        size_t nworker = (size_t)m->nworker;
        bool failed = false;
        m->worker = memory_zeroed(nworker, sizeof(*m->worker), &failed);
        m->edge_home = memory_zeroed(nworker, sizeof(bool), &failed);
        m->worker_home = memory_zeroed(nworker, sizeof(bool), &failed);
        m->edge_talk = memory_zeroed(nworker, sizeof(bool), &failed);
        m->worker_talk = memory_zeroed(nworker, sizeof(bool), &failed);
        m->measured = memory_zeroed(nworker, sizeof(double), &failed);
        m->edge_busy = memory_zeroed(nworker, sizeof(double), &failed);
        m->data_here = memory_zeroed(nworker, sizeof(int64_t), &failed);
        m->issued = memory_zeroed(nworker, sizeof(int64_t), &failed);
        m->left_bytes = memory_zeroed(nworker, sizeof(int64_t), &failed);
        m->known = memory_zeroed(known_first(m->graph, m->napprank), sizeof(int32_t), &failed);
        m->assigned_cost = memory_zeroed(nworker, sizeof(double), &failed);
        if (urgent_wanted(m->spec)) {
                m->held_heap = memory_zeroed(nworker, sizeof(*m->held_heap), &failed);
                m->ready_heap = memory_zeroed(nworker, sizeof(*m->ready_heap), &failed);
        }
        m->count = memory_zeroed(nworker, NCOUNT * sizeof(int32_t), &failed);
        int32_t **array[NARRAY];
        worker_arrays(m, array);
        for (int32_t i = 0; i < NARRAY; i++)
                *array[i] = memory_zeroed(nworker + 1, sizeof(int32_t), &failed);
        return failed ? out_of_memory(m, err) : 0;
}

void machine_free_workers(struct machine *m)
{
        void *other[] = { m->worker,        m->edge_home,  m->worker_home, m->measured,
                          m->edge_busy,     m->data_here,  m->issued,      m->edge_talk,
                          m->worker_talk,   m->left_bytes, m->known,       m->count,
                          m->assigned_cost, m->held_heap,  m->ready_heap };
        for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
                free(other[i]);
        int32_t **array[NARRAY];
        worker_arrays(m, array);
        for (int32_t i = 0; i < NARRAY; i++)
                free(*array[i]);
}

static void destroy_policies(struct machine *m)
{
        for (int32_t n = 0; m->node && n < m->nnode; n++) {
                ask_alloc_free(m->spec->alloc, m->node[n].alloc_state);
                free(m->node[n].lend_state);
        }
        for (int32_t a = 0; m->apprank && a < m->napprank; a++)
                free(m->apprank[a].place_state);
        ask_alloc_free(m->spec->alloc, m->alloc_state);
}

void machine_destroy(struct machine *m)
{
        if (!m)
                return;
        parts_destroy(m);
        destroy_policies(m);
        sim_decisions_close(&m->decisions);
        dependencies_destroy(m);
        priced_destroy(m);
        urgent_destroy(m);
        machine_free_workers(m);
        memory_finish(&m->messages);
        memory_finish(&m->ready);
        void *other[] = { m->core, m->offered, m->core_task,  m->apprank,
                          m->node, m->work,    m->node_cores, m->block_ns };
        for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
                free(other[i]);
        helpers_destroy(m->helpers);
        ledger_destroy(m->ledger);
        trace_abandon(m->tracing);
        queue_finish(&m->queue);
        network_finish(&m->network);
        free(m);
}

void machine_fail(struct machine *m, const char *format, ...)
{
        char what[256];
        va_list args;
        va_start(args, format);
        vsnprintf(what, sizeof(what), format, args);
        va_end(args);
        if (!m->failed)
                lb_error_fail(m->err, "at %.3f s, iteration %d: %s", (double)m->now_ns * 1e-9,
                              m->iteration, what);
        m->failed = true;
}

/* Where helpers come and go, a node may have as many workers as it has cores. */
static void set_sizes(struct machine *m)
{
        const struct graph *g = m->graph;
        m->nnode = g->nnode;
        m->napprank = g->napprank;
        m->nworker = g->nedge;
        m->ncore = m->spec->cores_per_node;
        int32_t most = 0;
        for (int32_t n = 0; n < g->nnode; n++) {
                int32_t here = g->node_first[n + 1] - g->node_first[n];
                most = here > most ? here : most;
        }
        if (m->spec->grow)
                most = m->ncore < m->napprank ? m->ncore : m->napprank;
        m->poll_place = m->ncore + most;
        m->stride = 1;
        while (m->stride < m->poll_place + 1 || m->stride < NSLOT_MACHINE) {
                m->stride *= 2;
                m->stride_bits++;
        }
        m->first_machine_slot = m->nnode * m->stride;
        if (m->stride > m->poll_place + NSLOT_MACHINE)
                m->first_machine_slot -= NSLOT_MACHINE;
}

int32_t machine_edge(const struct graph *graph, int32_t apprank, int32_t node)
{
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1]; e++)
                if (graph->edge_node[e] == node)
                        return e;
        return NONE;
}

static void wire_worker(struct machine *m, int32_t worker)
{
        const struct sim_spec *spec = m->spec;
        const struct graph *g = m->graph;
        struct worker *w = &m->worker[worker];
        int32_t edge = g->node_edge[worker];
        *w = (struct worker){
                .node = g->edge_node[edge],
                .apprank = g->edge_apprank[edge],
                .edge = edge,
                .column = edge,
                .home = edge == g->apprank_first[g->edge_apprank[edge]],
                .list = { NONE, NONE, NONE, NONE },
        };
        int32_t first = g->node_first[w->node];
        w->row = g->node_first[w->node + 1] - first;
        w->slot = w->node * m->stride + m->ncore + worker - first;
        w->count = &m->count[NCOUNT * first + worker - first];
        if (m->columns != g && m->columns != spec->graph)
                w->column = machine_edge(m->columns, w->apprank, w->node);
        double slowness = 1 / spec->node_speed[w->node];
        w->time_factor = measure_time_factor(spec, w->node, m->iteration);
        w->create_ns = (int64_t)(spec->runtime[RUNTIME_CREATE_US] * 1e3 * slowness + 0.5);
        m->edge_worker[edge] = worker;
        m->edge_home[edge] = m->worker_home[worker] = w->home;
        m->count_up[worker + 1] = worker + 1;
}

/* Where the graph grows, a helper brings a core: none is talk-only. */
static void set_talk_only(struct machine *m)
{
        enum alloc_talk choice = (enum alloc_talk)m->spec->runtime[RUNTIME_TALK_ONLY];
        if (m->spec->grow || !m->spec->lewi)
                choice = ALLOC_TALK_NEVER;
        if (alloc_talk_only(&m->shape, NULL, choice, m->edge_talk) == 0)
                return;
        m->shape.talk_only = m->edge_talk;
        for (int32_t w = 0; w < m->nworker; w++)
                m->worker_talk[w] = m->edge_talk[m->worker[w].edge];
}

/* Processor time of the runtime for each task on a node. */
static int64_t overhead_ns(const struct sim_spec *spec, int32_t node)
{
        double slowness = 1 / spec->node_speed[node];
        return (int64_t)(spec->runtime[RUNTIME_TASK_US] * 1e3 * slowness + 0.5);
}

void machine_wire(struct machine *m)
{
        const struct graph *g = m->graph;
        for (int32_t w = 0; w < m->nworker; w++)
                wire_worker(m, w);
        for (int32_t n = 0; n < m->nnode; n++) {
                m->node_cores[n] = m->ncore;
                m->node[n].first_worker = g->node_first[n];
                m->node[n].nworker = m->node[n].bounds[1] = g->node_first[n + 1] - g->node_first[n];
                m->node[n].overhead_ns = overhead_ns(m->spec, n);
        }
        for (int32_t a = 0; a < m->napprank; a++) {
                m->apprank[a].first_edge = g->apprank_first[a];
                m->apprank[a].nedge = g->apprank_first[a + 1] - g->apprank_first[a];
                m->apprank[a].known = &m->known[known_first(g, a)];
                for (int32_t e = g->apprank_first[a]; e < g->apprank_first[a + 1]; e++)
                        m->worker[m->edge_worker[e]].home_worker = home_worker(m, a);
        }
        m->shape = (struct lb_shape){
                .nnode = m->nnode,
                .napprank = m->napprank,
                .nworker = m->nworker,
                .cores = m->node_cores,
                .apprank_first = g->apprank_first,
                .worker_node = g->edge_node,
                .worker_apprank = g->edge_apprank,
                .worker_home = m->edge_home,
                .node_first = g->node_first,
                .node_worker = g->node_edge,
                .poll_s = m->spec->runtime[RUNTIME_POLL_S],
        };
        set_talk_only(m);
}

uint64_t machine_phase_seed(const struct machine *m)
{
        uint64_t seed = (uint64_t)m->spec->runtime[RUNTIME_PHASE_SEED];
        return seed ? seed : m->spec->seed;
}

/* When each worker looks for messages, and each node exchanges figures. */
static void set_phases(struct machine *m)
{
        struct lb_random random;
        lb_random_init(&random, machine_phase_seed(m), LB_RANDOM_PHASE, 0);
        for (int32_t w = 0; w < m->nworker && m->message_poll_ns > 0; w++)
                m->worker[w].message_phase_ns =
                    (int64_t)lb_random_below(&random, (uint64_t)m->message_poll_ns);
        for (int32_t w = 0; w < m->nworker && m->together; w++)
                m->worker[w].message_phase_ns = 0;
        for (int32_t n = 0; n < m->nnode; n++)
                m->node[n].poll_phase_ns =
                    1 + (int64_t)lb_random_below(&random, (uint64_t)m->poll_ns);
}

static void set_up(struct machine *m)
{
        const struct sim_spec *spec = m->spec;
        m->alike = workload_alike(spec->workload);
        m->together = (enum looks)spec->runtime[RUNTIME_LOOKS] == LOOKS_TOGETHER;
        m->lewi = spec->lewi;
        m->drom = spec->drom;
        m->decides = m->drom || (spec->runtime[RUNTIME_TARGETS] != 0 && m->lewi);
        m->asks = spec->runtime[RUNTIME_ASK] != 0 && m->lewi;
        m->gives_waiting = m->asks && spec->runtime[RUNTIME_ASK_WAITING] != 0;
        m->times_tasks = ask_lend_learns(spec->lend, spec->lend_param);
        m->learns = ask_place_learns(spec->place, spec->place_param);
        m->boundary = (enum ownership)spec->runtime[RUNTIME_OWNERSHIP] == OWNERSHIP_BOUNDARY;
        m->message_poll_ns = (int64_t)(spec->runtime[RUNTIME_MESSAGE_POLL_US] * 1e3 + 0.5);
        m->looks_per_ns = m->message_poll_ns > 0 ? 1 / (double)m->message_poll_ns : 0;
        m->poll_ns = (int64_t)(spec->runtime[RUNTIME_POLL_S] * 1e9 + 0.5);
        m->poll_cpu_ns = (int64_t)(spec->runtime[RUNTIME_POLL_CPU_US] * 1e3 + 0.5);
        m->place_cpu_ns = (int64_t)(spec->runtime[RUNTIME_PLACE_CPU_US] * 1e3 + 0.5);
        machine_wire(m);
        set_phases(m);
}

static int set_ownership(struct machine *m, struct lb_error *err)
{
        if (alloc_initial(&m->shape, m->edge_owned, err) < 0)
                return -1;
        for (int32_t e = 0; e < m->nworker; e++) {
                int32_t w = m->edge_worker[e];
                m->owned[w] = m->target[w] = m->edge_owned[e];
                *edge_known(m, KNOWN_OWNED, e) = *edge_known(m, KNOWN_TARGET, e) =
                    *edge_known(m, KNOWN_USABLE, e) = m->edge_owned[e];
        }
        cores_idle_at_start(m);
        return 0;
}

struct lb_shape machine_node_shape(const struct machine *m, const struct node *n)
{
        return lb_shape_of_node(&m->shape, (int32_t)(n - m->node),
                                &(struct lb_shape_alone){
                                    .home = &m->worker_home[n->first_worker],
                                    .talk_only = &m->worker_talk[n->first_worker],
                                    .count_up = m->count_up,
                                    .zeros = m->zeros,
                                    .bounds = n->bounds,
                                });
}

int machine_set_lending(struct machine *m, struct node *n, struct lb_error *err)
{
        int32_t at = n->first_worker, *count = &m->count[NCOUNT * at];
        n->view = (struct lend_view){
                .nworker = n->nworker,
                .owned_cores = &m->owned[at],
                .lent_cores = &count[COUNT_LENT * n->nworker],
                .borrowed_cores = &m->borrowed[at],
                .reclaiming_cores = &count[COUNT_RECLAIMING * n->nworker],
                .running_tasks = &m->running[at],
                .tasks = &count[COUNT_ASSIGNED * n->nworker],
                .ready_tasks = &count[COUNT_READY * n->nworker],
                .held_tasks_known = &m->held_known[at],
                .task_us = &m->task_us[at],
        };
        n->lend_state = ask_lend_make(m->spec->lend, n->nworker, m->spec->lend_param, n->log, err);
        return n->lend_state ? 0 : -1;
}

int machine_set_placement(struct machine *m, struct apprank *a, struct lb_error *err)
{
        a->view = (struct place_view){
                .nworker = a->nedge,
                .held_tasks = a->view.held_tasks,
                .tasks = apprank_known(a, KNOWN_TASKS, 0),
                .owned_cores = apprank_known(a, KNOWN_OWNED, 0),
                .target_cores = apprank_known(a, KNOWN_TARGET, 0),
                .usable_cores = apprank_known(a, KNOWN_USABLE, 0),
                .talk_only = m->shape.talk_only ? &m->edge_talk[a->first_edge] : NULL,
        };
        a->place_state =
            ask_place_make(m->spec->place, a->nedge, m->spec->place_param, a->log, err);
        return a->place_state ? 0 : -1;
}

int machine_set_allocation(struct machine *m, struct lb_error *err)
{
        if (!m->decides)
                return 0;
        if (m->spec->alloc->scope == ALLOC_SCOPE_GLOBAL) {
                m->alloc_state =
                    ask_alloc_make(m->spec->alloc, &m->shape, m->spec->alloc_param, m->log, err);
                return m->alloc_state ? 0 : -1;
        }
        for (int32_t n = 0; n < m->nnode; n++) {
                struct lb_shape shape = machine_node_shape(m, &m->node[n]);
                m->node[n].alloc_state = ask_alloc_make(m->spec->alloc, &shape,
                                                        m->spec->alloc_param, m->node[n].log, err);
                if (!m->node[n].alloc_state)
                        return -1;
        }
        return 0;
}

static int set_policies(struct machine *m, struct lb_error *err)
{
        for (int32_t n = 0; n < m->nnode; n++)
                if (machine_set_lending(m, &m->node[n], err) < 0)
                        return -1;
        for (int32_t a = 0; a < m->napprank; a++)
                if (machine_set_placement(m, &m->apprank[a], err) < 0)
                        return -1;
        return machine_set_allocation(m, err);
}

/* Nodes write what is allocated and lent there, appranks what is placed, and the last what is
 * decided for all nodes. */
static int open_decisions(struct machine *m, struct lb_error *err)
{
        int32_t last = m->nnode + m->napprank;
        if (m->spec->decisions && m->spec->grow)
                return lb_error_set(err,
                                    "decisions cannot be written of a system whose graph changes: "
                                    "found system \"%s\"%s",
                                    m->spec->system->name,
                                    system_finds_degree(m->spec->system)
                                        ? ""
                                        : " (it does not with system.grow_degree=1)");
        if (sim_decisions_open(&m->decisions, m->spec, last + 1, err) < 0)
                return -1;
        m->writes = m->spec->decisions != NULL;
        for (int32_t n = 0; n < m->nnode; n++)
                m->node[n].log = sim_decisions_of(&m->decisions, n);
        for (int32_t a = 0; a < m->napprank; a++)
                m->apprank[a].log = sim_decisions_of(&m->decisions, m->nnode + a);
        m->log = sim_decisions_of(&m->decisions, last);
        return 0;
}

struct machine *machine_create(const struct sim_spec *spec, const struct graph *columns,
                               struct lb_error *err)
{
        struct machine *m = calloc(1, sizeof(*m));
        if (!m) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        m->spec = spec;
        m->watch = spec->watch;
        m->place = spec->place;
        m->graph = spec->graph;
        m->columns = columns;
        set_sizes(m);
        if (queue_init(&m->queue, m->first_machine_slot + NSLOT_MACHINE, err) < 0 ||
            sim_network_init(&m->network, m->nnode, spec, err) < 0 || make_arrays(m, err) < 0)
                goto error;
        set_up(m);
        ahead_set(m);
        if (open_decisions(m, err) < 0 || dependencies_create(m, err) < 0 ||
            priced_create(m, err) < 0 || urgent_create(m, err) < 0 || set_ownership(m, err) < 0 ||
            set_policies(m, err) < 0)
                goto error;
        m->numbered = m->explicit || m->priced;
        m->drawn = !m->alike && !m->numbered;
        if (make_core_tasks(m, err) < 0)
                goto error;
        m->ledger = measure_create(m, err);
        if (!m->ledger)
                goto error;
        if (spec->grow && !(m->helpers = helpers_create(m, err)))
                goto error;
        return m;
error:
        machine_destroy(m);
        return NULL;
}

/* What the cores of a node add up to, for one worker. */
struct tally {
        int32_t owned, lent, borrowed, running, pooled, giving;
        int32_t at_hand; /* lent, and in the worker's lists but that of pooled ones */
};

static struct tally tally(const struct machine *m, int32_t node, int32_t worker)
{
        struct tally t = { 0 };
        for (int32_t c = node * m->stride; c < node * m->stride + m->ncore; c++) {
                const struct core *core = &m->core[c];
                bool own = core->owner == worker, used = core->user == worker;
                t.owned += own;
                t.running += used && core->state != CORE_KEPT;
                t.borrowed += used && !own;
                t.pooled += own && core->state == CORE_POOLED;
                t.giving += own && core->state == CORE_GIVING;
                t.lent += own && (core->state == CORE_POOLED || (core->user != NONE && !used));
                t.at_hand += own && (core->state == CORE_IDLE || core->state == CORE_GIVING);
                t.at_hand += used && core->state == CORE_KEPT;
        }
        t.at_hand += t.lent;
        return t;
}

void machine_check_node(struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        int32_t sum = 0, asking = 0;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                struct tally t = tally(m, node, w);
                const struct worker *worker = &m->worker[w];
                sum += t.owned;
                if (t.owned != m->owned[w] || t.owned < lb_shape_least(&m->shape, worker->edge))
                        machine_fail(m, "invariant: owned cores");
                if (t.lent != *worker_count(worker, COUNT_LENT) || t.borrowed != m->borrowed[w])
                        machine_fail(m, "invariant: lent and borrowed cores");
                if (worker->home && *edge_known(m, KNOWN_USABLE, worker->edge) !=
                                        node_usable(t.owned, t.lent, t.borrowed))
                        machine_fail(m, "invariant: what an apprank's own process can use");
                if (t.running != m->running[w] || t.pooled != worker->pooled ||
                    t.giving != worker->giving)
                        machine_fail(m, "invariant: running, pooled and giving cores");
                if (*worker_count(worker, COUNT_RECLAIMING) < 0 ||
                    *worker_count(worker, COUNT_RECLAIMING) > t.lent - t.pooled)
                        machine_fail(m, "invariant: reclaimed cores are lent and in use");
                if (worker->at_hand != t.at_hand - *worker_count(worker, COUNT_RECLAIMING))
                        machine_fail(m, "invariant: cores that a worker could get");
                asking += worker->asking;
                if (worker->ready < 0 || worker->assigned < 0 ||
                    *edge_known(m, KNOWN_TASKS, worker->edge) < 0)
                        machine_fail(m, "invariant: task counts");
        }
        if (asking != n->asked)
                machine_fail(m, "invariant: cores that tasks are asked for");
        if (sum != m->ncore)
                machine_fail(m, "invariant: every core has one owner");
}
