/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between neighbours at the start of an iteration. Every process sends all of its own,
 * then waits for those to it; processes of one CPU send one after the other, since a process that
 * waits gives up the CPU. A message within a node is copied, others pass the network.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/systems/packing/packing.h"

static int by_time(const void *left, const void *right)
{
        const struct message_event *a = left, *b = right;
        if (a->time_ns != b->time_ns)
                return a->time_ns < b->time_ns ? -1 : 1;
        return (a->message > b->message) - (a->message < b->message);
}

/* All processes send; fills event[] and when each has sent its last message. Returns the number of
 * messages. */
static int64_t send_all(struct packing *p, const struct workload_exchange *exchange)
{
        int64_t count = 0;
        for (int32_t c = 0; c < p->nprocess; c++) {
                int64_t now_ns = 0;
                for (int32_t i = p->cpu_first[c]; i < p->cpu_first[c + 1]; i++) {
                        struct process *process = &p->process[p->on_cpu[i]];
                        now_ns += i > p->cpu_first[c] ? p->cost.switch_ns : 0;
                        int64_t last = exchange->first[p->on_cpu[i] + 1];
                        for (int64_t m = exchange->first[p->on_cpu[i]]; m < last; m++) {
                                now_ns += process->overhead_ns;
                                p->event[count++] =
                                    (struct message_event){ now_ns, m, p->on_cpu[i] };
                        }
                        process->ready_ns = now_ns;
                }
        }
        return count;
}

static int64_t copy_ns(const struct packing *p, const struct process *to, int64_t bytes)
{
        return llround((double)bytes / p->param[PACKING_COPY_GBPS] / to->speed);
}

static void deliver(struct packing *p, const struct workload_exchange *exchange,
                    const struct message_event *event)
{
        const struct process *from = &p->process[event->from];
        struct process *to = &p->process[exchange->peer[event->message]];
        int64_t bytes = exchange->bytes[event->message], there_ns = event->time_ns;
        to->cpu_ns += to->overhead_ns;
        if (from->node == to->node)
                to->cpu_ns += copy_ns(p, to, bytes);
        else
                there_ns = network_send(&p->network, from->node, to->node, bytes,
                                        p->start_ns + event->time_ns) -
                           p->start_ns;
        if (there_ns > to->ready_ns)
                to->ready_ns = there_ns;
}

void packing_exchange(struct packing *p)
{
        const struct workload_exchange *exchange = workload_exchange(p->spec->workload);
        for (int32_t i = 0; i < p->nprocess; i++) {
                p->process[i].ready_ns = 0;
                p->process[i].cpu_ns = p->process[i].work_ns;
        }
        if (!exchange->first)
                return;
        int64_t count = send_all(p, exchange);
        qsort(p->event, (size_t)count, sizeof(*p->event), by_time);
        for (int64_t i = 0; i < count; i++)
                deliver(p, exchange, &p->event[i]);
}
