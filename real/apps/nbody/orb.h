/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_ORB_H
#define LB_REAL_APPS_ORB_H

#include <stdint.h>

struct body;

/*
 * Orthogonal recursive bisection: the bodies are cut in two by a plane across the longest side of
 * the box around them, so that the work in both parts is as the numbers of ranks they are for;
 * again until a part is for one rank.
 *
 * - Every body belongs to exactly one rank, wherever this is computed; the work of a part is off
 *   by less than one body for each cut.
 */

/* Write the places in body[n] of the bodies of `rank` into mine[n], ascending; returns how many. */
int64_t orb_owned(const struct body *body, int64_t n, int32_t nrank, int32_t rank, int64_t *mine);

#endif
