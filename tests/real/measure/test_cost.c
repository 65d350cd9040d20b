/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real/measure/cost.h"

/* What `moments` cost in all, and how many were timed. */
static double spend(struct cost *cost, int64_t moments, int64_t (*lasts_ns)(int64_t),
                    int64_t *timed)
{
        double all_ns = 0;
        for (int64_t i = 0; i < moments; i++) {
                all_ns += (double)lasts_ns(i);
                if (!cost_is_next(cost))
                        continue;
                cost_add(cost, lasts_ns(i));
                ++*timed;
        }
        return all_ns;
}

static int64_t as_long(int64_t at)
{
        (void)at;
        return 385;
}

/* A loop of 32 calls, two of which read a clock: as many as lie between two that are timed. */
static int64_t in_loop(int64_t at)
{
        return at % 32 == 5 || at % 32 == 21 ? 2385 : 240;
}

static int64_t interrupted(int64_t at)
{
        return at % 1000 == 17 ? 4000000 : 240;
}

static void assert_near(double value, double expected, double within)
{
        assert_true(value >= expected * (1 - within) && value <= expected * (1 + within));
}

/* Few are all timed. */
static void test_few(void **state)
{
        (void)state;
        struct cost cost = { 0 };
        int64_t timed = 0;
        double all_ns = spend(&cost, 40, in_loop, &timed);
        assert_int_equal(timed, 40);
        assert_true(cost.spent_ns == all_ns);
}

/* Of many one in COST_EACH, and what they cost is known all the same, whatever repeats. */
static void test_many(void **state)
{
        (void)state;
        struct cost even = { 0 }, loop = { 0 };
        int64_t timed = 0;
        double all_ns = spend(&even, 1000000, as_long, &timed);
        assert_near(even.spent_ns, all_ns, 0.001);
        assert_near((double)timed, 1000000.0 / COST_EACH, 0.05);
        timed = 0;
        all_ns = spend(&loop, 1000000, in_loop, &timed);
        assert_near(loop.spent_ns, all_ns, 0.03);
}

/* What interrupts is not ours. */
static void test_interrupted(void **state)
{
        (void)state;
        struct cost cost = { 0 };
        int64_t timed = 0;
        (void)spend(&cost, 1000000, interrupted, &timed);
        assert_near(cost.spent_ns, 1000000 * (240 + 30.0), 0.1);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_few), cmocka_unit_test(test_many),
                                            cmocka_unit_test(test_interrupted) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
