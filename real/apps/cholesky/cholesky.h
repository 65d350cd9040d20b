/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_CHOLESKY_H
#define LB_REAL_APPS_CHOLESKY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/apps/common/options.h"

/*
 * Blocked Cholesky factorisation, A = L L^T, by tiles of the lower triangle: what is done to a tile
 * waits for other tiles, so that tasks need their accesses to be in order.
 *
 * - A tile is block * block doubles, row by row, all tiles one after the other by rows of tiles.
 * - A is symmetric and its diagonal outweighs the rest, so that it is positive definite; its
 *   entries are a function of seed, matrix and place. Where the size is no multiple of the block it
 *   goes on as the unit matrix.
 * - The operations on each tile have one order, so L is the same bit by bit for any schedule.
 * - No MPI and no runtime here.
 */
extern const struct app cholesky_app;
enum { CHOLESKY_BLOCK_MAX = 128 };

struct cholesky {
        int32_t size, block, iterations;
        int32_t ntile; /* along a side */
        uint64_t seed;
        const char *matrices; /* as given; NULL: the default */
};
struct cholesky cholesky_configure(const struct app_options *options);

/* The number of matrices of each rank into matrices[nrank]. */
int cholesky_matrices(const struct cholesky *cholesky, int32_t nrank, int64_t *matrices,
                      struct lb_error *err) LB_MUST_CHECK;

/* The number that makes different the matrices of all ranks. */
uint64_t cholesky_id(int32_t rank, int64_t matrix);

size_t cholesky_tile_bytes(const struct cholesky *cholesky);
size_t cholesky_matrix_bytes(const struct cholesky *cholesky);

/* One operation on tiles: reads `nread` of them, changes `tile`. */
enum cholesky_kind { CHOLESKY_FILL, CHOLESKY_FACTOR, CHOLESKY_SOLVE, CHOLESKY_UPDATE };
struct cholesky_work {
        enum cholesky_kind kind;
        int32_t block, row, column, size; /* row and column of tiles */
        uint64_t seed, id;
        int32_t nread;
        const double *read[2];
        double *tile;
};

/* Call each() for all operations on the matrix `id` in an order in which they may be run. */
typedef void (*cholesky_each)(void *context, const struct cholesky_work *work);
void cholesky_visit(const struct cholesky *cholesky, uint64_t id, double *matrix,
                    cholesky_each each, void *context);

/* Run one. */
void cholesky_run(const struct cholesky_work *work);

/* What others wait for goes first. */
int32_t cholesky_priority(const struct cholesky_work *work);

/* The variant's: make a task of one; `context` is the struct cholesky. */
void cholesky_create(void *context, const struct cholesky_work *work);

/* ||A - L L^T|| / (||A|| size epsilon), Frobenius norms: below 1 for a right result, or NaN. */
double cholesky_residual(const struct cholesky *cholesky, uint64_t id, const double *matrix);
extern const double cholesky_residual_allowed;

uint64_t cholesky_hash(const struct cholesky *cholesky, uint64_t id, const double *matrix);

#endif
