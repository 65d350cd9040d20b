/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/balance_draw.h"

#include <math.h>

#include "base/random.h"

/* As many as packing needs to settle; and for some ten decisions of dpb. */
enum { ALIKE = 12, DRAWN = 96 };

struct draw draw_from(const struct balance_report *report)
{
        int64_t least = LEAF_LOADS;
        for (int32_t i = 0; i < report->count; i++)
                if (report->leaf[i].round_loads < least)
                        least = report->leaf[i].round_loads;
        return (struct draw){ .report = report,
                              .iterations = least > 1 ? DRAWN : ALIKE,
                              .rounds = (int32_t)least };
}

/* How far the load of one of a round's iterations is from the mean, over how far the round's is:
 * not so far that one would have less than none, so that the mean stays. */
static double spread(const struct leaf *leaf, double least)
{
        return fmin(sqrt(fmax(leaf->round_iterations, 1)), least < 1 ? 1 / (1 - least) : 1);
}

double draw_part(const struct draw *draw, int32_t iteration, int32_t rank)
{
        const struct leaf *leaf = &draw->report->leaf[rank];
        struct lb_random random;
        double sum_s = 0, least_s = INFINITY;
        for (int32_t i = 0; i < draw->rounds; i++) {
                sum_s += leaf->round_load_s[i];
                least_s = fmin(least_s, leaf->round_load_s[i]);
        }
        if (draw->rounds < 2 || !(sum_s > 0))
                return 1;
        double mean_s = sum_s / draw->rounds;
        lb_random_init(&random, 0, LB_RANDOM_BOOTSTRAP, (uint64_t)iteration);
        double load_s = leaf->round_load_s[lb_random_below(&random, (uint64_t)draw->rounds)];
        double part = 1 + (load_s / mean_s - 1) * spread(leaf, least_s / mean_s);
        return fmax(part, 0); /* it may be none but for rounding */
}
