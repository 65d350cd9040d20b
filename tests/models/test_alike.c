/* SPDX-License-Identifier: BSD-3-Clause */
/* As how many alike regions divide time: known values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/alike.h"

static void test_known(void **state)
{
        (void)state;
        struct alike uneven = { 0 }, even = { 0 };
        alike_add(&uneven, 1, 3);
        alike_add(&uneven, 1, 1);
        assert_float_equal(alike_number(&uneven, 2), 1.6, 1e-12);
        assert_float_equal(alike_number(&uneven, 20), 16, 1e-12);
        for (int i = 0; i < 5; i++)
                alike_add(&even, 1, 0.7);
        assert_float_equal(alike_number(&even, 5), 5, 1e-12);
        alike_add(&even, 1, 1e-6); /* hardly one more */
        assert_float_equal(alike_number(&even, 6), 5, 1e-4);
        struct alike none = { 0 };
        assert_float_equal(alike_number(&none, 3), 3, 0);
        assert_float_equal(alike_number(&none, 0), 0, 0);
}

/* One of three stands for all. */
static void test_weight(void **state)
{
        (void)state;
        struct alike all = { 0 }, some = { 0 };
        for (int i = 0; i < 3; i++)
                alike_add(&all, 1, 2);
        alike_add(&all, 1, 5);
        alike_add(&some, 3, 2);
        alike_add(&some, 1, 5);
        assert_float_equal(some.count, 4, 0);
        assert_float_equal(alike_number(&some, 4), alike_number(&all, 4), 1e-12);
}

static void test_since(void **state)
{
        (void)state;
        struct alike sum = { 0 };
        alike_add(&sum, 1, 100);
        struct alike before = sum;
        alike_add(&sum, 1, 3);
        alike_add(&sum, 1, 1);
        assert_float_equal(alike_since(&before, &sum), 1.6, 1e-9);
        assert_float_equal(alike_since(&sum, &sum), 0, 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_known),
                cmocka_unit_test(test_weight),
                cmocka_unit_test(test_since),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
