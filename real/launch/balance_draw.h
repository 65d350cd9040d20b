/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_BALANCE_DRAW_H
#define LB_REAL_LAUNCH_BALANCE_DRAW_H

#include "real/launch/balance_report.h"

/*
 * Iterations of a program as a system meets them, by the loads of its ranks that were measured
 * before anything was changed: a policy that decides again and again on loads that scatter comes,
 * sooner or later, to what their mean would not bring it to.
 *
 * - One of the rounds that were measured is drawn for each, the same for all ranks. Always the same
 *   ones for the same rounds.
 * - The mean load of a round's iterations scatters less than one of them, by the root of their
 *   number where one does not depend on the other, which is assumed; by less where some would have
 *   less than no load.
 * - Where the loads of rounds are not known all iterations are alike.
 */
struct draw {
        const struct balance_report *report;
        int32_t iterations;
        int32_t rounds; /* whose loads all ranks have told; below two: alike */
};

/* Of a report that outlives it. */
struct draw draw_from(const struct balance_report *report);

/* The load of a rank (its place in report->leaf) in an iteration as a part of its mean, 0 and more.
 */
double draw_part(const struct draw *draw, int32_t iteration, int32_t rank);

#endif
