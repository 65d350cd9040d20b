/* SPDX-License-Identifier: BSD-3-Clause */
/* The serial part of an iteration, workload.serial_s, means the same to all hosts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/sim/sim_world.h"

static const char *const systems[] = { "baseline", "dlb",       "local", "global",  "dynamic",
                                       "tight",    "chameleon", "dpb",   "packing", NULL };

static bool is_about(double value, double expected, double within)
{
        return fabs(value - expected) <= within;
}

/* By how much longer a run takes with that value, and the metrics without and with it. */
static double longer_s(struct world *w, enum workload_param param, double value,
                       double plain[METRIC_COUNT], double with[METRIC_COUNT])
{
        world_metrics(w, plain);
        w->workload[param] = value;
        world_metrics(w, with);
        return with[METRIC_TOTAL_S] - plain[METRIC_TOTAL_S];
}

/* One core is busy for so long before there are tasks, and nobody can take that off it: an
 * iteration lasts as much longer, here on nodes of half the speed. It is work all the same. */
static void it_comes_before_the_tasks(void **unused)
{
        (void)unused;
        for (int s = 0; systems[s]; s++) {
                struct world w;
                double plain[METRIC_COUNT], serial[METRIC_COUNT];
                world_init(&w, 2, 4, 1, systems[s]);
                w.speed[0] = w.speed[1] = 0.5;
                w.workload[WORKLOAD_IMBALANCE] = 1;
                w.workload[WORKLOAD_TASKS_PER_CORE] = 6;
                w.workload[WORKLOAD_ITERATIONS] = 3;
                double more_s = longer_s(&w, WORKLOAD_SERIAL_S, 0.07, plain, serial);
                assert_true(is_about(more_s, 3 * 0.14, 1e-4));
                assert_true(is_about(serial[METRIC_OPTIMAL_S], 0.6 + 0.14 / 4, 1e-9));
                assert_true(is_about(serial[METRIC_PARALLEL_EFFICIENCY],
                                     serial[METRIC_OPTIMAL_S] / serial[METRIC_TIME_PER_ITERATION_S],
                                     1e-9));
                double busy = serial[METRIC_LOAD_BALANCE] * serial[METRIC_TRANSFER_EFFICIENCY];
                assert_true(is_about(busy, serial[METRIC_PARALLEL_EFFICIENCY], 1e-3));
                assert_true(is_about(serial[METRIC_TASKS], plain[METRIC_TASKS], 1e-9));
        }
}

/* Also where there are no tasks. */
static void it_needs_no_tasks(void **unused)
{
        (void)unused;
        for (int s = 0; systems[s]; s++) {
                struct world w;
                double metric[METRIC_COUNT];
                world_init(&w, 2, 2, 1, systems[s]);
                world_set(&w, "model", "matmul");
                w.workload[WORKLOAD_MATMUL_TASKS] = 0;
                w.workload[WORKLOAD_ITERATIONS] = 3;
                w.workload[WORKLOAD_SERIAL_S] = 0.2;
                world_metrics(&w, metric);
                assert_true(is_about(metric[METRIC_TOTAL_S], 0.6, 1e-3));
                assert_true(is_about(metric[METRIC_OPTIMAL_S], 0.1, 1e-9));
        }
}

/* In the first iteration of four ranks of one thread. */
static double start_s_of(const struct world *w)
{
        struct work work[4];
        struct lb_error err;
        struct workload_spec spec = { .nnode = 4,
                                      .cores_per_node = 1,
                                      .appranks_per_node = 1,
                                      .param = w->workload,
                                      .seed = w->seed };
        struct workload *workload = workload_create(&spec, &err);
        assert_non_null(workload);
        workload_iteration(workload, 0, work);
        workload_destroy(workload);
        assert_true(work[0].start_ns == work[3].start_ns && work[0].serial_ns < work[0].start_ns);
        return (double)work[0].start_ns * 1e-9;
}

/* Whoever needs others' results waits for their serial parts, which is no work of its own: where it
 * is driest tasks take longest, and begin as late as in the lake. */
static void who_needs_them_waits_for_others(void **unused)
{
        (void)unused;
        static const char *const fixed[] = { "baseline", "dpb", "packing", "chameleon" };
        for (int s = 0; s < 4; s++) {
                struct world w;
                double plain[METRIC_COUNT], serial[METRIC_COUNT];
                world_init(&w, 4, 1, 1, fixed[s]);
                world_set(&w, "model", "limiter");
                if (s == 3) {
                        world_set(&w, "comm_core", "extra");
                        world_set(&w, "migrate", "none");
                }
                w.workload[WORKLOAD_TASKS_PER_CORE] = 16;
                w.workload[WORKLOAD_MESH_STEPS] = 1;
                w.workload[WORKLOAD_ITERATIONS] = 3;
                w.workload[WORKLOAD_LIMITER_SHARE] = 0;
                w.workload[WORKLOAD_LIMITER_DRY] = 3;
                double more_s = longer_s(&w, WORKLOAD_LIMITER_PREDICTOR, 2, plain, serial);
                assert_true(is_about(more_s, 3 * start_s_of(&w), 1e-4));
                double mean_s = acos(-1) / 16 * 2 * 16 * 0.05; /* a lake of radius 0.25 */
                assert_true(is_about(serial[METRIC_OPTIMAL_S] - plain[METRIC_OPTIMAL_S], mean_s,
                                     0.01 * mean_s));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(it_comes_before_the_tasks),
                cmocka_unit_test(it_needs_no_tasks),
                cmocka_unit_test(who_needs_them_waits_for_others),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
