/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the machine tells the ledger, at marks: its own integrals (struct worker) are what events
 * touch.
 */
#include <math.h>

#include "sim/engine/measure.h"
#include "sim/systems/offload/machine.h"

struct ledger *measure_create(const struct machine *m, struct lb_error *err)
{
        return measure_ledger(m->spec,
                              &(struct measure_shape){
                                  .host = METRIC_OF_OFFLOAD,
                                  .nnode = m->nnode,
                                  .nworker = m->columns->nedge,
                              },
                              err);
}

/* Core time of a node until now, that of helpers that are gone included. */
static int64_t node_busy(const struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        int64_t busy = n->gone_busy_ns;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++)
                busy += worker_busy_ns(m, w);
        return busy;
}

static void tell_nodes(struct machine *m)
{
        for (int32_t n = 0; n < m->nnode; n++)
                m->ledger->node_busy_ns[n] = (double)node_busy(m, n);
}

/* Once at the end of each iteration. */
static void tell_totals(struct machine *m)
{
        struct totals *sum = &m->totals;
        int64_t borrowed_ns = sum->gone_borrowed_ns;
        for (int32_t w = 0; w < m->nworker; w++) {
                const struct worker *worker = &m->worker[w];
                sum->tasks += worker->executed_data;
                sum->home_tasks += worker->home ? worker->executed_data : 0;
                borrowed_ns += worker_borrowed_ns(m, w);
        }
        struct ledger_totals *now = &m->ledger->now;
        now->tasks = (double)sum->tasks;
        now->home_tasks = (double)sum->home_tasks;
        now->useful_ns = (double)sum->useful_ns;
        now->work_ns = (double)sum->work_ns;
        now->borrowed_ns = (double)borrowed_ns;
        now->bytes = (double)sum->bytes;
        now->moved_cores = (double)sum->moved_cores;
        now->decisions = (double)sum->decisions;
        now->helper_ns = (double)helpers_ns(m);
        now->message_ns = (double)(m->charged.messages * m->network.message_cpu_ns);
        now->poll_ns = (double)m->charged.poll_ns;
        now->decision_ns = (double)m->charged.decision_ns;
}

void measure_iteration(struct machine *m)
{
        if (m->iteration == 0) {
                queue_set(&m->queue, machine_slot(m, SLOT_SAMPLE), m->ledger->spec.sample_ns);
                return;
        }
        for (int32_t a = 0; a < m->napprank; a++)
                ledger_created(m->ledger, a, work_meant_ns(&m->work[a]));
        tell_nodes(m);
        tell_totals(m);
        ledger_iteration(m->ledger, m->now_ns);
}

/* Workers that are not there now own nothing, and were not busy. */
static void tell_workers(struct machine *m)
{
        struct ledger *l = m->ledger;
        for (int32_t w = 0; w < l->spec.nworker; w++)
                l->owned[w] = 0;
        for (int32_t w = 0; w < m->nworker; w++) {
                l->owned[m->worker[w].column] = m->owned[w];
                l->worker_busy_ns[m->worker[w].column] = (double)worker_busy_ns(m, w);
        }
}

void measure_sample(struct machine *m)
{
        tell_nodes(m);
        if (m->ledger->spec.keep)
                tell_workers(m);
        ledger_sample(m->ledger);
        queue_set(&m->queue, machine_slot(m, SLOT_SAMPLE), m->now_ns + m->ledger->spec.sample_ns);
}

/* ---- The end ---- */

/* How long a task lasts where it is fastest, of the nodes that an apprank may use. */
static double least_factor(const void *host, int32_t apprank, int32_t iteration)
{
        const struct machine *m = host;
        const struct graph *g = m->graph;
        double least = INFINITY;
        for (int32_t e = g->apprank_first[apprank]; e < g->apprank_first[apprank + 1]; e++)
                least = fmin(least, measure_time_factor(m->spec, g->edge_node[e], iteration));
        for (int32_t n = 0; m->helpers && n < m->nnode; n++) /* anywhere, in time */
                least = fmin(least, measure_time_factor(m->spec, n, iteration));
        return least;
}

int measure_finish(struct machine *m, int64_t nevent, struct sim_result *result,
                   struct lb_error *err)
{
        struct ledger *l = m->ledger;
        l->now.events = (double)nevent;
        l->now.starts = (double)helpers_starts(m);
        l->helpers = m->nworker - m->napprank;
        if (measure_chain(l, m->spec, least_factor, m, err) < 0)
                return -1;
        return measure_result(l, result, err);
}
