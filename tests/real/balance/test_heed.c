/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real/balance/heed.h"

static const int64_t CALL_NS = 100, ROUND_NS = 10000000;

/* Rounds of so many calls, for so long, of which one looks: the part of the time that took. */
static double part_of(double part, int64_t calls, int64_t rounds, int64_t *measured)
{
        struct heed heed;
        int64_t looked = 0;
        *measured = 0;
        heed_init(&heed, part, CALL_NS, 0);
        for (int64_t round = 1; round <= rounds; round++) {
                int64_t now_ns = round * ROUND_NS;
                *measured += !heed.unmeasured;
                for (int64_t i = 0; i < calls && !heed.rests; i++, looked++)
                        if (heed_call(&heed))
                                heed_alone(&heed, now_ns, false);
                heed_together(&heed, heed_account(&heed, now_ns, false), false);
        }
        return (double)(looked * CALL_NS) / (double)(rounds * ROUND_NS);
}

/* Few calls are always looked at, many for the part, and whole rounds at a time. */
static void test_part(void **state)
{
        (void)state;
        int64_t measured;
        assert_true(fabs(part_of(0.005, 400, 10000, &measured) - 0.004) < 1e-9);
        assert_int_equal(measured, 10000);
        assert_true(fabs(part_of(0.005, 20000, 100000, &measured) - 0.005) < 0.0002);
        assert_in_range(measured, 2400, 2600);
        double part = part_of(0, 20000, 10000, &measured);
        assert_true(part > 0 && part < 0.001);
        assert_in_range(measured, 10, 20);
}

/* A round of its own length: who has spent too much rests alone, and what it saw is no measurement.
 */
static void test_alone(void **state)
{
        (void)state;
        struct heed heed;
        heed_init(&heed, 0.005, CALL_NS, 0);
        for (int64_t i = 0; i < 1000000; i++)
                if (heed_call(&heed))
                        heed_alone(&heed, i * 200, false);
        assert_true(heed.rests && heed.unmeasured);
        heed_alone(&heed, 60 * INT64_C(1000000000), false);
        assert_true(!heed.rests && heed.unmeasured);
        heed_together(&heed, 1e6, false);
        assert_true(!heed.rests && !heed.unmeasured);
}

/* Waits are polite: all is looked at, and costs nothing that counts. */
static void test_polite(void **state)
{
        (void)state;
        struct heed heed;
        heed_init(&heed, 0.005, CALL_NS, 0);
        for (int64_t i = 0; i < 10000000; i++)
                if (heed_call(&heed))
                        heed_alone(&heed, i, true);
        assert_false(heed.rests);
        heed_together(&heed, -1e9, true);
        assert_true(!heed.rests && !heed.unmeasured);
        heed_together(&heed, -1e9, false);
        assert_true(heed.rests && heed.unmeasured);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_part),
                cmocka_unit_test(test_alone),
                cmocka_unit_test(test_polite),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
