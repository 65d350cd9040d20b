/* SPDX-License-Identifier: BSD-3-Clause */
/* Task Packing's host: times and CPUs that can be calculated by hand, the paper's examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/trace.h"
#include "sim/systems/packing/packing.h"
#include "tests/sim/sim_world.h"

enum { PROCESS_MAX = 512 };

static double load_ms[PROCESS_MAX];

/* Single-threaded processes on nodes full of them, one task each of load_ms, 12 iterations. */
static void begin(struct world *w, int32_t nnode, int32_t processes)
{
        world_init(w, nnode, processes, 1, "packing");
        w->appranks_per_node = processes;
        w->load_ms = load_ms;
        memset(load_ms, 0, sizeof(load_ms));
        world_set(w, "model", "given");
        w->workload[WORKLOAD_TASKS_PER_CORE] = 1;
        w->workload[WORKLOAD_ITERATIONS] = 12;
}

static void assert_near(double value, double expected, double tolerance)
{
        if (!(fabs(value - expected) <= tolerance * fabs(expected)))
                fail_msg("%.10g, expected %.10g", value, expected);
}

static void loads(const double *ms, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                load_ms[i] = ms[i];
}

/* Figures 2 and 3: two CPUs of node 0 and one of node 1 are freed, the time stays within the
 * switches' cost, and 3 of 8 CPUs draw what an unused one does. */
static void paper_example(void **state)
{
        (void)state;
        static const double ms[] = { 480, 470, 490, 480, 1000, 580, 690, 390 };
        struct world w;
        double packed[METRIC_COUNT], apart[METRIC_COUNT];
        begin(&w, 2, 4);
        loads(ms, 8);
        world_metrics(&w, packed);
        world_set(&w, "pack", "none");
        world_metrics(&w, apart);
        assert_near(packed[METRIC_CORES_USED], 5, 1e-12);
        assert_near(packed[METRIC_FREED_FRACTION], 3 / 8.0, 1e-12);
        assert_near(apart[METRIC_CORES_USED], 8, 1e-12);
        assert_near(apart[METRIC_TIME_PER_ITERATION_S], 1, 1e-3);
        assert_near(packed[METRIC_TIME_PER_ITERATION_S], 1, 0.02);
        double sum = 0;
        for (int i = 0; i < 8; i++)
                sum += ms[i];
        assert_near(packed[METRIC_IMBALANCE_FRACTION], 1 - sum / 8000, 1e-3);
        assert_near(apart[METRIC_ENERGY_PER_ITERATION_J],
                    sum / 1000 * 14.4 + (8 - sum / 1000) * 12.2, 1e-3);
        assert_near(packed[METRIC_ENERGY_PER_ITERATION_J],
                    sum / 1000 * 14.4 + (5 - sum / 1000) * 12.2 + 3 * 0.7, 0.02);
}

/* A fast node beside a slow one: four processes of a quarter of the bound fit one CPU. */
static void fast_beside_slow(void **state)
{
        (void)state;
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 2, 8);
        for (int i = 0; i < 16; i++)
                load_ms[i] = 100;
        w.speed[1] = 0.24;
        world_metrics(&w, metric);
        assert_near(metric[METRIC_FREED_FRACTION], 6 / 8.0, 1e-12);
        assert_near(metric[METRIC_CORES_USED], 10, 1e-12);
        assert_near(metric[METRIC_IMBALANCE_FRACTION], 0.76, 1e-3);
        assert_near(metric[METRIC_TIME_PER_ITERATION_S], 0.1 / 0.24, 1e-3);
}

/* What is tolerated is used: 20 % let two processes of 60 % share a CPU, and the time says so. */
static void tolerance(void **state)
{
        (void)state;
        static const double ms[] = { 1000, 600, 590, 590, 590 };
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 1, 5);
        loads(ms, 5);
        world_metrics(&w, metric);
        assert_near(metric[METRIC_CORES_USED], 5, 1e-12);
        world_set(&w, "pack_tolerance", "0.2");
        world_metrics(&w, metric);
        assert_near(metric[METRIC_CORES_USED], 3, 1e-12);
        assert_true(metric[METRIC_TIME_PER_ITERATION_S] > 1.18);
        assert_true(metric[METRIC_TIME_PER_ITERATION_S] < 1.19 * 1.03);
}

