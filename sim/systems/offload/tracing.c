/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine tells its observer, whose workers are numbered as the edges of machine.columns.
 */
#include "sim/systems/offload/machine.h"

static enum observed_state state_of(const struct core *c)
{
        static const enum observed_state states[] = {
                [CORE_IDLE] = OBSERVED_IDLE,   [CORE_POOLED] = OBSERVED_LENT,
                [CORE_GIVING] = OBSERVED_IDLE, [CORE_KEPT] = OBSERVED_IDLE,
                [CORE_TASK] = OBSERVED_TASK,   [CORE_MAIN] = OBSERVED_MAIN,
        };
        return states[c->state];
}

void tracing_core(const struct machine *m, int32_t core)
{
        const struct core *c = &m->core[core];
        int32_t user = c->user == NONE ? OBSERVED_NOBODY : m->worker[c->user].column;
        observe_core(m->ledger->observer, m->now_ns, core >> m->stride_bits, core & (m->stride - 1),
                     m->worker[c->owner].column, user, state_of(c));
}

/* ---- Figures ---- */

static void tell(const struct machine *m, int32_t worker, enum observed_figure figure,
                 double number)
{
        observe_figure(m->ledger->observer, m->now_ns, m->worker[worker].column, figure, number);
}

static void tell_apprank(const struct machine *m, int32_t worker)
{
        const struct apprank *a = &m->apprank[m->worker[worker].apprank];
        int64_t offloaded = 0;
        for (int32_t e = a->first_edge + 1; e < a->first_edge + a->nedge; e++)
                offloaded += *edge_known(m, KNOWN_TASKS, e);
        tell(m, worker, OBSERVED_HELD_TASKS, (double)a->view.held_tasks);
        tell(m, worker, OBSERVED_OFFLOADED_TASKS, (double)offloaded);
}

void tracing_node(const struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                tell(m, w, OBSERVED_OWNED_CORES, m->owned[w]);
                tell(m, w, OBSERVED_BORROWED_CORES, m->borrowed[w]);
                tell(m, w, OBSERVED_BUSY_CORES, m->measured[w]);
                if (m->worker[w].home)
                        tell_apprank(m, w);
        }
        if (node == m->nnode - 1)
                observe_imbalance(m->ledger->observer, m->now_ns);
}

void tracing_gone(const struct machine *m, int32_t worker)
{
        tell(m, worker, OBSERVED_OWNED_CORES, 0);
        tell(m, worker, OBSERVED_BORROWED_CORES, 0);
        tell(m, worker, OBSERVED_BUSY_CORES, 0);
}

/* All cores are idle with their owners. */
int tracing_start(struct machine *m, struct lb_error *err)
{
        if (!m->spec->trace)
                return 0;
        m->tracing = tracing_open(m->spec,
                                  &(struct tracing_shape){
                                      .nnode = m->nnode,
                                      .nworker = m->columns->nedge,
                                      .worker_node = m->columns->edge_node,
                                      .worker_apprank = m->columns->edge_apprank,
                                  },
                                  err);
        m->ledger->observer = trace_observer(m->tracing);
        for (int32_t n = 0; m->tracing && n < m->nnode; n++)
                for (int32_t c = 0; c < m->ncore; c++)
                        tracing_core(m, n * m->stride + c);
        return m->tracing ? 0 : -1;
}
