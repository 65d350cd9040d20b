/* SPDX-License-Identifier: BSD-3-Clause */
/* The resource manager of a node: who is told what, and how processors change hands. */
#include <string.h>

#include "policies/host/ask.h"
#include "sim/systems/dpb/processors.h"

/* Within a region only where changes take effect at once. */
static bool may_change(const struct smp *m, const struct process *p)
{
        return p->phase != PHASE_REGION || m->param[SMP_MODE] == SMP_ASYNCHRONOUS;
}

static void give(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        if (p->cpus <= p->target || !may_change(m, p))
                return;
        m->node[p->node].free += p->cpus - p->target;
        smp_resize(m, process, p->target);
}

static void take(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        struct smp_node *node = &m->node[p->node];
        int32_t wanted = p->target - p->cpus;
        int32_t count = wanted < node->free ? wanted : node->free;
        if (count <= 0 || !may_change(m, p))
                return;
        node->free -= count;
        ledger_moved(m->ledger, count);
        smp_resize(m, process, p->cpus + count);
}

void smp_edge(struct smp *m, int32_t process)
{
        give(m, process);
        take(m, process);
}

static bool all_measured(const struct smp *m, const struct smp_node *node)
{
        for (int32_t a = node->first; a < node->first + node->nprocess; a++)
                if (!profile_ready(m->process[a].profile))
                        return false;
        return true;
}

void smp_told(struct smp *m, int32_t node)
{
        struct smp_node *n = &m->node[node];
        double delay_ms = m->param[SMP_DELAY_MS];
        if (n->deciding || n->nprocess == 0 || !all_measured(m, n))
                return;
        n->deciding = true;
        if (delay_ms > 0)
                queue_set(&m->queue, smp_node_slot(m, node),
                          m->now_ns + (int64_t)(delay_ms * 1e6 + 0.5));
        else
                smp_decide(m, node);
}

static void carry_out(struct smp *m, const struct smp_node *n)
{
        for (int32_t a = n->first; a < n->first + n->nprocess; a++)
                m->process[a].target = m->wanted[a];
        for (int32_t a = n->first; a < n->first + n->nprocess; a++)
                give(m, a);
        for (int32_t a = n->first; a < n->first + n->nprocess; a++)
                take(m, a);
}

/* What is decided on is the allocation aimed at; processors may still be on their way to it. */
void smp_decide(struct smp *m, int32_t node)
{
        struct smp_node *n = &m->node[node];
        for (int32_t a = n->first; a < n->first + n->nprocess; a++) {
                profile_means(m->process[a].profile, &m->compute_s[a], &m->mpi_s[a]);
                m->cpus[a] = m->process[a].target;
        }
        struct dpb_view view = {
                .time_ns = m->now_ns,
                .compute_s = m->compute_s + n->first,
                .mpi_s = m->mpi_s + n->first,
                .cpus = m->cpus + n->first,
        };
        m->failed |= ask_dpb(m->policy, n->state, n->nprocess, &view, m->wanted + n->first,
                             sim_decisions_of(&m->decisions, node), m->err) < 0;
        ledger_decided(m->ledger);
        n->deciding = false;
        queue_clear(&m->queue, smp_node_slot(m, node));
        carry_out(m, n);
        for (int32_t a = n->first; a < n->first + n->nprocess; a++)
                profile_reset(m->process[a].profile);
}
