/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/measure/cost.h"

bool cost_is_next(struct cost *cost)
{
        if (cost->left > 0) {
                cost->left--;
                return false;
        }
        return true;
}

/* Numbers 0 .. 2 * COST_EACH - 2 (Knuth's MMIX generator, upper bits). */
static int64_t draw(struct cost *cost)
{
        cost->random = cost->random * 6364136223846793005u + 1442695040888963407u;
        return (int64_t)((cost->random >> 33) % (2 * COST_EACH - 1));
}

void cost_add(struct cost *cost, int64_t lasted_ns)
{
        int64_t counted_ns = lasted_ns < COST_MOST_NS ? lasted_ns : COST_MOST_NS;
        int64_t weight = cost->weight > 0 ? cost->weight : 1;
        cost->spent_ns += (double)(weight * counted_ns);
        cost->moments += weight;
        cost->left = cost->moments < COST_ALL ? 0 : draw(cost);
        cost->weight = cost->left + 1;
}
