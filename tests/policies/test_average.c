/* SPDX-License-Identifier: BSD-3-Clause */
/* Averages of busy cores go on where workers are renumbered, come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "policies/average.h"

static struct average *made(int32_t nworker, enum average_kind kind)
{
        struct average *average = calloc(1, average_size(nworker, kind, 3, 0.5));
        assert_non_null(average);
        average_init(average, nworker, kind, 3, 0.5);
        return average;
}

static void observe_for(struct average *average, int64_t interval_ns, const double *busy)
{
        struct alloc_view view = { .interval_ns = interval_ns, .busy_cores = busy };
        average_observe(average, &view);
}

static void observe(struct average *average, const double *busy)
{
        observe_for(average, 500000000, busy);
}

static void try_carry(enum average_kind kind)
{
        static const int32_t number[] = { 1, 0, 1, -1 }; /* 2 joins 0, 3 is forgotten */
        struct average *old = made(4, kind), *new = made(3, kind), *same = made(3, kind);
        for (int32_t i = 0; i < 9; i++) {
                double busy[] = { 1.5 + i, 2.25, 0.125 * i, 7 };
                double sums[] = { busy[1], busy[0] + busy[2], 0 };
                observe(old, busy);
                observe(same, sums);
        }
        average_carry(new, old, number);
        for (int32_t i = 0; i < 9; i++) {
                double busy[] = { i, 3.5, 11.0 / (i + 1) };
                for (int32_t w = 0; w < 3; w++)
                        assert_true(fabs(average_get(new, w) - average_get(same, w)) < 1e-9);
                observe(new, busy);
                observe(same, busy);
        }
        free(old);
        free(new);
        free(same);
}

/* Carried over, an average is what it would be had the new workers been there all the time. */
static void what_was_observed_is_carried_over(void **unused)
{
        (void)unused;
        try_carry(AVERAGE_WINDOW);
        try_carry(AVERAGE_EXPONENTIAL);
}

/*
 * A window holds the time that it says, however often a poll came in it: what was busy for half a
 * second counts as much in five samples as in one.
 */
static void samples_count_by_their_time(void **unused)
{
        (void)unused;
        struct average *average = made(1, AVERAGE_WINDOW);
        const double before = 8, some = 2, more = 4;
        for (int32_t i = 0; i < 10; i++)
                observe(average, &before);
        average_limit(average, 1);
        assert_float_equal(average_get(average, 0), 8, 0);
        for (int32_t i = 0; i < 5; i++)
                observe_for(average, 100000000, &some);
        assert_float_equal(average_get(average, 0), (8 + 2) / 2.0, 1e-9);
        observe(average, &more);
        assert_float_equal(average_get(average, 0), (2 + 4) / 2.0, 1e-9);
        average_limit(average, 0.5);
        assert_float_equal(average_get(average, 0), 4, 1e-9);
        average_limit(average, 1.5); /* of the first there are no more */
        assert_float_equal(average_get(average, 0), (2 + 4) / 2.0, 1e-9);
        free(average);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_was_observed_is_carried_over),
                cmocka_unit_test(samples_count_by_their_time),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
