/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/costs.h"

#include <math.h>

bool costs_known(const struct costs *costs)
{
        return costs->count > 0 || costs->mean > 0;
}

double costs_of(struct costs *costs, double said)
{
        if (!(said > 0))
                return 1;
        costs->sum += said;
        costs->count++;
        double mean = costs->mean > 0 ? costs->mean : costs->sum / (double)costs->count;
        return fmin(COSTS_MOST, fmax(COSTS_LEAST, said / mean));
}

void costs_iteration(struct costs *costs)
{
        double mean = costs->count > 0 ? costs->sum / (double)costs->count : 0;
        *costs = (struct costs){ .mean = mean };
}

int32_t costs_step(double cost)
{
        enum { ZERO = 2200 }; /* exponents are -1073 to 1024, two steps each */
        int exponent;
        if (!(cost > 0))
                return 0;
        bool upper = frexp(cost, &exponent) >= 0x1.6a09e667f3bcdp-1; /* sqrt(1/2) */
        return ZERO + 2 * exponent + upper;
}

int64_t costs_urgency(int32_t priority, double cost)
{
        return (int64_t)priority * COSTS_STEPS + costs_step(cost);
}

int32_t costs_priority(int64_t urgency)
{
        int64_t step = (urgency % COSTS_STEPS + COSTS_STEPS) % COSTS_STEPS;
        return (int32_t)((urgency - step) / COSTS_STEPS);
}
