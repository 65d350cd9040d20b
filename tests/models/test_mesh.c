/* SPDX-License-Identifier: BSD-3-Clause */
/* CHAMELEON's workloads: sizes and bytes of products, the wave's way, the lake's shore. */
#include "tests/models/model_setting.h"

#include <math.h>
#include <string.h>

enum { NNODE = 8 };

static double rank_work_ms(const struct workload *workload, int32_t rank, int32_t iteration)
{
        struct work work[NNODE];
        workload_iteration(workload, iteration, work);
        double sum = 0;
        for (int64_t t = 0; t < work[rank].ntask; t++)
                sum += (double)workload_task_ns(workload, rank, iteration, t) * 1e-6;
        return sum;
}

static double imbalance(const struct workload *workload, int32_t iteration)
{
        double sum = 0, most = 0;
        for (int32_t r = 0; r < NNODE; r++) {
                double ms = rank_work_ms(workload, r, iteration);
                sum += ms;
                most = fmax(most, ms);
        }
        return most * NNODE / sum;
}

/* S = 150 at 2.6 GFLOP/s: 2.596 ms, 360016 bytes in, 180000 out; the first rank only has tasks. */
static void products_have_their_size(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, "matmul", 2, 1);
        s.param[WORKLOAD_MATMUL_SIZE] = 150;
        s.param[WORKLOAD_MATMUL_RANKS] = 1;
        s.param[WORKLOAD_MATMUL_TASKS] = 7;
        struct workload *workload = create(&s);
        struct work work[2];
        workload_iteration(workload, 0, work);
        assert_int_equal(work[0].ntask, 7);
        assert_int_equal(work[1].ntask, 0);
        assert_int_equal(work[0].task_ns, 2596154);
        assert_int_equal(work[0].task_bytes, 360016);
        assert_int_equal(work[0].result_bytes, 180000);
        workload_destroy(workload);
}

/* Models that do not know better bring back as much as they send. */
static void results_are_as_large_as_inputs(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, "synthetic", 2, 1);
        s.param[WORKLOAD_TASK_BYTES] = 1234;
        struct workload *workload = create(&s);
        struct work work[2];
        workload_iteration(workload, 0, work);
        assert_int_equal(work[1].task_bytes, 1234);
        assert_int_equal(work[1].result_bytes, 1234);
        workload_destroy(workload);
}

/* Where the mesh is refined changes with time, no cell costs less than 1 or more than the factor,
 * and after mesh_steps it all begins again. */
static void wave_wanders(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, "mesh", NNODE, 1);
        s.param[WORKLOAD_ITERATIONS] = 45;
        s.param[WORKLOAD_MESH_STEPS] = 20;
        s.param[WORKLOAD_MESH_REFINE] = 5;
        s.param[WORKLOAD_TASKS_PER_CORE] = 2;
        struct workload *workload = create(&s);
        int32_t differ = 0;
        for (int32_t i = 0; i < 20; i++) {
                assert_true(imbalance(workload, i) >= 1 && imbalance(workload, i) < 5);
                for (int32_t r = 0; r < NNODE; r++) {
                        double ms = rank_work_ms(workload, r, i), plain = 96 * 50;
                        assert_true(ms > plain * 0.999 && ms < plain * 5.001);
                        assert_true(fabs(ms - rank_work_ms(workload, r, i + 20)) < 1e-9);
                        differ += fabs(ms - rank_work_ms(workload, r, i + 1)) > 1;
                }
        }
        assert_true(differ > 20);
        workload_destroy(workload);
}

/* Half of the cells in a band of 0.05 along a shore of radius 0.25 are twice as dear: 2 pi 0.25 x
 * 0.05 / 2 = 3.9 % more work, on every iteration anew. */
static void limiter_makes_shore_cells_dearer(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, "limiter", NNODE, 1);
        s.param[WORKLOAD_ITERATIONS] = 12;
        struct workload *workload = create(&s);
        double sum = 0;
        for (int32_t i = 0; i < 12; i++) {
                for (int32_t r = 0; r < NNODE; r++)
                        sum += rank_work_ms(workload, r, i) / (12 * NNODE * 4800.0 * 50);
                assert_true(imbalance(workload, i) > 1.005);
        }
        assert_true(fabs(sum - 1.0393) < 0.002);
        assert_int_not_equal(workload_task_ns(workload, 0, 0, 9), 0);
        workload_destroy(workload);
}

/* Beyond the shore, 1 - pi 0.25^2 = 80.4 % of the cells without the 2.1 % that are limited, a cell
 * at half the cost saves 39.2 %. */
