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
enum { CORE = QUEUE_SOON - 1, WORKER = 10, APPRANK = 6, KNOWN = 2 };

void ahead_set(struct machine *m)
{
        /* Of fewer a processor's own cache holds most, and it would take longer; tasks that are
         * alike end at the same times, side by side. */
        enum { SLOTS = 1 << 16, SLOTS_ALIKE = 1 << 18 };
        m->looks_ahead = m->queue.nslot >= (m->alike ? SLOTS_ALIKE : SLOTS);
        m->ahead_match = queue_match(&m->queue, 3);
        memset(m->ahead, 0, sizeof(m->ahead));
}

static inline bool is_core(const struct machine *m, int32_t slot)
{
        return slot < m->first_machine_slot && (slot & (m->stride - 1)) < m->ncore;
}

/* The worker of an event that is so far away; of another, if one has come between since. */
static inline const struct worker **worker_in(struct machine *m, uint32_t events)
{
        return &m->ahead[(m->queue.soon_first + events) % QUEUE_SOON_ROOM];
}

static inline void ask_core(const struct machine *m, int32_t slot)
{
        int32_t winner = queue_winner(&m->queue, slot, m->ahead_match);
        if (winner < m->queue.nslot) {
                lb_ahead(&m->queue.tree[m->queue.nslot + winner]);
                lb_ahead(&m->queue.tree[(m->queue.nslot + winner) / 4]);
        }
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
        else if ((int32_t)m->core[slot].owner != worker)
                lb_ahead(&m->worker[m->core[slot].owner].count);
        return w;
}

static inline void ask_apprank(const struct machine *m, const struct worker *w, int32_t slot)
{
        bool looks = !is_core(m, slot);
        lb_ahead(&w->ready_task[w->ready_head]);
        if (!looks && &m->worker[m->core[slot].owner] != w)
                lb_ahead(worker_count(&m->worker[m->core[slot].owner], COUNT_RECLAIMING));
        if (looks)
                lb_ahead(&w->inbox.item[w->inbox.head]);
        if (w->home) {
                const struct apprank *a = &m->apprank[w->apprank];
                lb_ahead(a);
                lb_ahead(&a->view.owned_cores);
                if (looks)
                        lb_ahead(&a->task_bytes);
        } else if (!m->outbox) {
                lb_ahead(&m->worker[w->home_worker].inbox);
        }
}

/* A task that ends at a helper is told to its home. */
static inline void ask_message(const struct machine *m, const struct worker *home)
{
        const struct inbox *inbox = &home->inbox;
        lb_ahead(&inbox->item[(inbox->head + inbox->count) & (inbox->size - 1)]);
        if (inbox->count == 0)
                lb_ahead(&m->queue.tree[m->queue.nslot + home->slot]);
}

/* The helper that a message is from may be sent another task. */
static inline void ask_helper(const struct machine *m, const struct inbox *inbox)
{
        if (inbox->count == 0 || inbox->item[inbox->head].task >= 0)
                return;
        int32_t edge = message_edge(inbox->item[inbox->head].task);
        const struct worker *w = &m->worker[m->edge_worker[edge]];
        lb_ahead(w);
        lb_ahead(&w->inbox);
}

static inline void ask_known(const struct machine *m, const struct worker *w, bool looks)
{
        if (!w->home) {
                if (!looks && !m->outbox)
                        ask_message(m, &m->worker[w->home_worker]);
                return;
        }
        if (looks)
                ask_helper(m, &w->inbox);
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
                ask_apprank(m, w, queue_soon_slot(q, APPRANK));
        w = *worker_in(m, KNOWN);
        if (w)
                ask_known(m, w, !is_core(m, queue_soon_slot(q, KNOWN)));
}
