/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/micropp/stencil.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static ptrdiff_t entries(int32_t side)
{
        return (ptrdiff_t)3 * side * side * side;
}

double stencil_dot(int32_t side, const double *x, const double *y)
{
        double sum = 0;
        for (ptrdiff_t i = 0; i < entries(side); i++)
                sum += x[i] * y[i];
        return sum;
}

/* One row of nodes inside the grid: y += the blocks of neighbour `place` times x there. */
static void apply_row(const struct stencil *matrix, ptrdiff_t first, ptrdiff_t offset, int place,
                      const double *restrict x, double *restrict y)
{
        for (ptrdiff_t node = first; node < first + matrix->side - 2; node++) {
                const double *block = matrix->block + (node * 27 + place) * 9;
                const double *from = x + 3 * (node + offset);
                for (int i = 0; i < 3; i++)
                        y[3 * node + i] += block[3 * i] * from[0] + block[3 * i + 1] * from[1] +
                                           block[3 * i + 2] * from[2];
        }
}

static void apply_all_places(const struct stencil *matrix, ptrdiff_t first, const double *x,
                             double *y)
{
        for (int place = 0; place < 27; place++) {
                int dx = place % 3 - 1, dy = place / 3 % 3 - 1, dz = place / 9 - 1;
                ptrdiff_t offset = ((ptrdiff_t)dz * matrix->side + dy) * matrix->side + dx;
                apply_row(matrix, first, offset, place, x, y);
        }
}

void stencil_apply(const struct stencil *matrix, const double *x, double *y)
{
        ptrdiff_t side = matrix->side;
        memset(y, 0, (size_t)entries(matrix->side) * sizeof(*y));
        for (ptrdiff_t z = 1; z < side - 1; z++)
                for (ptrdiff_t row = 1; row < side - 1; row++)
                        apply_all_places(matrix, (z * side + row) * side + 1, x, y);
}

/* z = r over the diagonal; the surface has no diagonal and stays zero. */
static void precondition(const struct stencil *matrix, const double *r, double *z)
{
        for (ptrdiff_t i = 0; i < entries(matrix->side); i++) {
                double diagonal = matrix->block[(i / 3 * 27 + 13) * 9 + i % 3 * 4];
                z[i] = diagonal > 0 ? r[i] / diagonal : 0;
        }
}

/* y = x + factor y */
static void scale_add(ptrdiff_t n, double factor, const double *x, double *y)
{
        for (ptrdiff_t i = 0; i < n; i++)
                y[i] = x[i] + factor * y[i];
}

/* y += factor x */
static void add(ptrdiff_t n, double factor, const double *x, double *y)
{
        for (ptrdiff_t i = 0; i < n; i++)
                y[i] += factor * x[i];
}

int32_t stencil_solve(const struct stencil_system *system)
{
        int32_t side = system->matrix->side;
        ptrdiff_t n = entries(side);
        double *r = system->scratch, *z = r + n, *p = z + n, *ap = p + n;
        memset(system->x, 0, (size_t)n * sizeof(*system->x));
        memcpy(r, system->b, (size_t)n * sizeof(*r));
        precondition(system->matrix, r, z);
        memcpy(p, z, (size_t)n * sizeof(*p));
        double rz = stencil_dot(side, r, z);
        for (int32_t iteration = 0; iteration <= system->most; iteration++) {
                if (sqrt(stencil_dot(side, r, r)) <= system->target)
                        return iteration;
                stencil_apply(system->matrix, p, ap);
                double step = rz / stencil_dot(side, p, ap);
                add(n, step, p, system->x);
                add(n, -step, ap, r);
                precondition(system->matrix, r, z);
                double rz_before = rz;
                rz = stencil_dot(side, r, z);
                scale_add(n, rz / rz_before, z, p);
        }
        return -1;
}
