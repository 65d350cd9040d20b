/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/systems/offload/inbox.h"

#include "base/apart.h"

static LB_APART bool ring_grow(struct machine *m, struct inbox *inbox)
{
        uint32_t size = inbox->size ? 2 * inbox->size : 8;
        struct message *item = memory_take(&m->messages, size * sizeof(*item));
        if (!item) {
                machine_fail(m, "out of memory for messages");
                return false;
        }
        for (uint32_t i = 0; i < inbox->count; i++)
                item[i] = inbox->item[(inbox->head + i) & (inbox->size - 1)];
        memory_give(&m->messages, inbox->item, inbox->size * sizeof(*item));
        *inbox = (struct inbox){ .item = item, .size = size, .count = inbox->count };
        return true;
}

/* When a worker next looks for messages, at or after a time. */
static int64_t next_look_ns(const struct machine *m, const struct worker *w, int64_t arrival_ns)
{
        int64_t period = m->message_poll_ns;
        if (period == 0)
                return arrival_ns;
        int64_t since = arrival_ns - w->message_phase_ns;
        if (since <= 0)
                return w->message_phase_ns;
        /* (since + period - 1) / period * period, without the division: which look it is about is
         * one off at most, in years of simulated time */
        int64_t look_ns = (int64_t)((double)since * m->looks_per_ns) * period;
        if (look_ns - period >= since)
                look_ns -= period;
        while (look_ns < since)
                look_ns += period;
        return w->message_phase_ns + look_ns;
}

/* Where all look together a message is not seen at the time it is sent: who has looked already does
 * not see it, so nor does who is about to. */
static inline int64_t not_now(const struct machine *m, int64_t arrival_ns)
{
        if (m->together && arrival_ns <= m->now_ns)
                arrival_ns = m->now_ns + 1;
        return arrival_ns;
}

void inbox_send(struct machine *m, struct worker *w, int64_t arrival_ns, int64_t task,
                int64_t executed_ns)
{
        struct inbox *inbox = &w->inbox;
        if (inbox->count == inbox->size && !ring_grow(m, inbox))
                return;
        arrival_ns = not_now(m, arrival_ns);
        if (inbox->count > 0) { /* messages are seen in the order they were sent */
                uint32_t last = (inbox->head + inbox->count - 1) & (inbox->size - 1);
                if (arrival_ns < inbox->item[last].arrival_ns)
                        arrival_ns = inbox->item[last].arrival_ns;
        } else {
                inbox->head = 0; /* few cache lines are in use */
                queue_add(&m->queue, w->slot, next_look_ns(m, w, arrival_ns));
        }
        inbox->item[(inbox->head + inbox->count) & (inbox->size - 1)] =
            (struct message){ arrival_ns, task, executed_ns };
        inbox->count++;
}

void inbox_watch(struct machine *m, const struct worker *w)
{
        if (w->inbox.count > 0)
                queue_set(&m->queue, w->slot,
                          next_look_ns(m, w, w->inbox.item[w->inbox.head].arrival_ns));
        else
                queue_clear(&m->queue, w->slot);
}
