/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_HEXAHEDRON_H
#define LB_REAL_APPS_HEXAHEDRON_H

/*
 * The trilinear element of eight nodes, a cube, with eight Gauss points: strain from displacements,
 * forces from stress, stiffness from a tangent.
 *
 * - Node i is at x = i & 1, y = i >> 1 & 1, z = i >> 2, and so is its Gauss point.
 * - An element's 24 displacements and forces are node by node.
 */
struct hexahedron {
        double weight;            /* volume of a Gauss point */
        double strain[8][6 * 24]; /* rows of strain components, for each point */
};

void hexahedron_init(struct hexahedron *shape, double edge);

void hexahedron_strain(const struct hexahedron *shape, int point, const double moved[static 24],
                       double strain[static 6]);

/* force += strain^T stress weight */
void hexahedron_add_force(const struct hexahedron *shape, int point, const double stress[static 6],
                          double force[static 24]);

/* matrix += strain^T tangent strain weight; matrix is [24][24] */
void hexahedron_add_stiffness(const struct hexahedron *shape, int point,
                              const double tangent[static 36], double *matrix);

#endif
