/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of a node's cores that simulated and live hosts share, each at its edge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/host/node.h"

/* Free and not yet offered, else it would be offered anew at each poll and never be given up. */
static void test_movable(void **state)
{
        (void)state;
        assert_true(node_is_movable(false, false));
        assert_false(node_is_movable(true, false));
        assert_false(node_is_movable(false, true));
        assert_false(node_is_movable(true, true));
}

/* An offer lasts till the next poll; two looks of one poll are less than half of it apart. */
static void test_offer(void **state)
{
        enum { POLL_NS = 100 };
        (void)state;
        assert_false(node_offer_is_over(false, POLL_NS / 2 - 1, POLL_NS));
        assert_true(node_offer_is_over(false, POLL_NS / 2, POLL_NS));
        assert_true(node_offer_is_over(true, 0, POLL_NS));
}

/* Who lacks most, the first of equals; nobody where all have what they are to have. */
static void test_most_under(void **state)
{
        const int32_t owned[] = { 1, 2, 1, 4 }, target[] = { 1, 4, 3, 1 };
        (void)state;
        assert_int_equal(node_most_under(4, owned, target), 1);
        assert_int_equal(node_most_under(1, owned, target), -1);
        assert_int_equal(node_most_under(4, target, owned), 3);
}

/* Cores that are kept free for somebody are given already. */
static void test_to_give(void **state)
{
        (void)state;
        assert_true(node_has_to_give(4, 1, 2));
        assert_false(node_has_to_give(4, 2, 2));
        assert_false(node_has_to_give(2, 0, 2));
}

/* Halves of the period, no more than asked for, and never shorter than 5 ms. */
static void test_poll(void **state)
{
        enum { MS = 1000000 };
        (void)state;
        assert_int_equal(node_poll_ns(48 * MS, 0, 100 * MS), 48 * MS);
        assert_int_equal(node_poll_ns(48 * MS, 0.25, 0), 48 * MS);
        assert_int_equal(node_poll_ns(48 * MS, 0.25, 192 * MS), 48 * MS);
        assert_int_equal(node_poll_ns(48 * MS, 0.25, 191 * MS), 24 * MS);
        assert_int_equal(node_poll_ns(48 * MS, 0.5, 48 * MS), 24 * MS);
        assert_int_equal(node_poll_ns(48 * MS, 0.25, MS), 6 * MS);
        assert_int_equal(node_poll_ns(10 * MS, 0.25, MS), 5 * MS);
        assert_int_equal(node_poll_ns(3 * MS, 0.25, MS), 3 * MS);
        assert_int_equal(node_poll_ns(48 * MS, 1000, INT64_MAX), 48 * MS);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_movable),    cmocka_unit_test(test_offer),
                cmocka_unit_test(test_most_under), cmocka_unit_test(test_to_give),
                cmocka_unit_test(test_poll),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
