/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_MATERIAL_H
#define LB_REAL_APPS_MATERIAL_H

#include <stdbool.h>

/*
 * Elastic and elastic-plastic solids under small strain: von Mises' yield surface with linear
 * isotropic hardening, integrated by radial return with the tangent that belongs to it (Simo and
 * Hughes 1998, boxes 3.1 and 3.2).
 *
 * - Strain is xx, yy, zz, xy, yz, xz with engineering shear (twice the tensor's), stress likewise.
 * - The tangent is symmetric; elastic it is positive definite, and with hardening always.
 */
enum { MATERIAL_STATE = 7 }; /* plastic strain, then the equivalent plastic strain */

struct material {
        double young, poisson;
        bool plastic; /* else elastic, whatever the strain */
        double yield, hardening;
};

/* The stress at a strain, coming from state `before`; `after` is the state then. `tangent`, row by
 * row, may be NULL. */
void material_update(const struct material *material, const double strain[static 6],
                     const double before[static MATERIAL_STATE], double after[MATERIAL_STATE],
                     double stress[static 6], double *tangent);

/* How far a stress is beyond the yield surface of a state: not above 0 but for rounding. */
double material_yield(const struct material *material, const double stress[static 6],
                      const double state[static MATERIAL_STATE]);

#endif
