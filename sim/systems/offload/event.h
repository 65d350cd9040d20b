/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_EVENT_H
#define LB_SIM_SYSTEMS_OFFLOAD_EVENT_H

#include "sim/systems/offload/machine.h"

/* An event of a node: of its core, its worker or itself, by the slot. */
static inline void event_of_node(struct machine *m, int32_t slot)
{
        int32_t node = slot >> m->stride_bits, place = slot & (m->stride - 1);
        if (place < m->ncore)
                core_event(m, slot);
        else if (place < m->poll_place)
                tasks_inbox_event(m, &m->worker[m->node[node].first_worker + place - m->ncore]);
        else
                control_node_poll(m, node);
        if (m->asks)
                asks_look(m, node);
#ifdef LB_CHECK
        machine_check_node(m, node);
#endif
}

/* After each event. */
static inline void event_over(struct machine *m)
{
        if (queue_is_half_used(&m->queue, m->now_ns))
                queue_rebase(&m->queue, m->now_ns);
}

#endif
