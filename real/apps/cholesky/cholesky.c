/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/cholesky/cholesky.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "real/apps/cholesky/tile.h"
#include "real/apps/common/result.h"

enum { SIZE, BLOCK, ITERATIONS, SEED, NPARAM };
enum { MATRICES };
enum { DEFAULT_MATRICES = 4 };
static const int64_t max_matrices = 100000;
const double cholesky_residual_allowed = 1;

static const struct lb_param params[NPARAM + 1] = {
        [SIZE] = { .name = "size",
                   .unit = "rows",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 1024,
                   .min = 1,
                   .max = 100000,
                   .help = "rows of each matrix" },
        [BLOCK] = { .name = "block",
                    .unit = "rows",
                    .type = LB_PARAM_INTEGER,
                    .fallback = 64,
                    .min = 1,
                    .max = CHOLESKY_BLOCK_MAX,
                    .help = "rows of a tile" },
        [ITERATIONS] = { .name = "iterations",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 3,
                         .min = 1,
                         .max = 1e6,
                         .help = "times that all is filled and factored" },
        [SEED] = { .name = "seed",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 1,
                   .min = 0,
                   .max = LB_PARAM_WHOLE_MAX,
                   .help = "of the matrices" },
};

static const struct app_text texts[] = {
        [MATRICES] = { "matrices", "N0,N1,...",
                       "matrices of each rank; 0 for those not named (default: 4)" },
        { 0 },
};

const struct app cholesky_app = {
        .name = "cholesky",
        .summary = "blocked Cholesky factorisation, A = L L^T, a task for each operation on a tile",
        .param = params,
        .text = texts,
};

struct cholesky cholesky_configure(const struct app_options *options)
{
        int32_t size = (int32_t)options->value[SIZE], block = (int32_t)options->value[BLOCK];
        return (struct cholesky){
                .size = size,
                .block = block,
                .iterations = (int32_t)options->value[ITERATIONS],
                .ntile = (size + block - 1) / block,
                .seed = (uint64_t)options->value[SEED],
                .matrices = options->text[MATRICES],
        };
}

int cholesky_matrices(const struct cholesky *cholesky, int32_t nrank, int64_t *matrices,
                      struct lb_error *err)
{
        if (app_read_list(cholesky->matrices, DEFAULT_MATRICES, max_matrices, nrank, matrices,
                          err) != 0)
                return lb_error_prefix(err, "--matrices: ");
        return 0;
}

uint64_t cholesky_id(int32_t rank, int64_t matrix)
{
        return (uint64_t)rank << 32 | (uint64_t)matrix;
}

static size_t tile_entries(const struct cholesky *cholesky)
{
        return (size_t)cholesky->block * (size_t)cholesky->block;
}

size_t cholesky_tile_bytes(const struct cholesky *cholesky)
{
        return tile_entries(cholesky) * sizeof(double);
}

static size_t tile_index(int32_t row, int32_t column)
{
        return (size_t)row * ((size_t)row + 1) / 2 + (size_t)column;
}

size_t cholesky_matrix_bytes(const struct cholesky *cholesky)
{
        return tile_index(cholesky->ntile, 0) * cholesky_tile_bytes(cholesky);
}

static const double *tile_at(const struct cholesky *cholesky, const double *matrix, int32_t row,
                             int32_t column)
{
        return matrix + tile_index(row, column) * tile_entries(cholesky);
}

/* A visit under way. */
struct visit {
        const struct cholesky *cholesky;
        uint64_t id;
        double *matrix;
        cholesky_each each;
        void *context;
};

static struct cholesky_work work_on(const struct visit *visit, enum cholesky_kind kind, int32_t row,
                                    int32_t column)
{
        const struct cholesky *cholesky = visit->cholesky;
        return (struct cholesky_work){
                .kind = kind,
                .block = cholesky->block,
                .row = row,
                .column = column,
                .size = cholesky->size,
                .seed = cholesky->seed,
                .id = visit->id,
                .tile = visit->matrix + tile_index(row, column) * tile_entries(cholesky),
        };
}

static void visit_fill(const struct visit *visit)
{
        for (int32_t row = 0; row < visit->cholesky->ntile; row++) {
                for (int32_t column = 0; column <= row; column++) {
                        struct cholesky_work work = work_on(visit, CHOLESKY_FILL, row, column);
                        visit->each(visit->context, &work);
                }
        }
}

static void visit_factor(const struct visit *visit, int32_t k)
{
        struct cholesky_work work = work_on(visit, CHOLESKY_FACTOR, k, k);
        visit->each(visit->context, &work);
}

