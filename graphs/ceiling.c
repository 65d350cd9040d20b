/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/ceiling.h"

/* What one more of `outside` adds at most, where they have `nedge` edges to what is not covered. */
static int32_t step(int64_t nedge, int32_t outside, int32_t degree)
{
        int32_t average = (int32_t)(nedge / outside);
        return average < degree - 1 ? average : degree - 1;
}

static void take_less(struct ratio *least, int32_t nnode, int32_t size)
{
        struct ratio ratio = { nnode, size };
        if (ratio_compare(ratio, *least) < 0)
                *least = ratio;
}

static void grow_set(int32_t napprank, int32_t nnode, int32_t degree, int32_t size_max,
                     struct ratio *least)
{
        int32_t node_degree = napprank / nnode * degree;
        int32_t covered = degree;
        for (int32_t size = 1; size <= size_max; size++) {
                take_less(least, covered, size);
                int64_t nedge = (int64_t)(nnode - covered) * node_degree;
                if (size < napprank)
                        covered += step(nedge, napprank - size, degree);
        }
}

static void grow_missed(int32_t napprank, int32_t nnode, int32_t degree, int32_t size_max,
                        struct ratio *least)
{
        int32_t node_degree = napprank / nnode * degree;
        int32_t lost = node_degree;
        for (int32_t missed = 1; missed < nnode && lost < napprank; missed++) {
                int32_t size = napprank - lost;
                take_less(least, nnode - missed, size < size_max ? size : size_max);
                int64_t nedge = (int64_t)(napprank - lost) * degree;
                lost += step(nedge, nnode - missed, node_degree);
        }
}

struct ratio ceiling_of(int32_t napprank, int32_t nnode, int32_t degree)
{
        int32_t size_max = napprank > 1 ? napprank / 2 : 1;
        struct ratio least = { degree, 1 };
        if (degree > 1) {
                grow_set(napprank, nnode, degree, size_max, &least);
                grow_missed(napprank, nnode, degree, size_max, &least);
        } else {
                int32_t per_node = napprank / nnode;
                take_less(&least, 1, per_node < size_max ? per_node : size_max);
                take_less(&least, (size_max + per_node - 1) / per_node, size_max);
        }
        return least;
}
