/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_READY_H
#define LB_SIM_SYSTEMS_OFFLOAD_READY_H

#include "sim/systems/offload/machine.h"

/* A worker's ready tasks begin, one with each event: a count, and where tasks are not alike what
 * next_task() says of each. */

/* What fails the run: a task is longer than the queue can see. */
int64_t ready_too_long(struct machine *m, int64_t total_ns);

/* The same as ready_begin(), of tasks that are numbers. */
int64_t ready_begin_numbered(struct machine *m, struct worker *w, struct core *core);

static inline void ready_pop(struct worker *w)
{
        w->ready_head = (w->ready_head + 1) & (w->ready_size - 1);
}

/* What a core does at once, no longer than can be simulated. */
static inline int64_t ready_in_span(struct machine *m, int64_t total_ns)
{
        return total_ns < queue_span_ns(&m->queue) ? total_ns : ready_too_long(m, total_ns);
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
        return ready_in_span(m, total_ns);
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
                return ready_begin_numbered(m, w, core);
        return ready_begin_for(m, w, core, m->apprank[w->apprank].task_ns, w->task_ns);
}

/* Of a home's ready tasks, which nobody has begun, those that may run elsewhere: how many there
 * are, and the one that would begin latest, of some. */
int32_t ready_count_free(const struct machine *m, const struct worker *home);
int64_t ready_take_last(struct machine *m, struct worker *home);

/* Room for one more than `count` in its ring; false: the run has failed. */
bool ready_grow(struct machine *m, struct worker *w, int32_t count);

static inline void ready_push(struct machine *m, struct worker *w, int64_t task)
{
        uint32_t count = (uint32_t)w->ready;
        if (m->numbered && m->urgent) {
                urgent_ready(m, w, (int32_t)task);
        } else if (!m->alike) {
                if (count == 0)
                        w->ready_head = 0; /* few cache lines are in use */
                if (count == w->ready_size && !ready_grow(m, w, w->ready))
                        return;
                w->ready_task[(w->ready_head + count) & (w->ready_size - 1)] = task;
        }
        w->ready++;
}

#endif
