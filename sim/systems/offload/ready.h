/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_READY_H
#define LB_SIM_SYSTEMS_OFFLOAD_READY_H

#include "sim/systems/offload/machine.h"

/* A worker's ready tasks begin, one with each event: a count, and where tasks are not alike what
 * next_task() says of each. */

static inline void ready_pop(struct worker *w)
{
        w->ready_head = (w->ready_head + 1) & (w->ready_size - 1);
}

/* A task that lasts ns at speed 1, task_ns here, begins: how long the core is busy. */
static inline int64_t ready_begin_for(struct machine *m, struct worker *w, struct core *core,
                                      int64_t ns, int64_t task_ns)
{
        struct node *n = &m->node[w->node];
        int64_t total_ns = task_ns + n->overhead_ns + w->debt_ns + n->stolen_ns;
        m->totals.work_ns += ns;
        m->totals.useful_ns += task_ns;
        core->task_ns = task_ns;
        w->debt_ns = 0;
        n->stolen_ns = 0;
        return total_ns < queue_span_ns(&m->queue) ? total_ns : tasks_too_long(m, total_ns);
}

static inline int64_t ready_at_speed(const struct worker *w, int64_t ns)
{
        return (int64_t)((double)ns * w->time_factor + 0.5);
}

/* A ready task begins: how long the core is busy. */
static inline int64_t ready_begin(struct machine *m, struct worker *w, struct core *core)
{
        w->ready--;
        if (m->drawn) {
                int64_t ns = w->ready_task[w->ready_head];
                ready_pop(w);
                return ready_begin_for(m, w, core, ns, ready_at_speed(w, ns));
        }
        if (m->numbered)
                return tasks_begin_numbered(m, w, core);
        return ready_begin_for(m, w, core, m->apprank[w->apprank].task_ns, w->task_ns);
}

#endif
