/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events will touch is asked from memory ahead, where a machine is too large for a cache.
 *
 * - The queue knows which events come soon: the winners of its matches. Of 256 matches each one's
 * winner is some 256 events away, of 64, 16 and 4 so many. An event that is over has set its slot
 * anew, so the matches on that slot's way are those that may have new winners.
 * - What an event touches is a chain (a core's user, that worker's apprank, what that knows): each
 * link is asked for when the one before has had time to come.
 */
#include "base/ahead.h"
#include "sim/systems/offload/machine.h"

/* The links, those that are asked for first first. */
enum { LINK_CORE, LINK_WORKER, LINK_APPRANK, LINK_KNOWN, NLINK };
_Static_assert((int)NLINK == (int)MACHINE_AHEAD, "links of the chain");

void ahead_set(struct machine *m)
{
        /* Of fewer a processor's own cache holds most, and it would take longer; tasks that are
         * alike end at the same times, side by side. */
        enum { SLOTS = 1 << 16, SLOTS_ALIKE = 1 << 18 };
        m->looks_ahead = m->queue.nslot >= (m->alike ? SLOTS_ALIKE : SLOTS);
        for (int32_t i = 0; i < NLINK; i++)
                m->ahead[i] = queue_match(&m->queue, NLINK - 1 - i);
}

/* The worker whose core it is or who looks for messages; NULL: no such event. */
static inline const struct worker *worker_of(const struct machine *m, int32_t slot)
{
        int32_t place = slot & (m->stride - 1);
        if (slot >= m->first_machine_slot || place >= m->poll_place)
                return NULL;
        if (place < m->ncore)
                return &m->worker[m->core[slot].user];
        return &m->worker[m->node[slot >> m->stride_bits].first_worker + place - m->ncore];
}

static inline bool is_core(const struct machine *m, int32_t slot)
{
        return (slot & (m->stride - 1)) < m->ncore;
}

static inline void ask_core(const struct machine *m, int32_t slot)
{
        if (slot >= m->first_machine_slot)
                return;
        lb_ahead(&m->core[slot]);
        lb_ahead(&m->queue.tree[m->queue.nslot + slot]);
        lb_ahead(&m->node[slot >> m->stride_bits]);
}

static inline void ask_worker(const struct machine *m, int32_t slot)
{
        const struct worker *w = worker_of(m, slot);
        if (!w)
                return;
        lb_ahead(w);
        if (!is_core(m, slot))
                lb_ahead(&w->inbox);
}

static inline void ask_apprank(const struct machine *m, int32_t slot)
{
        const struct worker *w = worker_of(m, slot);
        if (!w)
                return;
        lb_ahead(&w->ready_task[w->ready_head]);
        if (!is_core(m, slot))
                lb_ahead(&w->inbox.item[w->inbox.head]);
        if (w->home) {
                const struct apprank *a = &m->apprank[w->apprank];
                lb_ahead(a);
                lb_ahead(&a->view.held_tasks);
        } else if (!m->outbox) {
                lb_ahead(&m->worker[w->home_worker].inbox);
        }
}

static inline void ask_known(const struct machine *m, int32_t slot)
{
        const struct worker *w = worker_of(m, slot);
        if (!w || !w->home)
                return;
        const struct apprank *a = &m->apprank[w->apprank];
        lb_ahead(a->known);
        lb_ahead(a->place_state);
}

void ahead_ask(const struct machine *m, int32_t slot)
{
        const struct queue *q = &m->queue;
        ask_core(m, queue_winner(q, slot, m->ahead[LINK_CORE]));
        ask_worker(m, queue_winner(q, slot, m->ahead[LINK_WORKER]));
        ask_apprank(m, queue_winner(q, slot, m->ahead[LINK_APPRANK]));
        ask_known(m, queue_winner(q, slot, m->ahead[LINK_KNOWN]));
}
