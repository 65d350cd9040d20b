/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/quantile.h"

#include <math.h>
#include <stdlib.h>

/* Below what is asked of the table, 1e-6, since it is looked at in one place of each octave. */
static const double ERROR_MOST = 4e-7;

enum { BITS_LEAST = 4, BITS_MOST = 7 };

struct point {
        double tail, x, slope;
};

static struct point point_at(const struct quantile_of *of, double tail, bool upper)
{
        struct point p = { .tail = tail, .x = of->at(of->of, tail, upper) };
        p.slope = (upper ? -1 : 1) / of->density(of->of, p.x);
        if (!isfinite(p.slope))
                p.slope = 0;
        return p;
}

/* The cubic from one point to the next (Hermite's). */
static void join(const struct point *a, const struct point *b, double cubic[static 4])
{
        double width = b->tail - a->tail, rise = (b->x - a->x) / width;
        cubic[0] = a->x;
        cubic[1] = a->slope;
        cubic[2] = (3 * rise - 2 * a->slope - b->slope) / width;
        cubic[3] = (a->slope + b->slope - 2 * rise) / (width * width);
}

static void fill(const struct quantile *table, const struct quantile_of *of, bool upper)
{
        int32_t steps = 1 << table->bits;
        double(*cubic)[4] = table->cubic + (upper ? QUANTILE_NOCTAVE * steps : 0);
        struct point last = point_at(of, 0x1.0p-31, upper);
        for (int32_t i = 0; i < QUANTILE_NOCTAVE * steps; i++) {
                double tail = ldexp(1 + (double)(i % steps + 1) / steps, i / steps - 31);
                struct point next = point_at(of, tail, upper);
                join(&last, &next, cubic[i]);
                last = next;
        }
}

/* The largest relative error, or INFINITY: in the middle of the first interval of an octave. */
static double worst_error(const struct quantile *table, const struct quantile_of *of)
{
        double worst = 0;
        for (int32_t i = 0; i < 2 * QUANTILE_NOCTAVE; i++) {
                bool upper = i >= QUANTILE_NOCTAVE;
                double tail = ldexp(1 + ldexp(0.5, -table->bits), i % QUANTILE_NOCTAVE - 31);
                double x = of->at(of->of, tail, upper);
                double off = fabs(quantile_at(table, tail, upper) - x);
                if (!(off <= worst * x)) /* a NaN, too */
                        worst = off < INFINITY && x > 0 ? off / x : INFINITY;
        }
        return worst;
}

/* Half the width is a sixteenth of a cubic's error: what the finest table will not mend is not
 * tried. */
void quantile_make(struct quantile *table, const struct quantile_of *of)
{
        double worst = 0;
        for (int32_t bits = BITS_LEAST; bits <= BITS_MOST; bits++) {
                if (worst > ldexp(ERROR_MOST, 4 * (BITS_MOST + 1 - bits)))
                        return;
                size_t count = (size_t)2 * QUANTILE_NOCTAVE << bits;
                *table = (struct quantile){ .bits = bits };
                table->cubic = malloc(count * sizeof(*table->cubic));
                if (!table->cubic)
                        return;
                fill(table, of, false);
                fill(table, of, true);
                worst = worst_error(table, of);
                if (worst <= ERROR_MOST)
                        return;
                quantile_finish(table);
        }
}

void quantile_finish(struct quantile *table)
{
        free(table->cubic);
        table->cubic = NULL;
}
