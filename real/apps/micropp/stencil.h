/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_STENCIL_H
#define LB_REAL_APPS_STENCIL_H

#include <stdint.h>

/*
 * Symmetric systems of equations on the nodes of a cubic grid, three unknowns a node, in which each
 * node knows its 26 neighbours: a block of 3 x 3 for each of the 27 places.
 *
 * - The nodes of the grid's surface are held: they are no unknowns, vectors are zero there.
 * - Node (x, y, z) is (z * side + y) * side + x; neighbour (dx, dy, dz) is
 *   ((dz + 1) * 3 + dy + 1) * 3 + dx + 1.
 */
struct stencil {
        int32_t side;  /* nodes */
        double *block; /* [side^3][27][3][3] */
};

/* Conjugate gradients with the diagonal as preconditioner: x = A^-1 b, from x = 0, until the
 * residual's norm is at most `target`. `scratch` has 4 vectors. Returns the iterations, or -1 where
 * `most` are not enough. */
struct stencil_system {
        const struct stencil *matrix;
        const double *b; /* [side^3][3] */
        double *x;
        double *scratch; /* [4][side^3][3] */
        double target;
        int32_t most;
};
int32_t stencil_solve(const struct stencil_system *system);

/* y = A x; x is zero on the surface, and y is. */
void stencil_apply(const struct stencil *matrix, const double *x, double *y);

double stencil_dot(int32_t side, const double *x, const double *y);

#endif