static void visit_solve(const struct visit *visit, int32_t row, int32_t k)
{
        struct cholesky_work work = work_on(visit, CHOLESKY_SOLVE, row, k);
        work.nread = 1;
        work.read[0] = tile_at(visit->cholesky, visit->matrix, k, k);
        visit->each(visit->context, &work);
}

static void visit_update(const struct visit *visit, int32_t row, int32_t column, int32_t k)
{
        struct cholesky_work work = work_on(visit, CHOLESKY_UPDATE, row, column);
        work.nread = row == column ? 1 : 2;
        work.read[0] = tile_at(visit->cholesky, visit->matrix, row, k);
        work.read[1] = tile_at(visit->cholesky, visit->matrix, column, k);
        visit->each(visit->context, &work);
}

void cholesky_visit(const struct cholesky *cholesky, uint64_t id, double *matrix,
                    cholesky_each each, void *context)
{
        struct visit visit = { cholesky, id, matrix, each, context };
        visit_fill(&visit);
        for (int32_t k = 0; k < cholesky->ntile; k++) {
                visit_factor(&visit, k);
                for (int32_t row = k + 1; row < cholesky->ntile; row++)
                        visit_solve(&visit, row, k);
                for (int32_t row = k + 1; row < cholesky->ntile; row++)
                        for (int32_t column = k + 1; column <= row; column++)
                                visit_update(&visit, row, column, k);
        }
}

static struct tile_place place_of(const struct cholesky_work *work)
{
        return (struct tile_place){
                .seed = work->seed,
                .id = work->id,
                .size = work->size,
                .first_row = work->row * work->block,
                .first_column = work->column * work->block,
        };
}

int32_t cholesky_priority(const struct cholesky_work *work)
{
        static const int32_t priorities[] = {
                [CHOLESKY_FILL] = 0,
                [CHOLESKY_FACTOR] = 3,
                [CHOLESKY_SOLVE] = 2,
                [CHOLESKY_UPDATE] = 1,
        };
        return priorities[work->kind];
}

void cholesky_run(const struct cholesky_work *work)
{
        struct tile_place place = place_of(work);
        switch (work->kind) {
        case CHOLESKY_FILL:
                tile_fill(&place, work->block, work->tile);
                return;
        case CHOLESKY_FACTOR:
                tile_factor(work->block, work->tile);
                return;
        case CHOLESKY_SOLVE:
                tile_solve(work->block, work->read[0], work->tile);
                return;
        case CHOLESKY_UPDATE:
                tile_update(work->block, work->read[0], work->read[1], work->tile);
                return;
        }
}

/* The sum of squares of a tile and, off the diagonal, of its mirror image. */
static double squares(const double *tile, size_t entries, bool mirrored)
{
        double sum = 0;
        for (size_t i = 0; i < entries; i++)
                sum += tile[i] * tile[i];
        return mirrored ? 2 * sum : sum;
}

/* Add the squares of a tile of A, and of A - L L^T there. */
static void add_tile(const struct cholesky *cholesky, const struct cholesky_work *work,
                     const double *matrix, double sum[static 2])
{
        struct tile_place place = place_of(work);
        size_t entries = tile_entries(cholesky);
        tile_fill(&place, work->block, work->tile);
        sum[0] += squares(work->tile, entries, work->row != work->column);
        for (int32_t k = 0; k <= work->column; k++)
                tile_update(work->block, tile_at(cholesky, matrix, work->row, k),
                            tile_at(cholesky, matrix, work->column, k), work->tile);
        sum[1] += squares(work->tile, entries, work->row != work->column);
}

double cholesky_residual(const struct cholesky *cholesky, uint64_t id, const double *matrix)
{
        double sum[2] = { 0, 0 };
        double *scratch = app_alloc(cholesky_tile_bytes(cholesky));
        for (int32_t row = 0; row < cholesky->ntile; row++) {
                for (int32_t column = 0; column <= row; column++) {
                        struct cholesky_work work = { .block = cholesky->block,
                                                      .row = row,
                                                      .column = column,
                                                      .size = cholesky->size,
                                                      .seed = cholesky->seed,
                                                      .id = id,
                                                      .tile = scratch };
                        add_tile(cholesky, &work, matrix, sum);
                }
        }
        free(scratch);
        return sqrt(sum[1] / sum[0]) / (cholesky->size * DBL_EPSILON);
}

uint64_t cholesky_hash(const struct cholesky *cholesky, uint64_t id, const double *matrix)
{
        return app_hash(id, matrix, cholesky_matrix_bytes(cholesky));
}
