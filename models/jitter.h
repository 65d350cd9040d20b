/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_JITTER_H
#define LB_MODELS_JITTER_H

#include <stdint.h>

#include "base/error.h"
#include "models/quantile.h"

/*
 * How task durations scatter (private to this room): factors of mean 1, never negative, by the
 * inverse of a distribution function, so that a factor is a function of one random number.
 *
 * - uniform: on 1 -+ sqrt(3) cv; cv at most 0.577.
 * - gaussian: cut off at 0 and, to keep the mean, at 2; its width is chosen so that cv is that of
 *   what is left; cv at most 0.5.
 * - lognormal: any cv.
 * - exponential: 1 - cv plus an exponential of mean cv: the plain one where cv = 1, the largest.
 * - gamma: any cv.
 */
enum jitter_kind {
        JITTER_NONE = 0,
        JITTER_UNIFORM,
        JITTER_GAUSSIAN,
        JITTER_LOGNORMAL,
        JITTER_EXPONENTIAL,
        JITTER_GAMMA,
        JITTER_NKIND
};

/* The kinds by name, NULL-ended. */
extern const char *const jitter_names[];

struct jitter {
        enum jitter_kind kind; /* JITTER_NONE also where cv is 0 */
        double a, b;           /* of the distribution, see jitter.c */
        struct quantile table; /* none for JITTER_NONE, and where cv is so large that it would not
                                  do; shared among those of one kind and cv */
        struct jitter_table *shared;
};

/* Set up for a coefficient of variation, until jitter_finish(); the message says the largest one a
 * kind allows. By any thread. */
int jitter_init(struct jitter *jitter, enum jitter_kind kind, double cv,
                struct lb_error *err) LB_MUST_CHECK;
void jitter_finish(struct jitter *jitter);

/*
 * factor[count] at probabilities (bits + 1/2) / 2^52 of the first 52 of 64 random bits each; never
 * JITTER_NONE. Relative errors are 1e-6 at most where there is a table.
 */
void jitter_factors(const struct jitter *jitter, const uint64_t *bits, int32_t count,
                    double *factor);

#endif
