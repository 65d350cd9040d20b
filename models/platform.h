/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_PLATFORM_H
#define LB_MODELS_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * The machine: nodes of equal core counts with a speed each, and a network.
 *
 * The network moves a message of b bytes from node s to node d in
 *   latency + b / bandwidth, after it has had its turn at the sending and the receiving NIC,
 * each of which serves one message at a time in order of sending (no contention inside the fabric:
 * a full-fat tree, ICPP'22 6.3).
 */

enum platform_param {
        PLATFORM_NODES,
        PLATFORM_CORES_PER_NODE,
        PLATFORM_APPRANKS_PER_NODE,
        PLATFORM_NPARAM
};
extern const struct lb_param platform_params[];

enum network_param {
        NETWORK_LATENCY_US,
        NETWORK_BANDWIDTH_GBPS,
        NETWORK_CONTENTION,     /* switch */
        NETWORK_MESSAGE_CPU_US, /* processor time per message, at either end */
        NETWORK_COPY_GBPS,      /* at which processors copy tasks' data; 0: they need not */
        NETWORK_NPARAM
};
extern const struct lb_param network_params[];

/* Power that a core draws, in platform.power: an estimate of energy. */
enum power_param { POWER_BUSY_W, POWER_POLLING_W, POWER_IDLE_W, POWER_OFF_W, POWER_NPARAM };
extern const struct lb_param power_params[];

/* One exception to "all nodes are alike": a node, or every so-many-th one from it on. */
struct platform_speed {
        int32_t node;
        double factor; /* > 0; 0.5 takes twice as long */
        int32_t every; /* 0: that node alone */
        double link;   /* > 0, bandwidth of its NIC over the network's */
        bool joined;   /* to the node before it: parts of one machine, with that one's NIC */
};

struct network {
        int32_t nnode;
        int64_t latency_ns;
        double ns_per_byte;
        int64_t message_cpu_ns;
        double copy_ns_per_byte; /* 0: by the network's hardware */
        int contention;
        int64_t *out_free_ns; /* [nnode] when the sending NIC is free again */
        int64_t *in_free_ns;  /* [nnode] */
        double *link;         /* [nnode] bandwidth of its NIC over that of the network, 1 */
        int32_t *nic;         /* [nnode] node whose NIC it has, itself */
};

/* Set up from values of network_params[]. Owns its arrays until network_finish(). */
int network_init(struct network *network, int32_t nnode, const double *param,
                 struct lb_error *err) LB_MUST_CHECK;
void network_finish(struct network *network);

/* Give a node's NIC another bandwidth: `factor` > 0 times the network's. Between two nodes the
 * slower one counts. */
void network_set_link(struct network *network, int32_t node, double factor);

/* Make a node > 0 and the one before it parts of one machine, which has the NIC of its first node.
 * In the order of nodes. */
void network_join(struct network *network, int32_t node);

/* The later of two times. */
static inline int64_t lb_later(int64_t a_ns, int64_t b_ns)
{
        return a_ns > b_ns ? a_ns : b_ns;
}

/* How long so many bytes take from one node's NIC to another's, ns, where both are free. */
double network_bytes_ns(const struct network *network, int32_t source, int32_t target,
                        int64_t bytes);

/* How long a core of who executes a task copies so many bytes of its data, ns. */
int64_t network_copy_ns(const struct network *network, int64_t bytes);

/* The same beside what that worker, or rank, owes already; both spent with its next task. */
static inline int64_t network_owed_ns(const struct network *network, int64_t owed_ns, int64_t bytes)
{
        if (network->copy_ns_per_byte == 0)
                return owed_ns;
        int64_t copy_ns = network_copy_ns(network, bytes);
        return owed_ns < INT64_MAX / 2 - copy_ns ? owed_ns + copy_ns : INT64_MAX / 2;
}

/* Do messages between two nodes stay within a machine? */
bool network_within(const struct network *network, int32_t source, int32_t target);

/*
 * Send: reserves the NICs and returns the time at which the last byte is there. Within a
 * machine nothing crosses the network and the answer is now_ns. now_ns must not decrease
 * from call to call.
 */
int64_t network_send(struct network *network, int32_t source, int32_t target, int64_t bytes,
                     int64_t now_ns);

/* Time of a barrier over `nrank` ranks, ns: by dissemination, ceil(log2(nrank)) latencies. */
int64_t network_barrier_ns(const struct network *network, int64_t nrank);

#endif
