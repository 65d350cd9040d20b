/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit tasks with dependencies (models/taskgraph.h): which are ready, and where their data is.
 *
 *   not created --main program--> created --all predecessors known to have finished--> ready
 *
 * - An apprank learns at its home that a task has finished, from a helper as late as any message.
 * - Assumed: a task's data is where its last predecessor to be known as finished ran, and at home
 *   where it has none, in every iteration. What other predecessors left elsewhere is taken to be
 *   part of its bytes, which move as a whole or not at all; where a taskwait writes back, the data
 *   of tasks that nobody waits for.
 * - Ready tasks that are held wait in the order in which they became ready.
 * - Tasks that are within another are ready where that one ran, without home, which learns that all
 *   of them have finished, as of one task.
 *
 * One number per task says all, so that a task takes 4 bytes here: how many predecessors are
 * missing (> 0); none, and it has no predecessor (0); none, not created yet, and its data is on
 * node n (-1 - n); held, and followed by task n (n); assigned, running, finished (below).
 */
#include <limits.h>
#include <stdlib.h>

#include "models/taskgraph.h"
#include "sim/systems/offload/machine.h"
#include "sim/systems/offload/ready.h"

enum { ASSIGNED = INT32_MIN, RUNNING, FINISHED };

int dependencies_create(struct machine *m, struct lb_error *err)
{
        const struct taskgraph *graph = workload_graph_of(m->spec->workload);
        if (!graph)
                return 0;
        m->explicit = calloc((size_t)m->napprank, sizeof(*m->explicit));
        if (!m->explicit)
                return lb_error_fail(err, "out of memory for %d appranks", m->napprank);
        for (int32_t a = 0; a < m->napprank; a++) {
                struct explicit *e = &m->explicit[a];
                int32_t most = taskgraph_most_tasks(graph, a);
                e->graph = taskgraph_part(graph, 0, a);
                e->state = malloc(((size_t)most + 1) * sizeof(*e->state));
                if (taskgraph_has_wholes(graph))
                        e->whole = malloc(((size_t)most + 1) * sizeof(*e->whole));
                if (!e->state || (taskgraph_has_wholes(graph) && !e->whole))
                        return lb_error_fail(err, "out of memory for %d tasks", most);
        }
        m->wholes = taskgraph_has_wholes(graph);
        return 0;
}

void dependencies_destroy(struct machine *m)
{
        for (int32_t a = 0; m->explicit && a < m->napprank; a++) {
                free(m->explicit[a].state);
                free(m->explicit[a].whole);
        }
        free(m->explicit);
}

#ifdef LB_CHECK
/* A task starts once, before all that wait for it, and at home where it stays. */
static void check_start(struct machine *m, const struct worker *w, int32_t task)
{
        const struct explicit *e = &m->explicit[w->apprank];
        const struct taskgraph_part *graph = e->graph;
        bool stays = taskgraph_stays(graph, taskgraph_whole_of(graph, task));
        if (stays && !w->home)
                machine_fail(m, "invariant: task %d stays, and starts elsewhere", task);
        if (e->state[task] != ASSIGNED)
                machine_fail(m, "invariant: task %d starts, which is not assigned", task);
        for (uint32_t i = taskgraph_first(graph, task); i < taskgraph_first(graph, task + 1); i++)
                if (e->state[graph->successor[i]] <= 0)
                        machine_fail(m, "invariant: task %d is ready, task %d has only started",
                                     graph->successor[i], task);
}

/* Every task ran, and once. */
static void check_finish(struct machine *m, int32_t apprank, int32_t task)
{
        const struct explicit *e = &m->explicit[apprank];
        if (e->state[task] != (m->wholes ? FINISHED : RUNNING))
                machine_fail(m, "invariant: task %d has finished, which was not running", task);
        if (m->apprank[apprank].left > 1)
                return;
        for (int32_t t = 0; t < e->graph->ntask; t++)
                if (t != task && e->state[t] != FINISHED)
                        machine_fail(m, "invariant: task %d has not finished", t);
}
#endif

void dependencies_begin(struct machine *m, int32_t apprank)
{
        struct explicit *e = &m->explicit[apprank];
        const struct taskgraph_part *graph =
            taskgraph_part(workload_graph_of(m->spec->workload), m->iteration, apprank);
        e->graph = graph;
        taskgraph_count_before(graph, e->state);
        if (e->whole)
                taskgraph_gather_wholes(graph, e->whole);
}

/* The place of a task's data, at home where no worker of the apprank is there any more. */
static int32_t data_edge(const struct machine *m, int32_t apprank, int32_t state)
{
        int32_t edge = state < 0 ? machine_edge(m->graph, apprank, -1 - state) : NONE;
        return edge == NONE ? m->apprank[apprank].first_edge : edge;
}

