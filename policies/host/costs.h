/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_COSTS_H
#define LB_POLICIES_HOST_COSTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a program says that its tasks cost, for placement (struct place_costs), in either host.
 *
 * - It says so in any unit. Placement is told in tasks of mean cost: over the mean of the iteration
 *   before, in the first over that of all tasks so far. A task of which nothing is said costs 1.
 * - From COSTS_LEAST to COSTS_MOST, whatever is said.
 */
#define COSTS_LEAST 0.001
#define COSTS_MOST 1000.0

struct costs {
        double sum, mean; /* of this iteration, of the one before; 0 where nothing was said */
        int64_t count;    /* tasks in the sum */
};

/* Has anything been said, so that placement is to be told? */
bool costs_known(const struct costs *costs);

/* Of a task that comes to be placed, of which the program says `said`, or 0. */
double costs_of(struct costs *costs, double said);

/* An iteration has ended, the next begins. */
void costs_iteration(struct costs *costs);

/* A step for each factor of about 1.4, higher for the dearer: tasks of one step are taken in the
 * order in which they came. 0 for a cost of 0, else from 1 to COSTS_STEPS - 1. */
enum { COSTS_STEPS = 8192 };
int32_t costs_step(double cost);

/* Tasks that are ready are taken by this, the highest first: by priority, then by cost. */
int64_t costs_urgency(int32_t priority, double cost);
int32_t costs_priority(int64_t urgency); /* the one it was made of */

#endif
