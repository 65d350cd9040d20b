/* SPDX-License-Identifier: BSD-3-Clause */
/* The intervals that figures draw: by hand for few values, within the range of the values always.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/sweep/interval.h"

static void is(struct interval found, int64_t count, double mean, double low, double high)
{
        assert_int_equal(found.count, count);
        assert_true(fabs(found.mean - mean) < 1e-9);
        assert_true(fabs(found.low - low) < 1e-9);
        assert_true(fabs(found.high - high) < 1e-9);
}

/* Of three values it is their range: 1 of 27 ways of drawing has the least alone, more than 2.5 %.
 */
static void few(void **state)
{
        (void)state;
        is(interval_of((const double[]){ 1.5 }, 1), 1, 1.5, 1.5, 1.5);
        is(interval_of((const double[]){ 1, 1.03, 1.9 }, 3), 3, 3.93 / 3, 1, 1.9);
        is(interval_of((const double[]){ NAN, 2, 4 }, 3), 2, 3, 2, 4);
}

/* Of four, 1 of 256 has the least alone and 4 more the next: the seventh mean is the first that is
 * not cut off, by hand (0 0 0 1) four times, (0 0 0 2) or (0 0 1 1). */
static void four(void **state)
{
        (void)state;
        is(interval_of((const double[]){ 0, 1, 2, 3 }, 4), 4, 1.5, 0.5, 2.5);
}

/* Nothing is nothing. */
static void none(void **state)
{
        (void)state;
        struct interval found = interval_of((const double[]){ NAN, INFINITY }, 2);
        assert_int_equal(found.count, 0);
        assert_true(isnan(found.mean) && isnan(found.low) && isnan(found.high));
}

/* A value far off the others never takes the interval below the least of them, as t would. */
static void many(void **state)
{
        (void)state;
        double value[40];
        for (int i = 0; i < 40; i++)
                value[i] = i == 7 ? 9.25 : 1.0 + 0.001 * (i % 5);
        struct interval found = interval_of(value, 40), again = interval_of(value, 40);
        assert_true(found.low >= 1 && found.low < found.mean && found.high > found.mean);
        assert_true(found.high < 2.5);
        is(again, 40, found.mean, found.low, found.high);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(few), cmocka_unit_test(four),
                                            cmocka_unit_test(none), cmocka_unit_test(many) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