void dependencies_created(struct machine *m, int32_t apprank, int64_t from, int64_t until)
{
        const struct explicit *e = &m->explicit[apprank];
        for (int32_t t = (int32_t)from; t < until; t++)
                if (e->state[t] <= 0 && taskgraph_within(e->graph, t) == TASKGRAPH_NONE)
                        tasks_ready(m, apprank, data_edge(m, apprank, e->state[t]), t);
}

int64_t dependencies_count_created(const struct machine *m, int32_t apprank, int64_t from,
                                   int64_t until)
{
        const struct explicit *e = &m->explicit[apprank];
        int64_t count = 0;
        for (int32_t t = (int32_t)from; t < until; t++)
                count += taskgraph_within(e->graph, t) == TASKGRAPH_NONE;
        return count;
}

void dependencies_assign(struct explicit *e, int64_t task)
{
        e->state[task] = ASSIGNED;
}

void dependencies_start(struct machine *m, const struct worker *w, int64_t task)
{
        struct explicit *e = &m->explicit[w->apprank];
        const struct taskgraph_part *graph = e->graph;
#ifdef LB_CHECK
        check_start(m, w, (int32_t)task);
#endif
        e->state[task] = RUNNING;
        if (taskgraph_first(graph, (int32_t)task) == taskgraph_first(graph, (int32_t)task + 1))
                m->left_bytes[w->edge] += (int64_t)graph->bytes[task];
}

bool dependencies_goes_on(struct machine *m, struct worker *w, int32_t *task, int64_t *took_ns)
{
        const struct explicit *e = &m->explicit[w->apprank];
        int32_t first = taskgraph_whole_of(e->graph, *task);
        e->state[*task] = FINISHED;
        uint32_t end = taskgraph_first(e->graph, *task + 1);
        for (uint32_t i = taskgraph_first(e->graph, *task); i < end; i++) {
                int32_t next = e->graph->successor[i];
                if (taskgraph_within(e->graph, next) != first || --e->state[next] > 0)
                        continue;
                e->state[next] = ASSIGNED;
                w->assigned++;
                ready_push(m, w, next);
        }
        e->whole[first].kept += *took_ns;
        if (--e->whole[first].left > 0)
                return true;
        *task = first;
        *took_ns = e->whole[first].kept;
        return false;
}

static void release(struct machine *m, struct worker *w, int32_t task)
{
        const struct explicit *e = &m->explicit[w->apprank];
        const struct taskgraph_part *graph = e->graph;
        uint32_t end = taskgraph_first(graph, task + 1);
        for (uint32_t i = taskgraph_first(graph, task); i < end; i++) {
                int32_t next = graph->successor[i];
                if (taskgraph_within(graph, next) != TASKGRAPH_NONE || --e->state[next] > 0)
                        continue;
                if (next < m->apprank[w->apprank].created)
                        tasks_ready(m, w->apprank, w->edge, next);
                else
                        e->state[next] = -1 - w->node;
        }
}

/* What waited for it is placed before others that are held, as lbrun and the original do. */
void dependencies_finish(struct machine *m, struct worker *w, int32_t task)
{
        const struct explicit *e = &m->explicit[w->apprank];
#ifdef LB_CHECK
        check_finish(m, w->apprank, task);
#endif
        e->state[task] = FINISHED;
        release(m, w, task);
        int32_t within = e->whole ? e->whole[task].next : NONE;
        for (; within != NONE; within = e->whole[within].next) {
                m->apprank[w->apprank].left--;
                release(m, w, within);
        }
}

void dependencies_hold(struct machine *m, int32_t apprank, int32_t edge, int32_t task)
{
        const struct apprank *a = &m->apprank[apprank];
        if (*apprank_known(a, KNOWN_HELD, edge - a->first_edge) == 1)
                m->held_first[edge] = task;
        else
                m->explicit[apprank].state[m->held_last[edge]] = task;
        m->held_last[edge] = task;
}

int32_t dependencies_release(struct machine *m, int32_t apprank, int32_t edge)
{
        int32_t *state = m->explicit[apprank].state;
        int32_t task = m->held_first[edge];
        m->held_first[edge] = state[task];
        state[task] = ASSIGNED;
        return task;
}

void dependencies_move_held(struct machine *m, int32_t apprank, int32_t from, int32_t to)
{
        if (*edge_known(m, KNOWN_HELD, from) == 0)
                return;
        if (*edge_known(m, KNOWN_HELD, to) == 0)
                m->held_first[to] = m->held_first[from];
        else
                m->explicit[apprank].state[m->held_last[to]] = m->held_first[from];
        m->held_last[to] = m->held_last[from];
}
