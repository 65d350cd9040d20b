/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_setting.h"

#include <stdlib.h>
#include <string.h>

#include "models/load.h"

static void setting_micropp(struct setting *s, int32_t nnode, int32_t appranks_per_node)
{
        setting_init(s, "micropp", nnode, appranks_per_node);
        s->param[WORKLOAD_TASKS_PER_CORE] = 50;
}

/* The measured times come back from the counts: 86.7 ms a linear point, 302 ms a non-linear one, a
 * task for each of a node's 2400 points. */
static void test_costs(void **state)
{
        (void)state;
        struct setting s;
        setting_micropp(&s, 4, 1);
        struct workload *workload = create(&s);
        struct work work[4];
        workload_iteration(workload, 1, work);
        assert_int_equal(work[0].ntask, 2400);
        assert_true(llabs(work[0].task_ns - 302000000) < 500000);
        assert_true(llabs(work[3].task_ns - 86700000) < 200000);
        assert_true(workload_alike(workload));
        workload_destroy(workload);
}

/* The appranks below a quarter of all are non-linear, the others linear, whatever their number; the
 * imbalance is r / (r/4 + 3/4) = 2.15. */
static void test_first_quarter(void **state)
{
        (void)state;
        static const struct {
                int32_t nnode, appranks_per_node;
        } cases[] = { { 4, 1 }, { 8, 1 }, { 4, 2 }, { 2, 2 }, { 32, 2 }, { 64, 1 } };
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
                struct setting s;
                struct work work[128];
                double load[128];
                setting_micropp(&s, cases[c].nnode, cases[c].appranks_per_node);
                struct workload *workload = create(&s);
                int32_t n = workload_napprank(workload);
                workload_iteration(workload, 9, work);
                for (int32_t a = 0; a < n; a++) {
                        assert_int_equal(work[a].task_ns, work[a < n / 4 ? 0 : n - 1].task_ns);
                        load[a] = (double)work[a].task_ns;
                }
                assert_true(load_imbalance(load, n) > 2.14 && load_imbalance(load, n) < 2.16);
                workload_destroy(workload);
        }
}

/* With a quarter that ends inside an apprank, that one has both kinds, and none is lost. */
static void test_mixed(void **state)
{
        (void)state;
        struct setting s;
        setting_micropp(&s, 2, 1);
        struct workload *workload = create(&s);
        struct work work[2];
        workload_iteration(workload, 1, work);
        assert_false(workload_alike(workload));
        int64_t heavy = 0, sum = 0;
        for (int64_t t = 0; t < 2400; t++) {
                int64_t ns = workload_task_ns(workload, 0, 1, t);
                heavy += ns > 200000000;
                sum += ns;
                assert_int_equal(workload_task_ns(workload, 1, 1, t), work[1].task_ns);
        }
        assert_int_equal(heavy, 1200);
        assert_true(llabs(sum / 2400 - work[0].task_ns) <= 1);
        workload_destroy(workload);
}

/* Nothing is plastic in the first step; how many such steps there are is a parameter. */
static void test_linear_steps(void **state)
{
        (void)state;
        for (int steps = 0; steps < 3; steps++) {
                struct setting s;
                struct work work[4];
                setting_micropp(&s, 4, 1);
                s.param[WORKLOAD_MICROPP_LINEAR_STEPS] = steps;
                struct workload *workload = create(&s);
                for (int i = 0; i < 10; i++) {
                        workload_iteration(workload, i, work);
                        assert_int_equal(work[0].task_ns > work[3].task_ns, i >= steps);
                }
                workload_destroy(workload);
        }
}

/* All linear, or all non-linear: no imbalance. */
static void test_one_kind(void **state)
{
        (void)state;
        for (int share = 0; share <= 1; share++) {
                struct setting s;
                struct work work[4];
                setting_micropp(&s, 4, 1);
                s.param[WORKLOAD_MICROPP_NONLINEAR] = share;
                struct workload *workload = create(&s);
                workload_iteration(workload, 5, work);
                assert_int_equal(work[0].task_ns, work[3].task_ns);
                assert_int_equal(work[0].task_ns > 200000000, share);
                workload_destroy(workload);
        }
}

/* Figure 5's kernel: all on the first apprank, then equal, then again. */
static void test_phases(void **state)
{
        (void)state;
        struct setting s;
        struct work work[3];
        setting_init(&s, "phases", 3, 1);
        s.param[WORKLOAD_PHASE_ITERATIONS] = 4;
        s.param[WORKLOAD_ITERATIONS] = 20;
        struct workload *workload = create(&s);
        for (int i = 0; i < 20; i++) {
                bool equal = i / 4 % 2 == 1;
                workload_iteration(workload, i, work);
                assert_int_equal(work[0].task_ns, 50000000);
                for (int a = 1; a < 3; a++) {
                        assert_int_equal(work[a].ntask, 4800);
                        assert_int_equal(work[a].task_ns, equal ? 50000000 : 0);
                }
        }
        workload_destroy(workload);
}

/* A task that would last longer than an hour is refused. */
static void test_too_long(void **state)
{
        (void)state;
        struct setting s;
        struct lb_error err;
        setting_micropp(&s, 4, 1);
        s.param[WORKLOAD_MICROPP_CG_MS] = 1e5;
        assert_null(workload_create(&s.spec, &err));
        assert_non_null(strstr(err.text, "apprank 0: found tasks of"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_costs),    cmocka_unit_test(test_first_quarter),
                cmocka_unit_test(test_mixed),    cmocka_unit_test(test_linear_steps),
                cmocka_unit_test(test_one_kind), cmocka_unit_test(test_phases),
                cmocka_unit_test(test_too_long),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
