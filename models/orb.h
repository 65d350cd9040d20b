/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_ORB_H
#define LB_MODELS_ORB_H

#include <stdint.h>

#include "base/error.h"

/*
 * Orthogonal recursive bisection (private to this room): cut the bounding box of the bodies across
 * its longest side so that both sides have their share of the weight, then each side likewise.
 *
 * - Parts need not be a power of two: a side takes half of them, rounded down below the cut.
 */

/*
 * Which of npart parts every body belongs to, into part[n] (0 .. npart-1, in the order of the
 * cuts), from position[n][3] and weight[n], >= 0. n >= 1, npart >= 1; a part may be empty.
 */
int orb_partition(const double *position, const double *weight, int32_t n, int32_t npart,
                  int32_t *part, struct lb_error *err) LB_MUST_CHECK;

#endif
