/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_COST_H
#define LB_REAL_MEASURE_COST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What measuring costs where it happens, with the caches that the program leaves: of the moments at
 * which the program is kept, some are timed, each for those since the one before.
 *
 * - The first COST_ALL are all timed, then one of 1 to 2 * COST_EACH - 1 at random, so that no loop
 *   of the program meets always the same of its calls.
 * - A moment that lasts longer than COST_MOST_NS was interrupted, and counts as that long.
 */
enum { COST_ALL = 64, COST_EACH = 32, COST_MOST_NS = 30000 };

struct cost {
        int64_t moments; /* all */
        int64_t weight;  /* for so many the next that is timed stands */
        int64_t left;    /* until then */
        uint64_t random;
        double spent_ns; /* by all, as far as is known */
};

/* Is the moment that begins now one to be timed? */
bool cost_is_next(struct cost *cost);

/* So long did it last. */
void cost_add(struct cost *cost, int64_t lasted_ns);

#endif
