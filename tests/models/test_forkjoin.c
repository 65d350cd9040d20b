/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that take what is lent as they begin: known values by hand, and what holds for any. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/forkjoin.h"

static struct forkjoin process(double work_s, int32_t regions, int32_t cpus)
{
        return (struct forkjoin){ .work_s = work_s, .regions = regions, .cpus = cpus };
}

/* Loads of 3 and 1 on a CPU each: the second is lent at 1, and used from the next region on. */
static void test_known(void **state)
{
        (void)state;
        static const struct {
                int32_t regions;
                double time_s;
        } row[] = { { 1, 3 }, { 2, 2.25 }, { 4, 2.25 }, { 6, 2 }, { 100, 2.01 } };
        for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
                struct forkjoin pair[2] = { process(3, row[i].regions, 1),
                                            process(1, row[i].regions, 1) };
                assert_float_equal(forkjoin_lending_s(pair, 2), row[i].time_s, 0.0051);
        }
        struct forkjoin at_once[2] = { process(3, 3, 1), process(1, 1, 1) }; /* lent as one ends */
        assert_float_equal(forkjoin_lending_s(at_once, 2), 2, 1e-12);
        struct forkjoin even[2] = { process(8, 5, 4), process(8, 5, 4) };
        assert_float_equal(forkjoin_lending_s(even, 2), 2, 1e-12);
        struct forkjoin none[2] = { process(0, 1, 1), process(0, 1, 1) };
        assert_float_equal(forkjoin_lending_s(none, 2), 0, 0);
}

/* What a region has borrowed the next to begin one may have: 12 s and 9 s on a CPU each beside two
 * that are lent at once; A's first two of three regions take them in turns with B. */
static void test_handed_on(void **state)
{
        (void)state;
        struct forkjoin three[3] = { process(12, 3, 1), process(9, 3, 1), process(0, 1, 2) };
        /* B: 0 to 3, then 3 CPUs to 4; A: 0 to 4, then 3 CPUs, as B has ended its second region, in
         * which it had all that was lent: A's second region begins at 4 behind B's. B's third has 3
         * CPUs to 5, A's second 1 CPU to 8, its third 4 (B is done) to 9. */
        assert_float_equal(forkjoin_lending_s(three, 3), 9, 1e-12);
}

/* 6 s of work, 3 of them in no region, which one of its two CPUs does. Beside one that lends two at
 * once: 3 s and, in one region or three, 3 s on four. One that lends them after 3.5 s comes too
 * late for the only region; of three the last begins at 4. */
static void test_serial(void **state)
{
        (void)state;
        for (int32_t regions = 1; regions <= 3; regions += 2) {
                struct forkjoin pair[2] = { process(6, regions, 2), process(0, 1, 2) };
                pair[0].serial_s = 3;
                assert_float_equal(forkjoin_lending_s(pair, 2), 3.75, 1e-12);
        }
        struct forkjoin late[2] = { process(6, 1, 2), process(7, 1, 2) };
        late[0].serial_s = 3;
        assert_float_equal(forkjoin_lending_s(late, 2), 4.5, 1e-12);
        late[0].regions = 3; /* the third begins at 4, when the other has ended */
        assert_float_equal(forkjoin_lending_s(late, 2), 4.25, 1e-12);
        struct forkjoin whole[2] = { process(4, 4, 3), process(1, 1, 1) };
        whole[0].serial_s = 4;
        assert_float_equal(forkjoin_lending_s(whole, 2), 4, 1e-12);
}

static double bound_s(const struct forkjoin *p, int32_t count)
{
        double work_s = 0;
        int32_t cpus = 0;
        for (int32_t i = 0; i < count; i++) {
                work_s += p[i].work_s;
                cpus += p[i].cpus;
        }
        return work_s / cpus;
}

/* Never before all CPUs have done all work, never behind who lends nothing and gets nothing. */
static void test_bounds(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 7, LB_RANDOM_TEST, 1);
        for (int i = 0; i < 2000; i++) {
                struct forkjoin p[6];
                int32_t count = 1 + (int32_t)lb_random_below(&random, 6);
                double alone_s = 0;
                for (int32_t k = 0; k < count; k++) {
                        p[k] = process((double)lb_random_below(&random, 1000),
                                       1 + (int32_t)lb_random_below(&random, 300),
                                       1 + (int32_t)lb_random_below(&random, 8));
                        alone_s = fmax(alone_s, p[k].work_s / p[k].cpus);
                }
                double time_s = forkjoin_lending_s(p, count);
                assert_true(time_s >= bound_s(p, count) * (1 - 1e-9));
                assert_true(time_s <= alone_s * (1 + 1e-9));
        }
}

/* Owners change where that is faster, and what they own first is taken in any case. Loads of 3 and
 * 1 on 4 CPUs, one region each: 1.5 s on 2 and 2, 1 s on 3 and 1. */
static void test_owners(void **state)
{
        (void)state;
        struct forkjoin pair[2] = { process(3, 1, 0), process(1, 1, 0) };
        static const int32_t equal[] = { 2, 2 }, by_work[] = { 3, 1 };
        forkjoin_own(pair, 2, equal);
        assert_float_equal(forkjoin_lending_s(pair, 2), 1.5, 1e-12);
        forkjoin_own(pair, 2, by_work);
        assert_float_equal(forkjoin_lending_s(pair, 2), 1, 1e-12);
        forkjoin_own(pair, 2, equal);
        assert_int_equal(pair[0].cpus, 3);
        assert_int_equal(pair[1].cpus, 1);
}

/* Parts are at least 16 for each CPU, and at most as many as regions are reckoned with. */
static void test_numbers(void **state)
{
        (void)state;
        assert_int_equal(forkjoin_parts(1, 4), 64);
        assert_int_equal(forkjoin_parts(20.1, 4), 84);
        assert_int_equal(forkjoin_parts(1e9, 4), 4 * FORKJOIN_REGIONS_MOST);
        assert_int_equal(forkjoin_regions(0.2), 1);
        assert_int_equal(forkjoin_regions(2.6), 3);
        assert_int_equal(forkjoin_regions(1e300), FORKJOIN_REGIONS_MOST);
        assert_int_equal(forkjoin_regions((double)NAN), 1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_known),  cmocka_unit_test(test_handed_on),
                cmocka_unit_test(test_serial), cmocka_unit_test(test_bounds),
                cmocka_unit_test(test_owners), cmocka_unit_test(test_numbers),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
