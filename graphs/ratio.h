/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_RATIO_H
#define LB_GRAPHS_RATIO_H

#include <stdint.h>

/* Nodes per apprank of a set, exactly. size is positive, and neither is beyond the limits of
 * graph.h times 64, so that products fit. */
struct ratio {
        int32_t nnode, size;
};

/* Less than, equal to or greater than 0, as a is less than, equal to or greater than b. */
static inline int ratio_compare(struct ratio a, struct ratio b)
{
        int64_t x = (int64_t)a.nnode * b.size, y = (int64_t)b.nnode * a.size;
        return (x > y) - (x < y);
}

static inline double ratio_value(struct ratio ratio)
{
        return (double)ratio.nnode / ratio.size;
}

#endif
