/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/platform.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Times are cut here, about 36 years: three of them still add up without overflow. */
static const int64_t time_max_ns = INT64_C(1) << 60;

const struct lb_param platform_params[] = {
        [PLATFORM_NODES] = { .name = "nodes",
                             .type = LB_PARAM_INTEGER,
                             .fallback = 4,
                             .min = 1,
                             .max = 131072,
                             .help = "number of nodes" },
        [PLATFORM_CORES_PER_NODE] = { .name = "cores_per_node",
                                      .unit = "cores",
                                      .type = LB_PARAM_INTEGER,
                                      .fallback = 48,
                                      .min = 1,
                                      .max = 1024,
                                      .help = "cores of every node" },
        [PLATFORM_APPRANKS_PER_NODE] = { .name = "appranks_per_node",
                                         .type = LB_PARAM_INTEGER,
                                         .fallback = 1,
                                         .min = 1,
                                         .max = 1024,
                                         .help = "application ranks whose home is one node" },
        [PLATFORM_NPARAM] = { 0 },
};

/*
 * Latency and bandwidth are those of a 100 Gbit/s fabric, as on the paper's machines. The papers
 * give no processor time per message; 1 us is our assumption, the usual size of the overhead "o" of
 * an MPI send or receive in LogP measurements, of the order of the latency itself.
 */
const struct lb_param network_params[] = {
        [NETWORK_LATENCY_US] = { .name = "latency_us",
                                 .unit = "us",
                                 .type = LB_PARAM_NUMBER,
                                 .fallback = 1.5,
                                 .min = 0,
                                 .max = 1e6,
                                 .help = "time of an empty message from node to node" },
        [NETWORK_BANDWIDTH_GBPS] = { .name = "bandwidth_GBps",
                                     .unit = "GB/s",
                                     .type = LB_PARAM_NUMBER,
                                     .fallback = 12.5,
                                     .min = 1e-6,
                                     .max = 1e6,
                                     .help = "bandwidth of a node's NIC, in each direction" },
        [NETWORK_CONTENTION] = { .name = "contention",
                                 .type = LB_PARAM_SWITCH,
                                 .fallback = 1,
                                 .max = 1,
                                 .help = "messages queue at the NICs; off: each has them to "
                                         "itself" },
        [NETWORK_MESSAGE_CPU_US] = { .name = "message_cpu_us",
                                     .unit = "us",
                                     .type = LB_PARAM_NUMBER,
                                     .fallback = 1,
                                     .min = 0,
                                     .max = 1e6,
                                     .help = "processor time per message at either end (assumed: "
                                             "a usual MPI overhead, the papers give none)" },
        [NETWORK_COPY_GBPS] = { .name = "copy_GBps",
                                .unit = "GB/s",
                                .type = LB_PARAM_NUMBER,
                                .fallback = 0,
                                .max = 1e6,
                                .help = "rate at which a core of who executes a task that is not "
                                        "at home copies the task's data there and back, instead "
                                        "of computing; 0: the network's hardware copies" },
        [NETWORK_NPARAM] = { 0 },
};

/*
 * Watts per core with its share of the package, of two Xeon E5-2670 (115 W for 8 cores at full
 * load: 14.4 W). Assumed, for want of a measurement in the papers: a core that polls draws nearly
 * as much, since it executes without waiting for memory (0.85); an idle one of a package that is in
 * use keeps its share of caches and clocks (0.25); one that is switched off draws a leak (0.05).
 */
const struct lb_param power_params[] = {
        [POWER_BUSY_W] = { .name = "busy_W",
                           .unit = "W",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 14.4,
                           .max = 1e4,
                           .help = "a core that works (115 W for 8 cores)" },
        [POWER_POLLING_W] = { .name = "polling_W",
                              .unit = "W",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 12.2,
                              .max = 1e4,
                              .help = "a core whose process polls for messages (assumed)" },
        [POWER_IDLE_W] = { .name = "idle_W",
                           .unit = "W",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 3.6,
                           .max = 1e4,
                           .help = "a core with nothing to do (assumed)" },
        [POWER_OFF_W] = { .name = "off_W",
                          .unit = "W",
                          .type = LB_PARAM_NUMBER,
                          .fallback = 0.7,
                          .max = 1e4,
                          .help = "a core that was freed and switched off (assumed)" },
        [POWER_NPARAM] = { 0 },
};

static int check_params(const double *param, struct lb_error *err)
{
        for (int i = 0; i < NETWORK_NPARAM; i++)
                if (lb_param_check(&network_params[i], param[i], err) != 0)
                        return lb_error_prefix(err, "%s: ", network_params[i].name);
        return 0;
}