/* With nothing to gain nothing moves, and with one process there is nothing to gain. */
static void balanced_or_alone(void **state)
{
        (void)state;
        for (int32_t processes = 1; processes <= 4; processes += 3) {
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, 1, processes);
                for (int i = 0; i < processes; i++)
                        load_ms[i] = 100;
                world_metrics(&w, metric);
                assert_near(metric[METRIC_CORES_USED], processes, 1e-12);
                assert_near(metric[METRIC_TIME_PER_ITERATION_S], 0.1, 1e-3);
                assert_true(metric[METRIC_OWNERSHIP_CHANGES] <= 0);
        }
}

/* No work at all: nothing is measured, nothing packed, no time passes but that of the barrier. */
static void nothing_to_do(void **state)
{
        (void)state;
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 2, 3);
        world_metrics(&w, metric);
        assert_near(metric[METRIC_CORES_USED], 6, 1e-12);
        assert_true(metric[METRIC_TOTAL_S] < 1e-3);
        assert_true(isfinite(metric[METRIC_IMBALANCE_FRACTION]));
        assert_true(isfinite(metric[METRIC_ENERGY_PER_ITERATION_J]));
}

/* Processes with several cores each are packed as wholes: eight cores are four processes' CPUs of
 * two, of which one is freed. */
static void several_cores(void **state)
{
        (void)state;
        static const double ms[] = { 100, 60, 35, 70 };
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 1, 4);
        loads(ms, 4);
        w.cores = 8;
        w.workload[WORKLOAD_TASKS_PER_CORE] = 4;
        world_metrics(&w, metric);
        assert_near(metric[METRIC_CORES_USED], 6, 1e-12);
        assert_near(metric[METRIC_TIME_PER_ITERATION_S], 0.4, 0.05);
        assert_near(metric[METRIC_TASKS], 12 * 4 * 8, 1e-12);
}

/* Sockets that are platform nodes of their own are packed together where they are one machine. */
static void machines_of_domains(void **state)
{
        (void)state;
        struct world w;
        double apart[METRIC_COUNT], together[METRIC_COUNT];
        begin(&w, 4, 3);
        for (int i = 0; i < 12; i++)
                load_ms[i] = i < 6 ? 40 : 100;
        world_metrics(&w, apart);
        w.host[PACKING_TABLE_HOST][PACKING_DOMAINS] = 2;
        world_metrics(&w, together);
        assert_near(apart[METRIC_CORES_USED], 6 + 2 * 2, 1e-12);
        assert_near(together[METRIC_CORES_USED], 6 + 3, 1e-12);
}

/* Four processes of a node whose loads change places half way, in a file of loads. */
static struct trace *moving_loads(void)
{
        static const double work_s[2][4] = { { 1, 0.3, 0.3, 0.35 }, { 0.3, 1, 0.3, 0.35 } };
        struct lb_error err;
        FILE *file = fopen("moving.csv", "w");
        assert_non_null(file);
        fprintf(file, "iteration,apprank,work_s,tasks\n");
        for (int i = 0; i < 40; i++)
                for (int a = 0; a < 4; a++)
                        fprintf(file, "%d,%d,%g,1\n", i, a, work_s[i / 20][a]);
        fclose(file);
        struct trace *trace = trace_read("moving.csv", &err);
        if (!trace)
                fail_msg("%s", err.text);
        return trace;
}

/* Work moves to a process that shares a CPU: packed once it stays late; packed again, by either way
 * of measuring, it is as fast as before, with as few CPUs. */
