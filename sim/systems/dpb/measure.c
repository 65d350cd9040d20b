/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ledger is told, once phases are over. A thread is busy with its chunks and with fork and
 * join; one that waits at the end of a region is not.
 */
#include <math.h>

#include "sim/engine/measure.h"
#include "sim/systems/dpb/processors.h"

struct ledger *smp_measure_create(const struct smp *m, struct lb_error *err)
{
        struct ledger *l = measure_ledger(m->spec,
                                          &(struct measure_shape){
                                              .host = METRIC_OF_DPB,
                                              .nnode = m->nnode,
                                              .nworker = m->nprocess,
                                              .hindsight = true,
                                          },
                                          err);
        for (int32_t a = 0; l && a < m->nprocess; a++)
                l->owned[a] = m->process[a].cpus;
        /* Loops that can be cut anywhere have no whole tasks that keep cores from an even end. */
        if (l && m->param[SMP_SCHEDULE] == SMP_IDEAL && !isnan(l->limits.floor))
                l->limits.floor = l->limits.floor_blind = 1;
        return l;
}

void smp_measure_busy(struct smp *m, int32_t process, double overhead_ns)
{
        const struct process *p = &m->process[process];
        ledger_finished(m->ledger, 0, true, p->useful_ns, p->work_ns);
        ledger_busy(m->ledger, p->node, process, p->begin_ns, m->now_ns,
                    p->useful_ns + overhead_ns);
}

void smp_measure_iteration(struct smp *m)
{
        for (int32_t a = 0; a < m->nprocess; a++) {
                const struct work *work = &m->work[a];
                ledger_created(m->ledger, a, work_meant_ns(work));
                ledger_finished(m->ledger, (double)work->ntask, true, 0, 0);
        }
        ledger_iteration(m->ledger, m->now_ns);
}
