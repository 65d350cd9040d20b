/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/cholesky/tile.h"

#include <math.h>
#include <stddef.h>

#include "base/random.h"
#include "real/apps/cholesky/cholesky.h"

/* The loops run along rows, so that compilers make vector code of them without changing the order
 * of sums; for that, tiles that are used by columns are transposed first. */

static double entry(const struct tile_place *place, uint64_t key, int32_t row, int32_t column)
{
        if (row >= place->size || column >= place->size)
                return row == column ? 1 : 0;
        uint64_t low = (uint64_t)(row < column ? row : column);
        uint64_t high = (uint64_t)(row < column ? column : row);
        double unit = lb_random_to_unit(lb_random_at(key, place->id, high << 32 | low));
        return row == column ? place->size + unit : 2 * unit - 1;
}

void tile_fill(const struct tile_place *place, int32_t block, double *tile)
{
        uint64_t key = lb_random_key(place->seed, LB_RANDOM_TASK);
        for (int32_t i = 0; i < block; i++)
                for (int32_t j = 0; j < block; j++)
                        tile[(ptrdiff_t)i * block + j] =
                            entry(place, key, place->first_row + i, place->first_column + j);
}

static void transpose(size_t n, const double *restrict tile, double *restrict out)
{
        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                        out[j * n + i] = tile[i * n + j];
}

/* out[i] -= factor * row[i] */
static void subtract(size_t n, double factor, const double *restrict row, double *restrict out)
{
        for (size_t i = 0; i < n; i++)
                out[i] -= factor * row[i];
}

void tile_factor(int32_t block, double *tile)
{
        size_t n = (size_t)block;
        double upper[CHOLESKY_BLOCK_MAX * CHOLESKY_BLOCK_MAX]; /* L^T, by rows */
        transpose(n, tile, upper);
        for (size_t k = 0; k < n; k++) {
                double *row = upper + k * n, pivot = sqrt(row[k]);
                for (size_t i = k; i < n; i++)
                        row[i] /= pivot;
                for (size_t i = k + 1; i < n; i++)
                        subtract(n - i, row[i], row + i, upper + i * n + i);
        }
        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                        tile[i * n + j] = j <= i ? upper[j * n + i] : 0;
}

void tile_solve(int32_t block, const double *factor, double *tile)
{
        size_t n = (size_t)block;
        double upper[CHOLESKY_BLOCK_MAX * CHOLESKY_BLOCK_MAX];
        transpose(n, factor, upper);
        for (size_t i = 0; i < n; i++) {
                double *row = tile + i * n;
                for (size_t k = 0; k < n; k++) {
                        row[k] /= upper[k * n + k];
                        subtract(n - k - 1, row[k], upper + k * n + k + 1, row + k + 1);
                }
        }
}

void tile_update(int32_t block, const double *left, const double *right, double *tile)
{
        size_t n = (size_t)block;
        double upper[CHOLESKY_BLOCK_MAX * CHOLESKY_BLOCK_MAX];
        transpose(n, right, upper);
        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < n; k++)
                        subtract(n, left[i * n + k], upper + k * n, tile + i * n);
}
