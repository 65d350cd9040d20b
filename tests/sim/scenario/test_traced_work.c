/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "models/trace.h"
#include "tests/sim/sim_world.h"

/* A trace of two appranks with 40 tasks each: work_s[iteration][apprank], 0 for no tasks. */
static struct trace *make_trace(int niteration, const double (*work_s)[2])
{
        struct lb_error err;
        FILE *out = fopen("loads.csv", "w");
        assert_non_null(out);
        fputs("iteration,apprank,work_s,tasks\n", out);
        for (int i = 0; i < niteration; i++)
                for (int a = 0; a < 2; a++)
                        fprintf(out, "%d,%d,%.17g,%d\n", i, a, work_s[i][a],
                                work_s[i][a] > 0 ? 40 : 0);
        assert_int_equal(fclose(out), 0);
        struct trace *trace = trace_read("loads.csv", &err);
        assert_non_null(trace);
        return trace;
}

static void run(struct world *w, const char *model, struct sim_result *result)
{
        struct lb_error err;
        w->workload[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], model);
        if (world_run(w, result, &err) < 0)
                fail_msg("%s", err.text);
}

/* A trace of loads that stay the same is the model "given", bit for bit. */
static void test_constant(void **state)
{
        (void)state;
        static const char *const systems[] = { "baseline", "dlb", "local", "global" };
        static const double work_s[][2] = { { 8, 1.5 } }, load_ms[] = { 200, 37.5 };
        struct trace *trace = make_trace(1, work_s);
        for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
                struct world w;
                struct sim_result given, traced;
                world_init(&w, 2, 4, system_find(systems[i])->offloads ? 2 : 1, systems[i]);
                w.workload[WORKLOAD_ITERATIONS] = 7;
                w.workload[WORKLOAD_TASKS_PER_CORE] = 10;
                w.load_ms = load_ms;
                w.trace = trace;
                run(&w, "given", &given);
                run(&w, "trace", &traced);
                assert_memory_equal(given.metric, traced.metric, sizeof(given.metric));
                sim_result_finish(&given);
                sim_result_finish(&traced);
        }
        trace_destroy(trace);
}

/* Without balancing each iteration lasts as its slowest apprank takes, one without work no time. */
static void test_changing(void **state)
{
        (void)state;
        static const double work_s[][2] = { { 8, 1 }, { 0, 2 }, { 0, 0 }, { 0.4, 4 } };
        static const double expected_s[] = { 2, 0.5, 0, 1 };
        struct trace *trace = make_trace(4, work_s);
        struct world w;
        struct sim_result result;
        world_init(&w, 2, 4, 1, "baseline");
        w.workload[WORKLOAD_ITERATIONS] = 9;
        w.trace = trace;
        run(&w, "trace", &result);
        assert_int_equal(result.niteration, 9);
        for (int i = 0; i < 9; i++) {
                double over_s = result.iteration_s[i] - expected_s[i % 4];
                if (!(over_s >= 0 && over_s < 1e-3))
                        fail_msg("iteration %d takes %.10g s", i, result.iteration_s[i]);
        }
        assert_true(result.metric[METRIC_TASKS] == 2 * (80 + 40 + 0 + 80) + 80);
        sim_result_finish(&result);
        trace_destroy(trace);
}

/* Balanced, any iteration gets faster than its slowest apprank alone, none beats the bound. */
static void test_balanced(void **state)
{
        (void)state;
        static const double work_s[][2] = { { 8, 1 }, { 0, 8 }, { 0, 0 }, { 0.4, 4 } };
        struct trace *trace = make_trace(4, work_s);
        struct world w;
        struct sim_result result;
        world_init(&w, 2, 4, 2, "local");
        w.workload[WORKLOAD_ITERATIONS] = 12;
        w.trace = trace;
        run(&w, "trace", &result);
        for (int i = 0; i < 12; i++) {
                const double *work = work_s[i % 4];
                double slowest_s = (work[0] > work[1] ? work[0] : work[1]) / 4;
                assert_true(result.iteration_s[i] >= (work[0] + work[1]) / 8);
                assert_true(slowest_s <= 0 || result.iteration_s[i] < 0.9 * slowest_s);
        }
        sim_result_finish(&result);
        trace_destroy(trace);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_constant),
                cmocka_unit_test(test_changing),
                cmocka_unit_test(test_balanced),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
