/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_EXPLAIN_H
#define LB_SIM_COMMANDS_EXPLAIN_H

#include <stdio.h>

#include "sim/engine/sim.h"
#include "sim/scenario/bound.h"

/* Why a point came out as it did (private to explain*.c). */

/* Say it, a line for each cause. task_s: the longest task of an iteration, mean; node[nnode] is
 * room to work in. */
void explain_print(const struct bound_case *c, const struct bound *bound,
                   const struct sim_result *result, double task_s, double *node, FILE *out);

#endif