static void packs_again(void **state)
{
        (void)state;
        static const char *const adapts[] = { "once", "expand", "in_place" };
        struct trace *trace = moving_loads();
        for (int i = 0; i < 3; i++) {
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, 1, 4);
                world_set(&w, "model", "trace");
                w.trace = trace;
                w.workload[WORKLOAD_ITERATIONS] = 40;
                world_set(&w, "pack_adapt", adapts[i]);
                world_metrics(&w, metric);
                assert_near(metric[METRIC_TIME_PER_ITERATION_S], i == 0 ? 1.65 : 1, 0.03);
                assert_near(metric[METRIC_DECISIONS], i == 0 ? 1 : 2, 1e-12);
                assert_near(metric[METRIC_CORES_USED], 2, 1e-12);
        }
        trace_destroy(trace);
}

/* Collectives: reductions suffer where CPUs are shared, and with pollers that do not yield far
 * more.
 */
static void reductions_suffer(void **state)
{
        (void)state;
        struct world w;
        double ratio[3];
        static const char *const waiting[] = { "yield", "poll", "block" };
        for (int i = 0; i < 3; i++) {
                double apart[METRIC_COUNT], packed[METRIC_COUNT];
                begin(&w, 8, 8);
                world_set(&w, "model", "minife");
                w.workload[WORKLOAD_MINIFE_ELEMENTS] = 30;
                for (int n = 4; n < 8; n++)
                        w.speed[n] = 0.2;
                world_set(&w, "pack_waiting", waiting[i]);
                world_metrics(&w, packed);
                world_set(&w, "pack", "none");
                world_metrics(&w, apart);
                ratio[i] = packed[METRIC_TIME_PER_ITERATION_S] / apart[METRIC_TIME_PER_ITERATION_S];
        }
        assert_true(ratio[0] > 1.01);
        assert_true(ratio[1] > 3 * ratio[0]);
}

/* FT on the paper's machine: 80 % imbalance on Xeon nodes, at most 80 % of their CPUs freed, and
 * time within the 13 % of the paper's worst case. */
static void ft_of_the_paper(void **state)
{
        (void)state;
        struct world w;
        double apart[METRIC_COUNT], packed[METRIC_COUNT];
        begin(&w, 16, 8);
        world_set(&w, "model", "ft");
        for (int n = 0; n < 16; n++)
                w.speed[n] = n % 4 < 2 ? 1 : 1.053 / 2 / 2.6;
        w.host[PACKING_TABLE_HOST][PACKING_DOMAINS] = 2;
        world_metrics(&w, packed);
        world_set(&w, "pack", "none");
        world_metrics(&w, apart);
        assert_near(packed[METRIC_IMBALANCE_FRACTION], 0.80, 0.01);
        assert_near(packed[METRIC_FREED_FRACTION], 0.75, 1e-12);
        assert_true(packed[METRIC_TIME_PER_ITERATION_S] <=
                    1.13 * apart[METRIC_TIME_PER_ITERATION_S]);
}

/* Same spec, same result, to the bit. */
static void deterministic(void **state)
{
        (void)state;
        struct world w;
        double once[METRIC_COUNT], again[METRIC_COUNT];
        begin(&w, 6, 8);
        world_set(&w, "model", "synthetic");
        world_set(&w, "jitter", "lognormal");
        w.workload[WORKLOAD_TASKS_PER_CORE] = 50;
        world_metrics(&w, once);
        world_metrics(&w, again);
        assert_memory_equal(once, again, sizeof(once));
}

/* More processes than CPUs, and machines of more processes than can be packed, are refused. */
static void refuses(void **state)
{
        (void)state;
        struct world w;
        struct sim_result result;
        struct lb_error err;
        begin(&w, 1, 4);
        w.cores = 3;
        assert_int_equal(world_run(&w, &result, &err), -1);
        assert_non_null(strstr(err.text, "found 4 processes on 3 CPUs"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(paper_example),       cmocka_unit_test(fast_beside_slow),
                cmocka_unit_test(tolerance),           cmocka_unit_test(balanced_or_alone),
                cmocka_unit_test(nothing_to_do),       cmocka_unit_test(several_cores),
                cmocka_unit_test(machines_of_domains), cmocka_unit_test(packs_again),
                cmocka_unit_test(reductions_suffer),   cmocka_unit_test(ft_of_the_paper),
                cmocka_unit_test(deterministic),       cmocka_unit_test(refuses),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
