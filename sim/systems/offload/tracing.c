/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/systems/offload/tracing.h"

#include <math.h>
#include <stdlib.h>

#include "plots/trace.h"
#include "sim/systems/offload/machine.h"

/* Whom the trace shows a core with. */
struct shown {
        int32_t owner, user; /* workers' columns, or NONE */
};

struct tracing {
        struct trace *trace;
        struct shown *shown; /* [nnode * stride], by core slot */
        double *node_busy;   /* [nnode] as of each node's last poll, cores */
};

static struct trace *open_trace(const struct machine *m, const struct sim_trace *spec,
                                struct lb_error *err)
{
        return trace_create(
            &(struct trace_spec){
                .file = spec->file,
                .nnode = m->nnode,
                .cores_per_node = m->ncore,
                .napprank = m->napprank,
                .nworker = m->columns->nedge,
                .worker_node = m->columns->edge_node,
                .worker_apprank = m->columns->edge_apprank,
                .from_ns = spec->from_ns,
                .until_ns = spec->until_ns,
                .core_step = spec->core_step,
            },
            err);
}

struct tracing *tracing_create(const struct machine *m, const struct sim_trace *spec,
                               struct lb_error *err)
{
        struct tracing *tracing = calloc(1, sizeof(*tracing));
        size_t nslot = (size_t)m->nnode * (size_t)m->stride;
        if (tracing) {
                tracing->shown = malloc(nslot * sizeof(*tracing->shown));
                tracing->node_busy = calloc((size_t)m->nnode, sizeof(double));
        }
        if (!tracing || !tracing->shown || !tracing->node_busy) {
                lb_error_fail(err, "out of memory for the trace");
                tracing_abandon(tracing);
                return NULL;
        }
        for (size_t i = 0; i < nslot; i++)
                tracing->shown[i] = (struct shown){ NONE, NONE };
        tracing->trace = open_trace(m, spec, err);
        if (tracing->trace)
                return tracing;
        tracing_abandon(tracing);
        return NULL;
}

static enum trace_state state_of(const struct core *c)
{
        static const enum trace_state states[] = {
                [CORE_IDLE] = TRACE_IDLE, [CORE_POOLED] = TRACE_LENT, [CORE_GIVING] = TRACE_IDLE,
                [CORE_KEPT] = TRACE_IDLE, [CORE_TASK] = TRACE_TASK,   [CORE_MAIN] = TRACE_MAIN,
        };
        return states[c->state];
}

static void show(const struct machine *m, int32_t column, int32_t core, enum trace_state state)
{
        trace_core(m->tracing->trace, m->now_ns, column, core & (m->stride - 1), state);
}

void tracing_core(const struct machine *m, int32_t core)
{
        const struct core *c = &m->core[core];
        struct shown *before = &m->tracing->shown[core];
        bool lent = c->user != NONE && c->user != c->owner;
        struct shown now = { m->worker[c->owner].column, lent ? m->worker[c->user].column : NONE };
        if (before->user != NONE && before->user != now.user && before->user != now.owner)
                show(m, before->user, core, TRACE_ABSENT);
        if (before->owner != NONE && before->owner != now.owner && before->owner != now.user)
                show(m, before->owner, core, TRACE_ABSENT);
        show(m, now.owner, core, now.user == NONE ? state_of(c) : TRACE_LENT);
        if (now.user != NONE)
                show(m, now.user, core, state_of(c));
        *before = now;
}

/* ---- Figures ---- */

static void set(const struct machine *m, int32_t worker, enum trace_value value, double number)
{
        trace_set(m->tracing->trace, m->now_ns, m->worker[worker].column, value,
                  (int64_t)llround(number));
}

static void set_apprank(const struct machine *m, int32_t worker)
{
        const struct apprank *a = &m->apprank[m->worker[worker].apprank];
        int64_t offloaded = 0;
        for (int32_t e = a->first_edge + 1; e < a->first_edge + a->nedge; e++)
                offloaded += m->tasks[e];
        set(m, worker, TRACE_HELD_TASKS, (double)a->held);
        set(m, worker, TRACE_OFFLOADED_TASKS, (double)offloaded);
}

void tracing_node(const struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        double busy = 0;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                set(m, w, TRACE_OWNED_CORES, m->owned[w]);
                set(m, w, TRACE_BORROWED_CORES, m->borrowed[w]);
                set(m, w, TRACE_BUSY_CORES, m->measured[w]);
                if (m->worker[w].home)
                        set_apprank(m, w);
                busy += m->measured[w];
        }
        m->tracing->node_busy[node] = busy;
        if (node == m->nnode - 1)
                trace_set(m->tracing->trace, m->now_ns, 0, TRACE_NODE_IMBALANCE,
                          trace_imbalance(m->tracing->node_busy, m->nnode));
}

void tracing_gone(const struct machine *m, int32_t worker)
{
        set(m, worker, TRACE_OWNED_CORES, 0);
        set(m, worker, TRACE_BORROWED_CORES, 0);
        set(m, worker, TRACE_BUSY_CORES, 0);
}

int tracing_close(const struct machine *m, struct lb_error *err)
{
        struct trace *trace = m->tracing->trace;
        m->tracing->trace = NULL;
        return trace_close(trace, m->now_ns, err);
}

void tracing_abandon(struct tracing *tracing)
{
        if (!tracing)
                return;
        trace_abandon(tracing->trace);
        free(tracing->shown);
        free(tracing->node_busy);
        free(tracing);
}
