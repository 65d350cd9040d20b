/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ledger is told of an iteration when it is over. Busy is calculating and handling
 * messages; processes that share a CPU are so at an even rate until they arrive.
 */
#include <math.h>

#include "sim/engine/measure.h"
#include "sim/systems/packing/packing.h"

struct ledger *packing_measure_create(const struct packing *p, struct lb_error *err)
{
        struct ledger *l = measure_ledger(p->spec,
                                          &(struct measure_shape){
                                              .host = METRIC_OF_PACKING,
                                              .nnode = p->spec->graph->nnode,
                                              .nworker = p->nprocess,
                                              .hindsight = true,
                                          },
                                          err);
        for (int32_t i = 0; l && i < p->nprocess; i++)
                l->owned[i] = p->cores;
        if (l)
                l->shared_cores = p->cores * p->spec->appranks_per_node;
        return l;
}

/* A process is busy where its CPU is. */
static void tell_process(struct packing *p, int32_t i)
{
        const struct process *process = &p->process[i];
        const struct work *work = &p->work[i];
        double useful_ns = (double)process->useful_ns;
        double busy_ns = useful_ns + (double)(process->cpu_ns - process->work_ns);
        ledger_created(p->ledger, i, work_meant_ns(work));
        ledger_finished(p->ledger, (double)work->ntask, true, useful_ns, (double)process->drawn_ns);
        ledger_busy(p->ledger, p->process[process->cpu].node, i,
                    p->start_ns + process->ready_ns + process->wait_ns,
                    p->start_ns + process->arrival_ns, busy_ns);
}

static bool all_alone(const struct packing *p)
{
        for (int32_t i = 0; i < p->nprocess; i++)
                if (p->process[i].mates > 0)
                        return false;
        return true;
}

void packing_measure_work(struct packing *p)
{
        for (int32_t i = 0; i < p->nprocess; i++) {
                tell_process(p, i);
                p->arrival_ns[i] = p->process[i].arrival_ns;
        }
        if (all_alone(p))
                ledger_arrivals(p->ledger, p->arrival_ns);
}

void packing_measure_iteration(struct packing *p, int64_t end_ns)
{
        struct ledger *l = p->ledger;
        for (int32_t n = 0; n < l->spec.nnode; n++)
                l->node_freed[n] = 0;
        for (int32_t c = 0; c < p->nprocess; c++)
                if (p->cpu_first[c + 1] == p->cpu_first[c])
                        l->node_freed[p->process[c].node] += p->cores;
        l->now.moved_cores = (double)p->moved * p->cores;
        l->now.decisions = (double)p->decisions;
        l->now.events = (double)p->switches;
        ledger_iteration(l, p->start_ns + end_ns);
}
