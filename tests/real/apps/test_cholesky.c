/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/taskgraph.h"
#include "models/workload.h"
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

/* The accesses of all tasks so far, tile by tile. */
struct order {
        struct taskgraph *graph;
        const double *data;
        size_t tile_entries;
        int32_t ntask, writer[64];           /* of each tile, -1: none */
        int32_t reader[64][64], nreader[64]; /* since then */
};

static void read_tile(struct order *order, const double *tile, int32_t *after, int32_t *nafter)
{
        size_t at = (size_t)(tile - order->data) / order->tile_entries;
        after[(*nafter)++] = order->writer[at];
        order->reader[at][order->nreader[at]++] = order->ntask;
}

/* A task as the runtime orders it: behind who wrote what it reads, and behind all who wrote or read
 * what it writes. */
static void order_task(void *context, const struct cholesky_work *work)
{
        struct order *order = context;
        struct lb_error err;
        int32_t after[128], nafter = 0;
        int64_t cube = (int64_t)work->block * work->block * work->block;
        const int64_t ns[] = {
                [CHOLESKY_FILL] = (int64_t)7 * work->block * work->block,
                [CHOLESKY_FACTOR] = (cube + 1) / 3,
                [CHOLESKY_SOLVE] = cube,
                [CHOLESKY_UPDATE] = 2 * cube,
        };
        size_t own = (size_t)(work->tile - order->data) / order->tile_entries;
        if (work->kind != CHOLESKY_FILL)
                after[nafter++] = order->writer[own];
        for (int32_t i = 0; i < work->nread; i++)
                read_tile(order, work->read[i], after, &nafter);
        int64_t bytes = (int64_t)nafter * work->block * work->block * 8;
        for (int32_t i = 0; i < order->nreader[own]; i++)
                after[nafter++] = order->reader[own][i];
        order->nreader[own] = 0;
        order->writer[own] = order->ntask++;
        struct taskgraph_task task = { .task_ns = ns[work->kind],
                                       .bytes = bytes,
                                       .priority = cholesky_priority(work),
                                       .after = after,
                                       .nafter = nafter };
        assert_int_equal(taskgraph_add(order->graph, 0, 0, &task, &err), 0);
}

/* Model cholesky of the simulator has this program's tasks: as many, in the same order, with the
 * same dependencies, priorities and data, and durations of the operations that they do. */
static void test_simulated_tasks(void **state)
{
        (void)state;
        struct cholesky cholesky = shape(130, 20);
        struct order order = { .tile_entries = 400 };
        struct lb_error err;
        double param[WORKLOAD_NPARAM];
        lb_param_defaults(workload_params, param);
        param[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "cholesky");
        param[WORKLOAD_CHOLESKY_SIZE] = 130;
        param[WORKLOAD_CHOLESKY_BLOCK] = 20;
        param[WORKLOAD_CHOLESKY_MATRICES] = 2;
        param[WORKLOAD_CHOLESKY_GFLOPS] = 1;
        param[WORKLOAD_CHOLESKY_FILL_NS] = 7;
        param[WORKLOAD_CHOLESKY_DIAGONAL] =
            lb_param_choice(&workload_params[WORKLOAD_CHOLESKY_DIAGONAL], "whole");
        param[WORKLOAD_IMBALANCE] = 1;
        struct workload_spec spec = {
                .nnode = 1, .cores_per_node = 1, .appranks_per_node = 1, .param = param
        };
        struct workload *workload = workload_create(&spec, &err);
        order.graph = taskgraph_create(1, 1, &err);
        assert_non_null(workload);
        assert_non_null(order.graph);
        size_t entries = cholesky_matrix_bytes(&cholesky) / sizeof(double);
        double *data = app_alloc(2 * entries * sizeof(double));
        order.data = data;
        for (uint64_t i = 0; i < 2; i++)
                cholesky_visit(&cholesky, i, data + i * entries, order_task, &order);
        assert_int_equal(taskgraph_close(order.graph, &err), 0);
        const struct taskgraph *graph = workload_graph_of(workload);
        assert_true(taskgraph_ntask(graph) == 2 * (28 + 7 + 21 + 56));
        assert_true(taskgraph_hash(graph) == taskgraph_hash(order.graph));
        taskgraph_destroy(order.graph);
        workload_destroy(workload);
        free(data);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_residual),
                cmocka_unit_test(test_textbook),
                cmocka_unit_test(test_simulated_tasks),
                cmocka_unit_test(test_any_order),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
