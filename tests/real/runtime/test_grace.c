/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real/runtime/grace.h"

enum { US = 1000, MS = 1000000 };

static void test_how_long(void **state)
{
        static const struct {
                int64_t task_ns, waiting;
                int32_t ncore;
                int64_t grace_ns;
        } cases[] = {
                { 0, 100, 1, 200 * US },      /* nothing is known yet */
                { 25 * US, 10, 1, 200 * US }, /* little waits */
                { 10 * MS, 1, 4, 1250 * US }, /* an eighth of a task */
                { 25 * US, 1280, 1, 1 * MS }, /* of 32 ms */
                { 25 * US, 1280, 4, 250 * US },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                assert_int_equal(grace_ns(cases[i].task_ns, cases[i].waiting, cases[i].ncore),
                                 cases[i].grace_ns);
}

/* While tasks are created there will be as many as last time, or more; then as many as there are.
 */
static void test_how_many(void **state)
{
        (void)state;
        assert_int_equal(grace_expected(2, 600, true), 600);
        assert_int_equal(grace_expected(700, 600, true), 700);
        assert_int_equal(grace_expected(10, 600, false), 10);
}

/* Who ends its last two tasks of 25 us will come; who has 40, 1 ms, will not; unless so much waits
 * here that this is a small part. */
static void test_who_is_behind(void **state)
{
        (void)state;
        assert_false(grace_is_behind(25 * US, 0, 0, 1));
        assert_false(grace_is_behind(25 * US, 2, 1, 1));
        assert_true(grace_is_behind(25 * US, 40, 1, 1));
        assert_false(grace_is_behind(25 * US, 40, 1280, 1));
        assert_false(grace_is_behind(25 * US, 40, 1, 8));
        assert_true(grace_is_behind(10 * MS, 1, 1, 1));
        assert_false(grace_is_behind(10 * MS, 1, 40, 1));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_how_many),
                cmocka_unit_test(test_how_long),
                cmocka_unit_test(test_who_is_behind),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
