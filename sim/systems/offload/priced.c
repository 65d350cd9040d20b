/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks whose cost the program says (runtime.cost_hints), exactly: a task's number and duration are
 * known as it is created. As in lbrun (real/runtime/place.c) the dearest are taken first
 * (urgent.c), wherever their data is.
 */
#include <stdlib.h>

#include "models/taskgraph.h"
#include "sim/systems/offload/machine.h"

int priced_create(struct machine *m, struct lb_error *err)
{
        if (m->spec->runtime[RUNTIME_COST_HINTS] == 0 || m->alike)
                return 0;
        m->priced = calloc((size_t)m->napprank, sizeof(*m->priced));
        if (!m->priced)
                return lb_error_fail(err, "out of memory for %d appranks", m->napprank);
        return 0;
}

void priced_destroy(struct machine *m)
{
        for (int32_t a = 0; m->priced && a < m->napprank; a++) {
                free(m->priced[a].task_ns);
                free(m->priced[a].cost);
                free(m->priced[a].node);
        }
        free(m->priced);
}

static bool reach(struct priced *p, int64_t ntask)
{
        if (ntask <= p->room)
                return true;
        size_t room = (size_t)(ntask + WORKLOAD_BLOCK); /* durations come in blocks */
        int32_t *node = realloc(p->node, room * sizeof(*node));
        if (!node)
                return false;
        p->node = node;
        free(p->task_ns);
        free(p->cost);
        p->task_ns = malloc(room * sizeof(*p->task_ns));
        p->cost = malloc(room * sizeof(*p->cost));
        p->room = ntask;
        return p->task_ns && p->cost;
}

/* Tasks that the last iteration did not have, and all whose data it brought home, are at home. */
static void locate(struct machine *m, int32_t apprank)
{
        struct priced *p = &m->priced[apprank];
        int64_t ntask = m->apprank[apprank].ntask;
        for (int64_t t = workload_writeback(m->spec->workload) ? 0 : p->nlocated; t < ntask; t++)
                p->node[t] = NONE;
        p->nlocated = ntask;
}

int32_t priced_edge(const struct machine *m, int32_t apprank, int64_t task)
{
        int32_t node = m->priced[apprank].node[task];
        int32_t edge = node == NONE ? NONE : machine_edge(m->graph, apprank, node);
        return edge == NONE ? m->apprank[apprank].first_edge : edge;
}

void priced_ran(struct machine *m, const struct worker *w, int64_t task)
{
        m->priced[w->apprank].node[task] = w->node;
}

/* Of an explicit task with those within it. */
static void add_up(const struct taskgraph_part *graph, int64_t *task_ns)
{
        for (int32_t t = 0; t < graph->ntask; t++) {
                int32_t within = taskgraph_within(graph, t);
                task_ns[t] = graph->task_ns[t];
                if (within != TASKGRAPH_NONE)
                        task_ns[within] += graph->task_ns[t];
        }
}

static void draw(const struct machine *m, int32_t apprank, int64_t *task_ns)
{
        int64_t ntask = m->apprank[apprank].ntask;
        if (m->explicit)
                add_up(m->explicit[apprank].graph, task_ns);
        for (int64_t first = 0; !m->explicit && first < ntask; first += WORKLOAD_BLOCK)
                workload_block_ns(m->spec->workload, apprank, m->iteration, first / WORKLOAD_BLOCK,
                                  &task_ns[first]);
}

void priced_show(struct machine *m, int32_t apprank)
{
        struct priced *p = &m->priced[apprank];
        struct apprank *a = &m->apprank[apprank];
        p->view.assigned = &m->assigned_cost[a->first_edge];
        a->view.costs = &p->view;
}

/* Does it count by itself? */
static bool is_placed(const struct machine *m, int32_t apprank, int32_t task)
{
        return !m->explicit || taskgraph_within(m->explicit[apprank].graph, task) == TASKGRAPH_NONE;
}

void priced_begin(struct machine *m, int32_t apprank)
{
        struct priced *p = &m->priced[apprank];
        struct apprank *a = &m->apprank[apprank];
        if (!reach(p, a->ntask)) {
                machine_fail(m, "out of memory for tasks");
                return;
        }
        draw(m, apprank, p->task_ns);
        locate(m, apprank);
        if (m->iteration > 0)
                costs_iteration(&p->costs);
        for (int32_t t = 0; t < a->ntask; t++)
                p->cost[t] =
                    is_placed(m, apprank, t) ? costs_of(&p->costs, (double)p->task_ns[t]) : 0;
        for (int32_t e = a->first_edge; e < a->first_edge + a->nedge; e++)
                m->assigned_cost[e] = 0; /* what rounding left */
        p->view = (struct place_costs){ .held = 0 };
        priced_show(m, apprank);
}

void priced_assigned(struct machine *m, int32_t apprank, int32_t edge, int64_t task)
{
        m->assigned_cost[edge] += m->priced[apprank].cost[task];
}

void priced_finished(struct machine *m, const struct worker *w, int64_t task)
{
        struct priced *p = &m->priced[w->apprank];
        m->assigned_cost[w->edge] -= p->cost[task];
        p->view.finished = p->cost[task];
}

void priced_held(struct machine *m, int32_t apprank, int32_t task, bool held)
{
        struct priced *p = &m->priced[apprank];
        p->view.held += held ? p->cost[task] : -p->cost[task];
}

void priced_next(struct machine *m, int32_t apprank, int32_t task)
{
        struct priced *p = &m->priced[apprank];
        p->view.next = task == NONE ? 1 : p->cost[task];
}
