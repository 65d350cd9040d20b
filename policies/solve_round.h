/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SOLVE_ROUND_H
#define LB_POLICIES_SOLVE_ROUND_H

#include <stddef.h>

#include "policies/shape.h"

/*
 * The paper's rounding (ICPP'22 5.4.2; the original's make_integer, docs/facts.md O3),
 * private to this room: every node for itself, all cores rounded down, then the node's spare cores
 * one each in order of the fraction lost over the apprank's cores, the later worker first where
 * these are equal.
 */

/* Memory that solve_round() works in, bytes. */
size_t solve_round_workspace_size(const struct lb_shape *shape);

/*
 * Round cores[nworker], each >= 1 and together at most the node's, to owned_cores[nworker], which
 * gives out every node whole. What is within 1e-6 of a whole number counts as whole.
 */
void solve_round(const struct lb_shape *shape, const double *cores, void *workspace,
                 int32_t *owned_cores);

#endif
