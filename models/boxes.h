/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_BOXES_H
#define LB_MODELS_BOXES_H

#include <stdint.h>

/*
 * A grid of points cut into boxes by recursive bisection (private to this room): half of the parts
 * on either side of a cut across the longest side.
 */
struct box {
        int32_t low[3], high[3]; /* points low .. high-1 */
};

/* The box of part 0 .. npart-1; empty where there are more parts than points along the cuts. */
struct box box_of(struct box whole, int32_t npart, int32_t part);

/* Points of a box; of what two have in common. */
int64_t box_points(const struct box *box);
struct box box_common(const struct box *a, const struct box *b);

/* Call visit(data, part, box) for all parts that have points in `query`, in ascending order. */
typedef int box_visit(void *data, int32_t part, const struct box *box);
int box_search(struct box whole, int32_t npart, const struct box *query, box_visit *visit,
               void *data);

#endif
