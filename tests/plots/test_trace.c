/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "plots/trace.h"

/* Imbalance is max / mean in thousandths; nothing busy counts as balanced. */
static void test_imbalance(void **state)
{
        (void)state;
        static const double even[] = { 3.5, 3.5, 3.5 }, one[] = { 0, 47, 0, 0 }, none[] = { 0, 0 };
        static const double some[] = { 30, 20, 10 };
        assert_int_equal(observed_imbalance(even, 3), 1000);
        assert_int_equal(observed_imbalance(one, 4), 4000);
        assert_int_equal(observed_imbalance(none, 2), 1000);
        assert_int_equal(observed_imbalance(some, 3), 1500);
}

/* It lies between 1 and the number of nodes, whatever is busy. */
static void test_imbalance_bounds(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_TEST, 0);
        for (int round = 0; round < 1000; round++) {
                double busy[16];
                int32_t nnode = 1 + (int32_t)lb_random_below(&random, 16);
                for (int32_t n = 0; n < nnode; n++)
                        busy[n] = (double)lb_random_below(&random, 49);
                int64_t imbalance = observed_imbalance(busy, nnode);
                assert_true(imbalance >= 1000 && imbalance <= 1000 * (int64_t)nnode);
        }
}

static const int32_t zero[] = { 0 };
static const struct trace_spec spec = {
        .file = "t.prv",
        .nnode = 1,
        .cores_per_node = 2,
        .napprank = 1,
        .nworker = 1,
        .worker_node = zero,
        .worker_apprank = zero,
        .core_step = 1,
};
static const char *const files[] = { "t.prv", "t.pcf", "t.row" };

/* A trace that is given up leaves no file, one that is closed all three. */
static void test_whole_or_nothing(void **state)
{
        (void)state;
        struct lb_error err;
        for (int i = 0; i < 3; i++)
                unlink(files[i]);
        struct trace *trace = trace_create(&spec, &err);
        assert_non_null(trace);
        observe_sight(trace_observer(trace), 10, 0, 0, OBSERVED_TASK);
        trace_abandon(trace);
        for (int i = 0; i < 3; i++)
                assert_int_not_equal(access(files[i], F_OK), 0);
        trace = trace_create(&spec, &err);
        assert_non_null(trace);
        observe_sight(trace_observer(trace), 10, 0, 0, OBSERVED_TASK);
        assert_int_equal(trace_close(trace, 20, &err), 0);
        for (int i = 0; i < 3; i++)
                assert_int_equal(access(files[i], F_OK), 0);
}

/* Where one of the three cannot be written, none is. Here the trace itself, of which the disk takes
 * no more than the other two are long. */
static void test_full_disk(void **state)
{
        (void)state;
        struct lb_error err;
        struct rlimit before, full;
        for (int i = 0; i < 3; i++)
                unlink(files[i]);
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        full = before;
        full.rlim_cur = 4096;
        struct trace *trace = trace_create(&spec, &err);
        assert_non_null(trace);
        for (int i = 0; i < 1000; i++)
                observe_sight(trace_observer(trace), 10 + i, 0, 0,
                              i % 2 ? OBSERVED_IDLE : OBSERVED_TASK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
        int status = trace_close(trace, 2000, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, -1);
        assert_non_null(strstr(err.text, "t.prv"));
        for (int i = 0; i < 3; i++)
                assert_int_not_equal(access(files[i], F_OK), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_imbalance),
                cmocka_unit_test(test_imbalance_bounds),
                cmocka_unit_test(test_whole_or_nothing),
                cmocka_unit_test(test_full_disk),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
