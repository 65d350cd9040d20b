/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_TILE_H
#define LB_REAL_APPS_TILE_H

#include <stdint.h>

/*
 * The kernels of the blocked factorisation. Tiles are [block][block], block at most
 * CHOLESKY_BLOCK_MAX.
 */
struct tile_place {
        uint64_t seed, id; /* of the matrix */
        int32_t size;      /* of the matrix; beyond it is the unit matrix */
        int32_t first_row, first_column;
};

/* The entries of A. */
void tile_fill(const struct tile_place *place, int32_t block, double *tile);

/* A diagonal tile becomes its factor L, zero above the diagonal. Not positive definite: NaN. */
void tile_factor(int32_t block, double *tile);

/* X L^T = tile for the factor L of a diagonal tile; X replaces the tile. */
void tile_solve(int32_t block, const double *factor, double *tile);

/* tile -= left right^T */
void tile_update(int32_t block, const double *left, const double *right, double *tile);

#endif