int network_init(struct network *network, int32_t nnode, const double *param, struct lb_error *err)
{
        *network = (struct network){ 0 };
        if (nnode < 1)
                return lb_error_set(err, "found a network of %d nodes, allowed is at least 1",
                                    nnode);
        if (check_params(param, err) != 0)
                return -1;
        int64_t *out_free_ns = calloc((size_t)nnode, sizeof(*out_free_ns));
        int64_t *in_free_ns = calloc((size_t)nnode, sizeof(*in_free_ns));
        double *link = calloc((size_t)nnode, sizeof(*link));
        int32_t *nic = calloc((size_t)nnode, sizeof(*nic));
        for (int32_t n = 0; link && nic && n < nnode; n++) {
                link[n] = 1;
                nic[n] = n;
        }
        *network = (struct network){
                .nnode = nnode,
                .latency_ns = llround(param[NETWORK_LATENCY_US] * 1e3),
                .ns_per_byte = 1 / param[NETWORK_BANDWIDTH_GBPS],
                .message_cpu_ns = llround(param[NETWORK_MESSAGE_CPU_US] * 1e3),
                .copy_ns_per_byte = param[NETWORK_COPY_GBPS] > 0 ? 1 / param[NETWORK_COPY_GBPS] : 0,
                .contention = param[NETWORK_CONTENTION] != 0,
                .out_free_ns = out_free_ns,
                .in_free_ns = in_free_ns,
                .link = link,
                .nic = nic,
        };
        if (out_free_ns && in_free_ns && link && nic)
                return 0;
        network_finish(network);
        return lb_error_fail(err, "out of memory for a network of %d nodes", nnode);
}

void network_finish(struct network *network)
{
        free(network->out_free_ns);
        free(network->in_free_ns);
        free(network->link);
        free(network->nic);
        *network = (struct network){ 0 };
}

void network_set_link(struct network *network, int32_t node, double factor)
{
        assert(node >= 0 && node < network->nnode && factor > 0);
        network->link[node] = factor;
}

void network_join(struct network *network, int32_t node)
{
        assert(node > 0 && node < network->nnode);
        network->nic[node] = network->nic[node - 1];
}

bool network_within(const struct network *network, int32_t source, int32_t target)
{
        return network->nic[source] == network->nic[target];
}

static int64_t cut(int64_t time_ns)
{
        return time_ns < time_max_ns ? time_ns : time_max_ns;
}

static int64_t whole_ns(double ns)
{
        return ns < (double)time_max_ns ? llround(ns) : time_max_ns;
}

int64_t network_copy_ns(const struct network *network, int64_t bytes)
{
        return whole_ns((double)bytes * network->copy_ns_per_byte);
}

double network_bytes_ns(const struct network *network, int32_t source, int32_t target,
                        int64_t bytes)
{
        double slower = fmin(network->link[source], network->link[target]);
        return (double)bytes * network->ns_per_byte / slower;
}

/* How long two NICs are busy with a message. */
static int64_t transfer_ns(const struct network *network, int32_t source, int32_t target,
                           int64_t bytes)
{
        return whole_ns(network_bytes_ns(network, source, target, bytes));
}

/*
 * The message streams through: its first byte reaches the target a latency after it left, so the
 * two NICs overlap and a message alone takes latency + bytes / bandwidth.
 *
 *   source  |== out ==|
 *            <latency> |== in ==|  target (later where its NIC is still busy)
 */
int64_t network_send(struct network *network, int32_t source, int32_t target, int64_t bytes,
                     int64_t now_ns)
{
        assert(source >= 0 && source < network->nnode && target >= 0 && target < network->nnode);
        assert(bytes >= 0 && now_ns >= 0);
        if (network_within(network, source, target))
                return now_ns;
        source = network->nic[source];
        target = network->nic[target];
        int64_t start = cut(now_ns), busy = transfer_ns(network, source, target, bytes);
        if (!network->contention)
                return cut(start + network->latency_ns + busy);
        start = lb_later(start, network->out_free_ns[source]);
        network->out_free_ns[source] = cut(start + busy);
        int64_t arrival = lb_later(start + network->latency_ns, network->in_free_ns[target]);
        network->in_free_ns[target] = cut(arrival + busy);
        return network->in_free_ns[target];
}

int64_t network_barrier_ns(const struct network *network, int64_t nrank)
{
        int64_t rounds = 0;
        for (int64_t left = nrank - 1; left > 0; left /= 2)
                rounds++;
        return rounds * network->latency_ns;
}
