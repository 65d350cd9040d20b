/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events will touch is asked from memory ahead, where a machine is too large for a cache.
 *
 * - The queue says which the next events are. What one touches is a chain (a core's user, that
 *   worker's apprank, what that knows): each link is asked for when the one before has had time to
 *   come.
 * - The queue itself is asked for the slots that win one of its 256 matches: such an event is some
 *   256 events away. A match has a new winner where an event has been taken out.
 */
#include <string.h>

#include "base/ahead.h"
#include "sim/systems/offload/machine.h"

/* How many events come before the one whose link is asked for. */
enum { CORE = QUEUE_SOON - 1, WORKER = 13, APPRANK = 8, KNOWN = 3 };

void ahead_set(struct machine *m)
{
        /* Of fewer a processor's own cache holds most, and it would take longer; tasks that are
         * alike end at the same times, side by side. */
        enum { SLOTS = 1 << 15, SLOTS_ALIKE = 1 << 18 };
        m->looks_ahead = m->queue.nslot >= (m->alike ? SLOTS_ALIKE : SLOTS);
        m->ahead_match = queue_match(&m->queue, 3);
        memset(m->ahead, 0, sizeof(m->ahead));
}

static inline bool is_core(const struct machine *m, int32_t slot)
{
        return (slot & (m->stride - 1)) < m->ncore;
}

/* The worker of an event that is so far away. */
static inline const struct worker **worker_in(struct machine *m, uint32_t events)
{
        return &m->ahead[(m->queue.soon_first + events) % QUEUE_SOON_ROOM];
}

static inline void ask_core(const struct machine *m, int32_t slot)
{
        int32_t winner = queue_winner(&m->queue, slot, m->ahead_match);
        if (winner < m->queue.nslot)
                lb_ahead(&m->queue.tree[m->queue.nslot + winner]);
        if (slot >= m->first_machine_slot)
                return;
        lb_ahead(&m->core[slot]);
        lb_ahead(&m->node[slot >> m->stride_bits]);
}

/* The worker whose core it is or who looks for messages; NULL: no such event. */
static inline const struct worker *ask_worker(const struct machine *m, int32_t slot)
{
        int32_t place = slot & (m->stride - 1);
        if (slot >= m->first_machine_slot || place >= m->poll_place)
                return NULL;
        int32_t worker = is_core(m, slot)
                             ? m->core[slot].user
                             : m->node[slot >> m->stride_bits].first_worker + place - m->ncore;
        const struct worker *w = &m->worker[worker];
        lb_ahead(w);
        if (!is_core(m, slot))
                lb_ahead(&w->inbox);
        return w;
}

static inline void ask_apprank(const struct machine *m, const struct worker *w, bool looks)
{
        lb_ahead(&w->ready_task[w->ready_head]);
        if (looks)
                lb_ahead(&w->inbox.item[w->inbox.head]);
        if (w->home) {
                const struct apprank *a = &m->apprank[w->apprank];
                lb_ahead(a);
                lb_ahead(&a->view.owned_cores);
        } else if (!m->outbox) {
                lb_ahead(&m->worker[w->home_worker].inbox);
        }
}

static inline void ask_known(const struct machine *m, const struct worker *w)
{
        if (!w->home)
                return;
        const struct apprank *a = &m->apprank[w->apprank];
        lb_ahead(a->known);
        lb_ahead(a->place_state);
        lb_ahead(&m->block_ns[w->apprank * WORKLOAD_BLOCK + a->next_task % WORKLOAD_BLOCK]);
}

void ahead_ask(struct machine *m)
{
        const struct queue *q = &m->queue;
        queue_look_ahead(&m->queue);
        if (q->soon_end - q->soon_first < QUEUE_SOON)
                return;
        ask_core(m, queue_soon_slot(q, CORE));
        *worker_in(m, WORKER) = ask_worker(m, queue_soon_slot(q, WORKER));
        const struct worker *w = *worker_in(m, APPRANK);
        if (w)
                ask_apprank(m, w, !is_core(m, queue_soon_slot(q, APPRANK)));
        w = *worker_in(m, KNOWN);
        if (w)
                ask_known(m, w);
}
