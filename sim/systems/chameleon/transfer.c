/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message times measured by CHAMELEON's authors on the paper's cluster with a ping-pong of two
 * nodes (docs/facts.md C10): the slower of "another buffer each time" and "struct datatype", since
 * the library sends struct datatypes from and to buffers that were never used before. Measured is
 * each alone; together they can only be slower. Between two sizes, and beyond the last, lines; the
 * two knots at the eager limit of 64000 bytes extend the lines on either side of it.
 */
#include "sim/systems/chameleon/chameleon.h"

static const struct {
        double bytes, us;
} measured[] = {
        { 0, 1.75 },         { 256, 1.75 },         { 8192, 4.4 },         { 16384, 10.1 },
        { 32768, 14.0 },     { 64000, 26.2 },       { 64001, 50.8 },       { 131072, 104 },
        { 262144, 190 },     { 524288, 395 },       { 1048576, 799 },      { 2097152, 493 },
        { 4194304, 977 },    { 8388608, 2056 },     { 16777216, 6970 },    { 33554432, 29824 },
        { 67108864, 54924 }, { 134217728, 109156 }, { 268435456, 222376 },
};
enum { NMEASURED = sizeof(measured) / sizeof(measured[0]) };

static double measured_us(double bytes)
{
        int i = 1;
        while (i < NMEASURED - 1 && bytes > measured[i].bytes)
                i++;
        double slope =
            (measured[i].us - measured[i - 1].us) / (measured[i].bytes - measured[i - 1].bytes);
        return measured[i].us + (bytes - measured[i].bytes) * slope;
}

int64_t cham_transfer_ns(const struct cham *c, int32_t from, int32_t to, int64_t bytes)
{
        if (c->param[CHAM_TRANSFER] == TRANSFER_MEASURED)
                return (int64_t)(measured_us((double)bytes) * 1e3 + 0.5);
        int32_t source = c->rank[from].node, target = c->rank[to].node;
        return c->network.latency_ns +
               (int64_t)(network_bytes_ns(&c->network, source, target, bytes) + 0.5);
}

int64_t cham_move(struct cham *c, int32_t from, int32_t to, int64_t length_ns, int64_t time_ns)
{
        struct cham_rank *a = &c->rank[from], *b = &c->rank[to];
        if (!c->network.contention)
                return time_ns + length_ns;
        int64_t start = lb_later(time_ns, a->comm_free_ns);
        a->comm_free_ns = start + length_ns;
        b->comm_free_ns = lb_later(start, b->comm_free_ns) + length_ns;
        return b->comm_free_ns;
}
