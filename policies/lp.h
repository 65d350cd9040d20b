/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_LP_H
#define LB_POLICIES_LP_H

#include "policies/alloc.h"
#include "policies/solve.h"

/*
 * The paper's linear program through GLPK, with the paper's rounding. Links GLPK (GPL): programs
 * only.
 *
 * Two phases in place of the paper's 1e-6 incentive, which a simplex tolerance swallows: first the
 * objective, then the fewest cores off the home node at that objective.
 *
 * - GLPK's environment is one per thread (checked when a program is created): create, run and
 *   destroy in the same thread. The last one destroyed there frees the environment.
 * - An error inside GLPK comes back as an error; it neither prints nor aborts.
 */
struct solve_lp; /* the program and its basis, kept for warm starts */

/* Copies `shape`. Fails where a node has fewer cores than workers. */
struct solve_lp *solve_lp_create(const struct lb_shape *shape, struct lb_error *err);
void solve_lp_destroy(struct solve_lp *lp);

/* Forget the basis: the next run starts cold, and depends on nothing but its loads. */
void solve_lp_forget(struct solve_lp *lp);

/*
 * Solve for these loads, finite and >= 0. cores[nworker] is the fractional allocation,
 * owned_cores[nworker] the rounded one, which gives out every node whole (either may be NULL);
 * objective is the fractional optimum, max load / cores. No load at all: helpers get one core.
 */
int solve_lp_run(struct solve_lp *lp, const double *load, double *cores, int32_t *owned_cores,
                 double *objective, struct lb_error *err) LB_MUST_CHECK;

/* GLPK's version, "5.0". */
const char *solve_lp_library(void);

/* `global` with solver = lp. */
extern const struct alloc_type alloc_global_lp;

/* As alloc_find(), among all policies of a program that links GLPK. */
const struct alloc_type *lp_alloc_find(const char *name);

#endif