static void limiter_has_dry_cells(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, "limiter", NNODE, 1);
        s.param[WORKLOAD_LIMITER_DRY] = 0.5;
        s.param[WORKLOAD_ITERATIONS] = 12;
        struct workload *workload = create(&s);
        double sum = 0;
        for (int32_t i = 0; i < 12; i++)
                for (int32_t r = 0; r < NNODE; r++)
                        sum += rank_work_ms(workload, r, i) / (12 * NNODE * 4800.0 * 50);
        assert_true(fabs(sum - (1.0393 - 0.3915)) < 0.002);
        workload_destroy(workload);
}

/* The serial parts of a lake's predictions at rest, and when tasks begin. */
static void predict(int32_t nnode, int32_t cores, struct work *work)
{
        struct setting s;
        setting_init(&s, "limiter", nnode, 1);
        s.spec.cores_per_node = cores;
        s.param[WORKLOAD_TASKS_PER_CORE] = 16;
        s.param[WORKLOAD_TASK_MS] = 10;
        s.param[WORKLOAD_LIMITER_SHARE] = 0;
        s.param[WORKLOAD_LIMITER_PREDICTOR] = 3;
        struct workload *workload = create(&s);
        workload_iteration(workload, 0, work);
        workload_destroy(workload);
}

/* Cells of the lake, pi 0.25^2 of all, are predicted outside of tasks, each thread its own; no task
 * begins before the ranks around have theirs: with four all, for they touch in the middle. */
static void limiter_predicts_outside_of_tasks(void **unused)
{
        (void)unused;
        struct work one, four[4], many[64];
        double sum_ms = 0, most_ms = 0, all_ms = acos(-1) / 16 * 3 * 16 * 10;
        predict(4, 1, four);
        for (int32_t r = 0; r < 4; r++) {
                sum_ms += (double)four[r].serial_ns * 1e-6;
                most_ms = fmax(most_ms, (double)four[r].serial_ns * 1e-6);
        }
        assert_true(fabs(sum_ms / (4 * all_ms) - 1) < 0.01);
        for (int32_t r = 0; r < 4; r++)
                assert_true(fabs((double)four[r].start_ns * 1e-6 - most_ms) < 1e-6);
        predict(1, 4, &one);
        assert_true(fabs((double)one.serial_ns * 1e-6 - most_ms) < 1e-6);
        assert_int_equal(one.start_ns, one.serial_ns);
        predict(64, 1, many);
        assert_int_equal(many[0].start_ns, 0); /* in a corner, all around it is dry */
        int32_t waiting = 0;
        for (int32_t r = 0; r < 64; r++)
                waiting += many[r].serial_ns == 0 && many[r].start_ns > 0;
        assert_int_equal(waiting, 20); /* around the 16 with cells in the lake, corners included */
}

/* Another seed limits other cells, the same seed the same ones. */
static void seeds_decide(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, "limiter", NNODE, 1);
        struct workload *one = create(&s), *same = create(&s);
        s.spec.seed++;
        struct workload *other = create(&s);
        double a = 0, b = 0, c = 0;
        for (int32_t r = 0; r < NNODE; r++) {
                a += rank_work_ms(one, r, 3) * (r + 1);
                b += rank_work_ms(same, r, 3) * (r + 1);
                c += rank_work_ms(other, r, 3) * (r + 1);
        }
        assert_true(fabs(a - b) <= 0);
        assert_true(fabs(a - c) > 1e-6);
        workload_destroy(one);
        workload_destroy(same);
        workload_destroy(other);
}

/* A mesh that would take for ever is refused, with the limits. */
static void too_much_mesh_is_refused(void **unused)
{
        (void)unused;
        struct setting s;
        struct lb_error err;
        setting_init(&s, "mesh", 64, 1);
        s.param[WORKLOAD_TASKS_PER_CORE] = 100000;
        assert_null(workload_create(&s.spec, &err));
        assert_non_null(strstr(err.text, "allowed are at most"));
        setting_init(&s, "mesh", 64, 1);
        s.param[WORKLOAD_ITERATIONS] = s.param[WORKLOAD_MESH_STEPS] = 100000;
        assert_null(workload_create(&s.spec, &err));
        assert_int_equal(err.kind, LB_ERROR_INPUT);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(products_have_their_size),
                cmocka_unit_test(results_are_as_large_as_inputs),
                cmocka_unit_test(wave_wanders),
                cmocka_unit_test(limiter_makes_shore_cells_dearer),
                cmocka_unit_test(limiter_has_dry_cells),
                cmocka_unit_test(limiter_predicts_outside_of_tasks),
                cmocka_unit_test(seeds_decide),
                cmocka_unit_test(too_much_mesh_is_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
