/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_PAIRED_H
#define LB_SIM_OUTPUT_PAIRED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Two systems, or builds, on the very same work: runs of equal seed are pairs,
 * and what is judged is their difference. Zero is no pair.
 */
struct paired {
        int64_t npair;
        double sum[2], sum_difference, squares;

        /* by paired_judge() */
        bool changed;   /* zero is outside the 95 % confidence interval of the mean
                           difference; of a   single pair: there is any */
        double percent; /* of the second over the first; without end where that is 0, and shown
                           as nothing */
};

void paired_add(struct paired *paired, double first, double second);

/* Of one pair at least. */
void paired_judge(struct paired *paired);

/* Efficiencies, balance, and what is freed, are better when they are larger. */
bool paired_larger_is_better(const char *metric);

/* "same", "worse", "better": the second, of a metric that is better when
 * `larger`. */
const char *paired_verdict(const struct paired *paired, bool larger);

#endif
