/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_QUANTILE_H
#define LB_MODELS_QUANTILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The inverse of a distribution function as a table, so that a random number with that distribution
 * costs a look-up and a cubic (private to this room).
 *
 * - A probability u is given by its tail: u itself below a half, else 1 - u, exactly ("upper").
 * - A table covers tails from 2^-31, 4.7e-10, to a half: octaves, each cut into 2^bits equal
 *   intervals, which the first bits of the tail's floating-point number name, so that values that
 *   go as a power or a logarithm of the tail are met equally well everywhere. On each stands the
 *   cubic that has the distribution's values and slopes at both ends.
 * - Made as fine as needed: where it is farthest from the distribution, in the middle of the first
 *   interval of every octave, its relative error is 4e-7 at most.
 */
struct quantile {
        double (*cubic)[4]; /* [2][noctave << bits]: lower tails, upper tails; NULL: no table */
        int32_t bits;
};

enum { QUANTILE_NOCTAVE = 30 };

/* A distribution over x >= 0, as a host gives it. */
struct quantile_of {
        double (*at)(const void *of, double tail, bool upper);
        double (*density)(const void *of, double x);
        const void *of;
};

/* Fill a table, to be freed by quantile_finish(). Where memory or the finest table do not suffice
 * there is none. */
void quantile_make(struct quantile *table, const struct quantile_of *of);
void quantile_finish(struct quantile *table);

/* Is a tail, below a half, in the table? Only then quantile_at() may be asked. */
static inline bool quantile_has(const struct quantile *table, double tail)
{
        return table->cubic && tail >= 0x1.0p-31;
}

static inline double quantile_at(const struct quantile *table, double tail, bool upper)
{
        int32_t shift = 52 - table->bits;
        uint64_t number;
        memcpy(&number, &tail, sizeof(number));
        uint64_t first = (uint64_t)(1023 - 31) << table->bits; /* 2^-31 */
        uint64_t interval = number >> shift;
        uint64_t ntail = upper ? (uint64_t)QUANTILE_NOCTAVE << table->bits : 0;
        number &= UINT64_MAX << shift;
        double start;
        memcpy(&start, &number, sizeof(start));
        const double *c = table->cubic[interval - first + ntail];
        double x = tail - start;
        return c[0] + x * (c[1] + x * (c[2] + x * c[3]));
}

#endif
