/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/micropp/hexahedron.h"

#include <math.h>

/* The derivatives of a node's shape function along x, y, z at a Gauss point. */
static void gradient(int node, int point, double edge, double out[static 3])
{
        double value[3], slope[3];
        for (int axis = 0; axis < 3; axis++) {
                double at = (point >> axis & 1 ? 1 : -1) / sqrt(3);
                double sign = node >> axis & 1 ? 1 : -1;
                value[axis] = (1 + sign * at) / 2;
                slope[axis] = sign / edge;
        }
        out[0] = slope[0] * value[1] * value[2];
        out[1] = value[0] * slope[1] * value[2];
        out[2] = value[0] * value[1] * slope[2];
}

void hexahedron_init(struct hexahedron *shape, double edge)
{
        *shape = (struct hexahedron){ .weight = edge * edge * edge / 8 };
        for (int point = 0; point < 8; point++) {
                double *b = shape->strain[point];
                for (int node = 0; node < 8; node++) {
                        double d[3];
                        gradient(node, point, edge, d);
                        double *column = b + 3 * node;
                        column[0 * 24 + 0] = column[3 * 24 + 1] = column[5 * 24 + 2] = d[0];
                        column[1 * 24 + 1] = column[3 * 24 + 0] = column[4 * 24 + 2] = d[1];
                        column[2 * 24 + 2] = column[4 * 24 + 1] = column[5 * 24 + 0] = d[2];
                }
        }
}

void hexahedron_strain(const struct hexahedron *shape, int point, const double moved[static 24],
                       double strain[static 6])
{
        for (int i = 0; i < 6; i++) {
                const double *row = shape->strain[point] + i * 24;
                strain[i] = 0;
                for (int j = 0; j < 24; j++)
                        strain[i] += row[j] * moved[j];
        }
}

void hexahedron_add_force(const struct hexahedron *shape, int point, const double stress[static 6],
                          double force[static 24])
{
        for (int i = 0; i < 6; i++) {
                const double *row = shape->strain[point] + i * 24;
                for (int j = 0; j < 24; j++)
                        force[j] += shape->weight * stress[i] * row[j];
        }
}

void hexahedron_add_stiffness(const struct hexahedron *shape, int point,
                              const double tangent[static 36], double *matrix)
{
        double product[6 * 24] = { 0 }; /* tangent strain weight */
        const double *b = shape->strain[point];
        for (int i = 0; i < 36; i++)
                for (int j = 0; j < 24; j++)
                        product[i / 6 * 24 + j] += shape->weight * tangent[i] * b[i % 6 * 24 + j];
        for (int i = 0; i < 24; i++)
                for (int k = 0; k < 6; k++)
                        for (int j = 0; j < 24; j++)
                                matrix[i * 24 + j] += b[k * 24 + i] * product[k * 24 + j];
}
