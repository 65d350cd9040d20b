/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_ALIKE_H
#define LB_MODELS_ALIKE_H

/*
 * As how many alike do parallel regions divide the time of a process? A short one beside a long one
 * counts little: two of 3 and 1 s are 4^2 / (3^2 + 1^2) = 1.6. No clock, no memory of its own.
 */
struct alike {
        double count, s, square_s2; /* how many ended, how long they were, and squares of that */
};

/* One lasted so long, and stands for `weight` that were like it. */
void alike_add(struct alike *alike, double weight, double lasted_s);

/* `count` regions like these; where nothing is known of any, so many. */
double alike_number(const struct alike *alike, double count);

/* Those that came to `earlier` until now. */
double alike_since(const struct alike *earlier, const struct alike *now);

#endif
