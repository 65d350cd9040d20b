/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_RVE_H
#define LB_REAL_APPS_RVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "real/apps/micropp/material.h"

struct stencil;

/*
 * A representative volume of a composite: a unit cube with a ball of stiff elastic material in
 * another material, meshed with trilinear hexahedra of eight Gauss points, its surface moved as
 * the strain of the point of the large body that it stands for says.
 *
 * - Newton's method on the displacements, each step by conjugate gradients.
 * - The average of stress times strain is that of the averages (Hill and Mandel).
 * - Displacements are [side^3][3]; the state is [elements][8][MATERIAL_STATE].
 */
struct rve {
        int32_t side; /* nodes, at least 3 */
        struct material matrix, ball;
        double radius; /* of the ball, of the cube's side */
};

size_t rve_displacement_entries(int32_t side);
size_t rve_state_entries(int32_t side);

struct rve_result {
        double stress[6];        /* average */
        double energy;           /* average of stress times strain */
        double residual;         /* of the inner forces, over that of the surface's */
        int32_t newton, cg;      /* iterations */
        int32_t failed, padding; /* not 0: it did not converge */
};

/* One step: from the strain, displacements and state before to those after. */
struct rve_step {
        double strain_before[6], strain[6];
        const double *displacement_before, *state_before;
        double *displacement, *state;
        struct rve_result *result;
};
void rve_solve(const struct rve *rve, const struct rve_step *step);

extern const double rve_residual_allowed;

/* The tangent stiffness for displacements and state, into a stencil that is all zero; for tests. */
void rve_stiffness(const struct rve *rve, const double *displacement, const double *state_before,
                   const struct stencil *stiffness);

#endif
