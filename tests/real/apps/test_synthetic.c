/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "models/workload.h"
#include "real/apps/synthetic/synthetic.h"

static struct synthetic configure(const char *const *word, int32_t napprank)
{
        char *argv[8] = { (char *)(uintptr_t) "synthetic" };
        int argc = 1;
        for (; word[argc - 1]; argc++)
                argv[argc] = (char *)(uintptr_t)word[argc - 1];
        struct app_options options;
        struct synthetic synthetic;
        struct lb_error err = { 0 };
        assert_int_equal(app_options_read(&synthetic_app, argc, argv, &options, &err), 0);
        assert_int_equal(synthetic_configure(&options, napprank, &synthetic, &err), 0);
        return synthetic;
}

/* The simulator's workload of the same parameters. */
static struct workload *simulated(const struct synthetic *synthetic, int32_t nnode, int32_t cores,
                                  int32_t per_node)
{
        static double param[WORKLOAD_NPARAM];
        struct lb_error err = { 0 };
        lb_param_defaults(workload_params, param);
        param[WORKLOAD_IMBALANCE] = synthetic->imbalance;
        param[WORKLOAD_TASK_MS] = synthetic->task_ms;
        param[WORKLOAD_TASKS_PER_CORE] = (double)synthetic->tasks_per_core;
        struct workload_spec spec = { .nnode = nnode,
                                      .cores_per_node = cores,
                                      .appranks_per_node = per_node,
                                      .param = param,
                                      .seed = synthetic->seed };
        struct workload *workload = workload_create(&spec, &err);
        assert_non_null(workload);
        return workload;
}

/* Tasks are those of lbsim's workload: as many and as long, for each apprank, to the nanosecond. */
static void test_as_simulated(void **state)
{
        (void)state;
        static const int32_t shapes[][3] = { { 4, 8, 1 }, { 2, 7, 2 }, { 3, 2, 3 }, { 16, 48, 1 } };
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
                int32_t nnode = shapes[i][0], cores = shapes[i][1], per_node = shapes[i][2];
                int32_t n = nnode * per_node;
                struct synthetic synthetic = configure(
                    (const char *[]){ "--imbalance=1.7", "--task-ms=3.3", "--seed=12", NULL }, n);
                struct workload *workload = simulated(&synthetic, nnode, cores, per_node);
                struct work work[64];
                workload_iteration(workload, 0, work);
                for (int32_t a = 0; a < n; a++) {
                        struct synthetic_work mine = { .duration_ns = -1 };
                        struct lb_error err = { 0 };
                        assert_int_equal(synthetic_work_of(&synthetic, n, a, &mine, &err), 0);
                        assert_int_equal(mine.duration_ns, work[a].task_ns);
                        assert_int_equal(synthetic_tasks(&synthetic, cores, per_node),
                                         work[a].ntask);
                }
                workload_destroy(workload);
        }
}

/* Without --imbalance the program runs on any number of ranks; too much of it is refused. */
static void test_imbalance(void **state)
{
        (void)state;
        struct synthetic_work work;
        struct lb_error err = { 0 };
        struct synthetic synthetic = configure((const char *[]){ NULL }, 1);
        assert_int_equal(synthetic_work_of(&synthetic, 1, 0, &work, &err), 0);
        assert_int_equal(work.duration_ns, llround(synthetic.task_ms * 1e6));
        synthetic = configure((const char *[]){ "--imbalance", "3", NULL }, 2);
        assert_int_equal(synthetic_work_of(&synthetic, 2, 0, &work, &err), -1);
        assert_non_null(strstr(err.text, "imbalance"));
        assert_int_equal(lb_error_exit_code(&err), 2);
}

/* The slow node is read as node and factor, anything else is refused. */
static void test_slow_node(void **state)
{
        (void)state;
        struct synthetic synthetic = configure((const char *[]){ "--slow-node=2:3.5", NULL }, 4);
        struct synthetic_work work;
        struct lb_error none = { 0 };
        assert_int_equal(synthetic_work_of(&synthetic, 4, 0, &work, &none), 0);
        assert_int_equal(work.slow_node, 2);
        assert_true(work.slow_factor == 3.5);
        static const char *const wrong[] = { "2", "2:", ":3", "-1:3", "2:0.5", "2:3x", "a:b", "" };
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                struct app_options options = { .text = { wrong[i] } };
                struct lb_error err = { 0 };
                assert_int_equal(synthetic_configure(&options, 4, &synthetic, &err), -1);
                assert_non_null(strstr(err.text, "allowed is N:FACTOR"));
        }
}

static double seconds(clockid_t clock)
{
        struct timespec now;
        clock_gettime(clock, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A task lasts at least as long as it should, longer on the slow node; one that spins takes that
 * much processor time. */
static void test_duration(void **state)
{
        (void)state;
        struct synthetic_work work = { .duration_ns = 20000000,
                                       .slow_node = 1,
                                       .slow_factor = 2.5 };
        double start = seconds(CLOCK_MONOTONIC);
        synthetic_run(&work, 0);
        assert_true(seconds(CLOCK_MONOTONIC) - start >= 0.02);
        start = seconds(CLOCK_MONOTONIC);
        synthetic_run(&work, 1);
        assert_true(seconds(CLOCK_MONOTONIC) - start >= 0.05);
        work.spin = true;
        start = seconds(CLOCK_THREAD_CPUTIME_ID);
        synthetic_run(&work, 0);
        assert_true(seconds(CLOCK_THREAD_CPUTIME_ID) - start >= 0.02);
}

/* Blocks on which a task ran too often or too rarely are counted, for small and large blocks. */
static void test_wrong_is_seen(void **state)
{
        (void)state;
        enum { TASKS = 5, ITERATIONS = 300 };
        static unsigned char data[TASKS * 10001];
        static const size_t sizes[] = { 1, 7, 4096, 10001 };
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                memset(data, 0, sizeof(data));
                for (int i = 0; i < ITERATIONS * TASKS; i++) {
                        unsigned char *mine = data + (size_t)(i % TASKS) * sizes[s];
                        synthetic_run(&(struct synthetic_work){ .data = mine, .bytes = sizes[s] },
                                      0);
                }
                assert_int_equal(synthetic_wrong(data, TASKS, sizes[s], ITERATIONS), 0);
                assert_int_equal(synthetic_wrong(data, TASKS, sizes[s], ITERATIONS + 1), TASKS);
                data[3 * sizes[s]]++;
                assert_int_equal(synthetic_wrong(data, TASKS, sizes[s], ITERATIONS), 1);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_as_simulated),  cmocka_unit_test(test_imbalance),
                cmocka_unit_test(test_slow_node),     cmocka_unit_test(test_duration),
                cmocka_unit_test(test_wrong_is_seen),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
