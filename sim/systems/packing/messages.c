/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between neighbours at the start of an iteration. Every process sends all of its own,
 * then waits for those to it; processes of one CPU send one after the other, since a process that
 * waits gives up the CPU. A message within a node is copied, others pass the network (links.c).
 *
 * All that decides when messages are there is who is on which CPU, so it is computed anew only
 * where that has changed.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/systems/packing/packing.h"

static int by_time(const void *left, const void *right)
{
        const struct links_message *a = left, *b = right;
        if (a->time_ns != b->time_ns)
                return a->time_ns < b->time_ns ? -1 : 1;
        return (a->message > b->message) - (a->message < b->message);
}

int packing_links(struct packing *p, const struct workload_exchange *exchange)
{
        p->links = links_create(&p->network, exchange->first[p->nprocess]);
        if (!p->links)
                return -1;
        for (int32_t i = 0; i < p->nprocess; i++)
                for (int64_t m = exchange->first[i]; m < exchange->first[i + 1]; m++)
                        if (links_add(p->links, m, p->process[i].node,
                                      p->process[exchange->peer[m]].node) < 0)
                                return -1;
        return 0;
}

/* One process sends from now_ns on: adds to the *count events. Returns when it has. */
static int64_t send_own(struct packing *p, const struct workload_exchange *exchange, int32_t i,
                        int64_t now_ns, int64_t *count)
{
        for (int64_t m = exchange->first[i]; m < exchange->first[i + 1]; m++) {
                now_ns += p->process[i].overhead_ns;
                p->event[(*count)++] = (struct links_message){ now_ns, m, exchange->bytes[m] };
        }
        p->process[i].ready_ns = now_ns;
        p->process[i].message_ns = 0;
        return now_ns;
}

/* All processes send; fills event[] and when each has sent its last message. Returns the number of
 * messages. */
static int64_t send_all(struct packing *p, const struct workload_exchange *exchange)
{
        int64_t count = 0;
        for (int32_t c = 0; c < p->nprocess; c++) {
                int64_t now_ns = 0;
                for (int32_t i = p->cpu_first[c]; i < p->cpu_first[c + 1]; i++) {
                        now_ns += i > p->cpu_first[c] ? p->cost.switch_ns : 0;
                        now_ns = send_own(p, exchange, p->on_cpu[i], now_ns, &count);
                }
        }
        return count;
}

static int64_t copy_ns(const struct packing *p, const struct process *to, int64_t bytes)
{
        return llround((double)bytes / p->param[PACKING_COPY_GBPS] / to->speed);
}

static void deliver(struct packing *p, const struct workload_exchange *exchange, int64_t message,
                    int64_t there_ns)
{
        struct process *to = &p->process[exchange->peer[message]];
        to->message_ns += to->overhead_ns;
        if (links_within(p->links, message))
                to->message_ns += copy_ns(p, to, exchange->bytes[message]);
        if (there_ns > to->ready_ns)
                to->ready_ns = there_ns;
}

static void send_and_deliver(struct packing *p, const struct workload_exchange *exchange)
{
        int64_t count = send_all(p, exchange);
        qsort(p->event, (size_t)count, sizeof(*p->event), by_time);
        const int64_t *there_ns = links_send(p->links, p->event, count);
        for (int64_t m = 0; m < count; m++)
                deliver(p, exchange, m, there_ns[m]);
}

void packing_exchange(struct packing *p)
{
        const struct workload_exchange *exchange = workload_exchange(p->spec->workload);
        if (exchange->first && p->placed_anew)
                send_and_deliver(p, exchange);
        p->placed_anew = false;
        for (int32_t i = 0; i < p->nprocess; i++)
                p->process[i].cpu_ns = p->process[i].work_ns + p->process[i].message_ns;
}
