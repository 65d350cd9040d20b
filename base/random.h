/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_RANDOM_H
#define LB_BASE_RANDOM_H

#include <stdint.h>

/*
 * Counter-based random numbers (Philox 2x64-10 of Random123; Salmon et al., SC'11): a number is a
 * function of a key and a counter, never of what was drawn before, so two systems compared on one
 * seed run the same work, and results depend neither on event order nor on the number of threads.
 *
 * - The purposes keep streams of one seed apart; add one, never renumber.
 */

enum lb_random_purpose {
        LB_RANDOM_NONE = 0,
        LB_RANDOM_GRAPH,
        LB_RANDOM_LOADS,
        LB_RANDOM_TASK,
        LB_RANDOM_PHASE,
        LB_RANDOM_TEST,
        LB_RANDOM_CELL,
        LB_RANDOM_BOOTSTRAP,
};

/* A sequential stream over the counter-based generator: copy it to branch, give it a key to start.
 */
struct lb_random {
        uint64_t key;
        uint64_t stream;
        uint64_t counter;
};

/* 64 random bits of (key, stream, counter). */
uint64_t lb_random_at(uint64_t key, uint64_t stream, uint64_t counter);

/* The same of npair counters in a row, and as many more: bits[2 * npair], of which every second,
 * from the first on, is what lb_random_at() gives. */
void lb_random_pairs(uint64_t key, uint64_t stream, uint64_t counter, int32_t npair,
                     uint64_t *bits);

/* A key for one purpose of a seed. */
uint64_t lb_random_key(uint64_t seed, enum lb_random_purpose purpose);

/* Start a stream: different (seed, purpose, stream) are independent. */
void lb_random_init(struct lb_random *random, uint64_t seed, enum lb_random_purpose purpose,
                    uint64_t stream);

/* The next 64 bits. */
uint64_t lb_random_next(struct lb_random *random);

/* Uniform in [0, 1), 53 bits. */
double lb_random_unit(struct lb_random *random);

/* Uniform in (0, 1): safe for logarithms. */
double lb_random_open(struct lb_random *random);

/* Uniform in 0 .. bound-1 without bias; bound > 0. */
uint64_t lb_random_below(struct lb_random *random, uint64_t bound);

/* 64 bits to a double in [0, 1). */
static inline double lb_random_to_unit(uint64_t bits)
{
        return (double)(bits >> 11) * 0x1.0p-53;
}

#endif
