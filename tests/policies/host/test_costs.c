/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks cost is told in tasks of mean cost, whatever unit a program says it in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/host/costs.h"

/* Over the mean so far at first, then over the last iteration's. */
static void test_mean(void **state)
{
        (void)state;
        struct costs costs = { 0 };
        assert_float_equal(costs_of(&costs, 300), 1, 1e-12);
        assert_float_equal(costs_of(&costs, 100), 0.5, 1e-12);
        assert_float_equal(costs_of(&costs, 200), 1, 1e-12);
        costs_iteration(&costs);
        assert_float_equal(costs_of(&costs, 500), 2.5, 1e-12);
        costs_iteration(&costs);
        assert_float_equal(costs_of(&costs, 500), 1, 1e-12);
}

/* A task of which nothing is said is a mean one, and does not move the mean. */
static void test_nothing_said(void **state)
{
        (void)state;
        struct costs costs = { 0 };
        assert_false(costs_known(&costs));
        assert_float_equal(costs_of(&costs, 0), 1, 1e-12);
        assert_false(costs_known(&costs));
        assert_float_equal(costs_of(&costs, 7), 1, 1e-12);
        assert_true(costs_known(&costs));
        assert_float_equal(costs_of(&costs, 0), 1, 1e-12);
        costs_iteration(&costs);
        assert_true(costs_known(&costs));
        assert_float_equal(costs_of(&costs, 14), 2, 1e-12);
        costs_iteration(&costs);
        costs_iteration(&costs); /* one without any */
        assert_false(costs_known(&costs));
}

static void test_bounds(void **state)
{
        (void)state;
        struct costs costs = { .mean = 1 };
        assert_float_equal(costs_of(&costs, 1e300), COSTS_MOST, 0);
        assert_float_equal(costs_of(&costs, 1e-300), COSTS_LEAST, 0);
}

/* Two steps in each power of two, at its square root. */
static void test_step(void **state)
{
        (void)state;
        assert_int_equal(costs_step(0), 0);
        assert_int_equal(costs_step(1.41) - costs_step(1), 0);
        assert_int_equal(costs_step(1.42) - costs_step(1), 1);
        assert_int_equal(costs_step(2) - costs_step(1), 2);
        assert_true(costs_step(5e-324) > 0);
        assert_true(costs_step(1.7e308) < COSTS_STEPS);
        assert_true(costs_urgency(0, 1.7e308) < costs_urgency(1, 0));
        assert_true(costs_urgency(-1, 2) > costs_urgency(-1, 1));
        static const int32_t priorities[] = { INT32_MIN, -8192, -1, 0, 1, INT32_MAX };
        for (size_t i = 0; i < sizeof(priorities) / sizeof(priorities[0]); i++)
                for (double cost = 0; cost < 1e9; cost = 10 * cost + 1)
                        assert_int_equal(costs_priority(costs_urgency(priorities[i], cost)),
                                         priorities[i]);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_mean),
                cmocka_unit_test(test_nothing_said),
                cmocka_unit_test(test_bounds),
                cmocka_unit_test(test_step),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
