/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_LP_H
#define LB_POLICIES_LP_H

#include "policies/alloc.h"
#include "policies/solve.h"

/*
 * The paper's linear program through GLPK, with the paper's rounding. Links GLPK (GPL): programs only.
 *
 * Two phases in place of the paper's 1e-6 incentive, which a simplex tolerance swallows: first the
 * objective, then the fewest cores off the home node at that objective.
 */
struct solve_lp; /* the program and its basis, kept for warm starts */

struct solve_lp *solve_lp_create(const struct lb_shape *shape, struct lb_error *err);
void solve_lp_destroy(struct solve_lp *lp);

/*
 * Solve for these loads. cores[nworker] is the fractional allocation, owned_cores[nworker] the
 * rounded one (either may be NULL); objective is the fractional optimum.
 */
int solve_lp_run(struct solve_lp *lp, const double *load, double *cores, int32_t *owned_cores,
                 double *objective, struct lb_error *err) LB_MUST_CHECK;

/* `global` with solver = lp. */
extern const struct alloc_type alloc_global_lp;

#endif
