/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes meet, and what it costs where some share CPUs.
 *
 * - Barrier: as in the main machine, ceil(log2 n) rounds of a message; each round waits for the
 *   slowest to see it.
 * - Reduction (MPI_Allreduce): within a node up a binomial tree to the node's first process,
 * between these by recursive doubling, and down again; in a fixed order, so that each step waits
 * for one process, which may have to wait for its turn on its CPU: what the paper found to suffer.
 * - All-to-all: every process sends to every other; it ends when the slowest NIC and the busiest
 *   CPU are through. Data moves meanwhile, whoever has the CPU, so it hardly suffers.
 */
#include <math.h>

#include "sim/systems/packing/packing.h"

static int64_t last_arrival(const struct packing *p)
{
        int64_t last = 0;
        for (int32_t i = 0; i < p->nprocess; i++)
                last = lb_later(last, p->process[i].arrival_ns);
        return last;
}

static int64_t response_ns(const struct packing *p, int32_t i)
{
        return share_response_ns(&p->cost, p->process[i].mates);
}

static int64_t barrier(const struct packing *p)
{
        int64_t slowest = 0, rounds = 0;
        for (int32_t i = 0; i < p->nprocess; i++)
                slowest = lb_later(slowest, response_ns(p, i));
        for (int64_t left = p->nprocess - 1; left > 0; left /= 2)
                rounds++;
        return last_arrival(p) + network_barrier_ns(&p->network, p->nprocess) + rounds * slowest;
}

/* ---- Reduction ---- */

/* When `to` has a message that `from` has sent at at[from]. */
static int64_t hop(const struct packing *p, int32_t from, int32_t to, const int64_t *at)
{
        const struct process *a = &p->process[from], *b = &p->process[to];
        bool within = network_within(&p->network, a->node, b->node);
        int64_t latency = within ? 0 : p->network.latency_ns;
        return at[from] + a->overhead_ns + latency + response_ns(p, to) + b->overhead_ns;
}

/* Binomial tree over the processes of a node, count at distance `stride` of each other from `first`
 * on: up to the first one. */
static void gather(const struct packing *p, int32_t first, int32_t count, int64_t *at)
{
        for (int32_t step = 1; step < count; step *= 2)
                for (int32_t i = 0; i + step < count; i += 2 * step)
                        at[first + i] =
                            lb_later(at[first + i], hop(p, first + i + step, first + i, at));
}

static void spread(const struct packing *p, int32_t first, int32_t count, int64_t *at)
{
        int32_t step = 1;
        while (step < count)
                step *= 2;
        for (step /= 2; step >= 1; step /= 2)
                for (int32_t i = 0; i + step < count; i += 2 * step)
                        at[first + i + step] =
                            lb_later(at[first + i + step], hop(p, first + i, first + i + step, at));
}

/* The nodes' first processes, up a tree to process 0 and down again. Between nodes both cost the
 * same as recursive doubling where all arrive at once. */
static void between_nodes(const struct packing *p, int32_t per_node, int64_t *at)
{
        int32_t nnode = p->nprocess / per_node, top = 1;
        for (int32_t step = 1; step < nnode; step *= 2) {
                for (int32_t n = 0; n + step < nnode; n += 2 * step) {
                        int32_t a = n * per_node, b = (n + step) * per_node;
                        at[a] = lb_later(at[a], hop(p, b, a, at));
                }
                top = step;
        }
        for (int32_t step = top; step >= 1 && nnode > 1; step /= 2)
                for (int32_t n = 0; n + step < nnode; n += 2 * step) {
                        int32_t a = n * per_node, b = (n + step) * per_node;
                        at[b] = lb_later(at[b], hop(p, a, b, at));
                }
}

static int64_t reduction(struct packing *p, int32_t times)
{
        int32_t per_node = p->spec->appranks_per_node;
        int64_t *at = p->arrival_ns, end = 0;
        for (int32_t i = 0; i < p->nprocess; i++)
                at[i] = p->process[i].arrival_ns;
        for (int32_t t = 0; t < times; t++) {
                for (int32_t first = 0; first < p->nprocess; first += per_node)
                        gather(p, first, per_node, at);
                between_nodes(p, per_node, at);
                for (int32_t first = 0; first < p->nprocess; first += per_node)
                        spread(p, first, per_node, at);
        }
        for (int32_t i = 0; i < p->nprocess; i++)
                end = lb_later(end, at[i]);
        return end;
}

/* ---- All-to-all ---- */

/* Processes that have the NIC of a node. */
static int32_t sharing_nic(const struct packing *p, int32_t node)
{
        const int32_t *nic = p->network.nic;
        int32_t end = node + 1;
        while (end < p->network.nnode && nic[end] == nic[node])
                end++;
        return (end - nic[node]) * p->spec->appranks_per_node;
}

static double link_ns(const struct packing *p, int32_t node, double bytes)
{
        double sharing = sharing_nic(p, node);
        double out = sharing * (p->nprocess - sharing) * bytes;
        return out * p->network.ns_per_byte / p->network.link[p->network.nic[node]];
}

/* Processor time of one process: all of its messages, and copies of those within its machine. */
static double send_ns(const struct packing *p, const struct process *process, double bytes)
{
        double inside = (sharing_nic(p, process->node) - 1) * bytes;
        return (p->nprocess - 1) * 2.0 * (double)process->overhead_ns +
               inside / p->param[PACKING_COPY_GBPS] / process->speed;
}

static int64_t all_to_all(const struct packing *p, int64_t bytes)
{
        double longest = 0;
        for (int32_t i = 0; i < p->nprocess; i++) {
                const struct process *process = &p->process[i];
                double cpu_ns = (1 + process->mates) * send_ns(p, process, (double)bytes) +
                                (double)response_ns(p, i);
                longest = fmax(longest, fmax(cpu_ns, link_ns(p, process->node, (double)bytes)));
        }
        int64_t latency = p->spec->graph->nnode > 1 ? p->network.latency_ns : 0;
        return last_arrival(p) + latency + llround(fmin(longest, 1e18));
}

int64_t packing_meet(struct packing *p)
{
        const struct workload_exchange *exchange = workload_exchange(p->spec->workload);
        int64_t end = 0;
        switch (exchange->meeting) {
        case WORKLOAD_BARRIER:
                end = barrier(p);
                break;
        case WORKLOAD_ALLREDUCE:
                end = reduction(p, exchange->nmeeting);
                break;
        case WORKLOAD_ALLTOALL:
                end = all_to_all(p, exchange->meeting_bytes);
                break;
        }
        return end + p->extra_ns;
}
