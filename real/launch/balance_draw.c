/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/balance_draw.h"

#include <math.h>

#include "base/random.h"

/* As many as packing needs to settle; and for some ten decisions of dpb. */
enum { ALIKE = 12, DRAWN = 96 };

/* Rounds whose loads all ranks have told; below two: all iterations are alike. */
static int32_t rounds_of(const struct balance_report *report)
{
        int64_t least = LEAF_LOADS;
        for (int32_t i = 0; i < report->count; i++)
                if (report->leaf[i].round_loads < least)
                        least = report->leaf[i].round_loads;
        return (int32_t)least;
}

int32_t draw_iterations(const struct balance_report *report)
{
        return rounds_of(report) > 1 ? DRAWN : ALIKE;
}

double draw_part(const struct balance_report *report, int32_t iteration, int32_t rank)
{
        const struct leaf *leaf = &report->leaf[rank];
        int32_t rounds = rounds_of(report);
        struct lb_random random;
        double sum_s = 0;
        for (int32_t i = 0; i < rounds; i++)
                sum_s += leaf->round_load_s[i];
        if (rounds < 2 || !(sum_s > 0))
                return 1;
        lb_random_init(&random, 0, LB_RANDOM_BOOTSTRAP, (uint64_t)iteration);
        double load_s = leaf->round_load_s[lb_random_below(&random, (uint64_t)rounds)];
        double apart = load_s * rounds / sum_s - 1;
        return fmax(1 + apart * sqrt(fmax(leaf->round_iterations, 1)), 0);
}
