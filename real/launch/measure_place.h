/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_MEASURE_PLACE_H
#define LB_REAL_LAUNCH_MEASURE_PLACE_H

#include <stdbool.h>

#include "base/error.h"
#include "real/launch/program.h"

/*
 * The directory of a measurement:
 *
 *      DIR/measured.json ..          what was found
 *      DIR/ranks-XXXXXX/             what the ranks write, while they run
 *      DIR/.lbrun-measured.json      whose it is now (real/launch/claim.h)
 */
struct claim;
enum { MEASURE_PLACE_NAME = 32 };

bool measure_place_is_measured(const char *directory);

/* Ours until the claim is destroyed, for jobs that begin together, as those of an array, would
 * write over each other's, on whatever machines; *fresh: it was not there. What an lbrun that was
 * killed has left of its ranks there is removed. NULL where another writes there, or it has a
 * measurement already. */
struct claim *measure_place_claim(const char *directory, bool *fresh,
                                  struct lb_error *err) LB_MUST_CHECK;

/* The first of measured, measured-2, ... that has no measurement and is not being written. */
struct claim *measure_place_choose(char name[static MEASURE_PLACE_NAME], bool *fresh,
                                   struct lb_error *err) LB_MUST_CHECK;

/* For what the ranks write. */
int measure_place_of_ranks(const char *directory, char ranks[static PROGRAM_PATH_SIZE],
                           struct lb_error *err) LB_MUST_CHECK;

#endif
