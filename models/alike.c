/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/alike.h"

void alike_add(struct alike *alike, double weight, double lasted_s)
{
        alike->count += weight;
        alike->s += weight * lasted_s;
        alike->square_s2 += weight * lasted_s * lasted_s;
}

double alike_number(const struct alike *alike, double count)
{
        double squares_s2 = alike->count * alike->square_s2;
        return squares_s2 > 0 ? count * (alike->s * alike->s / squares_s2) : count;
}

double alike_since(const struct alike *earlier, const struct alike *now)
{
        struct alike since = { .count = now->count - earlier->count,
                               .s = now->s - earlier->s,
                               .square_s2 = now->square_s2 - earlier->square_s2 };
        return since.count > 0 ? alike_number(&since, since.count) : 0;
}
