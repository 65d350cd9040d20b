/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the observer is told. The host counts processors; here they have places: a process gives its
 * last ones and takes the first that are free. In a parallel region all its processors run, though
 * a thread that is through with its chunks waits for the others.
 */
#include <stdlib.h>

#include "sim/systems/dpb/processors.h"

static enum observed_state state_of(const struct process *p, int32_t place)
{
        if (p->phase == PHASE_REGION)
                return OBSERVED_TASK;
        return p->phase == PHASE_SERIAL && place == 0 ? OBSERVED_MAIN : OBSERVED_IDLE;
}

static void tell(struct smp *m, int32_t node, int32_t core, enum observed_state state)
{
        observe_core(m->ledger->observer, m->now_ns, node, core,
                     m->core_owner[node * m->ncore + core], OBSERVED_NOBODY, state);
}

/* As many cores as it has processors are its own. */
static void settle(struct smp *m, int32_t process)
{
        const struct process *p = &m->process[process];
        int32_t *owner = &m->core_owner[p->node * m->ncore], count = 0;
        for (int32_t c = 0; c < m->ncore; c++) {
                if (owner[c] != process || ++count <= p->cpus)
                        continue;
                owner[c] = OBSERVED_NOBODY;
                tell(m, p->node, c, OBSERVED_ABSENT);
        }
        for (int32_t c = 0; c < m->ncore && count < p->cpus; c++) {
                if (owner[c] != OBSERVED_NOBODY)
                        continue;
                owner[c] = process;
                count++;
        }
}

void smp_tracing_process(struct smp *m, int32_t process)
{
        const struct process *p = &m->process[process];
        settle(m, process);
        for (int32_t c = 0, place = 0; c < m->ncore; c++)
                if (m->core_owner[p->node * m->ncore + c] == process)
                        tell(m, p->node, c, state_of(p, place++));
}

int smp_tracing_start(struct smp *m, struct lb_error *err)
{
        if (!m->spec->trace)
                return 0;
        int32_t ncell = m->nnode * m->ncore;
        int32_t *node = calloc((size_t)m->nprocess, sizeof(*node));
        int32_t *apprank = calloc((size_t)m->nprocess, sizeof(*apprank));
        m->core_owner = calloc((size_t)ncell, sizeof(*m->core_owner));
        for (int32_t i = 0; m->core_owner && i < ncell; i++)
                m->core_owner[i] = OBSERVED_NOBODY;
        for (int32_t a = 0; node && apprank && a < m->nprocess; a++) {
                node[a] = m->process[a].node;
                apprank[a] = a;
        }
        if (node && apprank && m->core_owner)
                m->tracing = tracing_open(m->spec,
                                          &(struct tracing_shape){ m->nnode, m->nprocess, node,
                                                                   apprank, .derives = true },
                                          err);
        else
                lb_error_fail(err, "out of memory for the trace");
        free(node);
        free(apprank);
        m->ledger->observer = trace_observer(m->tracing);
        for (int32_t a = 0; m->tracing && a < m->nprocess; a++)
                smp_tracing_process(m, a);
        return m->tracing ? 0 : -1;
}
