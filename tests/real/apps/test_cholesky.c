/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "real/apps/cholesky/cholesky.h"
#include "real/apps/cholesky/tile.h"
#include "real/apps/common/result.h"

static struct cholesky shape(int32_t size, int32_t block)
{
        return (struct cholesky){
                .size = size, .block = block, .ntile = (size + block - 1) / block, .seed = 4
        };
}

static void run_at_once(void *context, const struct cholesky_work *work)
{
        (void)context;
        cholesky_run(work);
}

static double *factor(const struct cholesky *cholesky)
{
        double *matrix = app_alloc(cholesky_matrix_bytes(cholesky));
        cholesky_visit(cholesky, 7, matrix, run_at_once, NULL);
        return matrix;
}

/* L L^T is A within rounding, for any size and block, also where one is no multiple of the other;
 * and one wrong entry is seen. */
static void test_residual(void **state)
{
        (void)state;
        static const int32_t shapes[][2] = { { 1, 1 },   { 1, 8 },   { 5, 8 },  { 64, 16 },
                                             { 65, 16 }, { 100, 7 }, { 97, 1 }, { 200, 128 } };
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
                struct cholesky cholesky = shape(shapes[i][0], shapes[i][1]);
                double *matrix = factor(&cholesky);
                assert_true(cholesky_residual(&cholesky, 7, matrix) <= cholesky_residual_allowed);
                assert_false(cholesky_residual(&cholesky, 8, matrix) <= cholesky_residual_allowed &&
                             cholesky.size > 1);
                matrix[0] *= 1 + 1e-6;
                assert_false(cholesky_residual(&cholesky, 7, matrix) <= cholesky_residual_allowed);
                matrix[0] = NAN;
                assert_false(cholesky_residual(&cholesky, 7, matrix) <= cholesky_residual_allowed);
                free(matrix);
        }
}

/* A textbook factorisation without tiles gives the same factor. */
static void test_textbook(void **state)
{
        (void)state;
        enum { N = 30, BLOCK = 8 };
        struct cholesky cholesky = shape(N, BLOCK);
        double *matrix = factor(&cholesky), a[N * N], l[N][N] = { { 0 } };
        tile_fill(&(struct tile_place){ .seed = 4, .id = 7, .size = N }, N, a);
        for (int j = 0; j < N; j++) {
                for (int i = j; i < N; i++) {
                        double sum = a[i * N + j];
                        for (int k = 0; k < j; k++)
                                sum -= l[i][k] * l[j][k];
                        l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
                        int row = i / BLOCK, column = j / BLOCK;
                        const double *tile =
                            matrix + (row * (row + 1) / 2 + column) * BLOCK * BLOCK;
                        double found = tile[i % BLOCK * BLOCK + j % BLOCK];
                        assert_true(fabs(found - l[i][j]) < 1e-13);
                }
        }
        free(matrix);
}

/* What a schedule does: operations whose order the tiles they touch decide. */
struct schedule {
        struct cholesky_work *work;
        int64_t n, room;
};

static void record(void *context, const struct cholesky_work *work)
{
        struct schedule *schedule = context;
        assert_true(schedule->n < schedule->room);
        schedule->work[schedule->n++] = *work;
}

static bool reads(const struct cholesky_work *work, const double *tile)
{
        for (int32_t i = 0; i < work->nread; i++)
                if (work->read[i] == tile)
                        return true;
        return false;
}

static bool must_wait(const struct cholesky_work *later, const struct cholesky_work *earlier)
{
        return later->tile == earlier->tile || reads(later, earlier->tile) ||
               reads(earlier, later->tile);
}

static bool is_ready(const struct schedule *schedule, int64_t index)
{
        for (int64_t i = 0; i < index; i++)
                if (schedule->work[i].tile && must_wait(&schedule->work[index], &schedule->work[i]))
                        return false;
        return schedule->work[index].tile != NULL;
}

/* Run all in a random order that the accesses allow. */
static void run_at_random(struct schedule *schedule, struct lb_random *random)
{
        for (int64_t left = schedule->n; left > 0;) {
                int64_t i = (int64_t)lb_random_below(random, (uint64_t)schedule->n);
                if (!is_ready(schedule, i))
                        continue;
                cholesky_run(&schedule->work[i]);
                schedule->work[i].tile = NULL; /* done */
                left--;
        }
}

/* Any order that the accesses allow gives the factor bit by bit. */
static void test_any_order(void **state)
{
        (void)state;
        enum { ROOM = 200 };
        struct cholesky cholesky = shape(60, 10);
        double *right = factor(&cholesky);
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        for (int round = 0; round < 20; round++) {
                double *matrix = app_alloc(cholesky_matrix_bytes(&cholesky));
                struct cholesky_work work[ROOM];
                struct schedule schedule = { work, 0, ROOM };
                cholesky_visit(&cholesky, 7, matrix, record, &schedule);
                run_at_random(&schedule, &random);
                assert_memory_equal(matrix, right, cholesky_matrix_bytes(&cholesky));
                free(matrix);
        }
        free(right);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_residual),
                cmocka_unit_test(test_textbook),
                cmocka_unit_test(test_any_order),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
