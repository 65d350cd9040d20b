/* SPDX-License-Identifier: BSD-3-Clause */
/* The periodicity detector on made, noisy and recorded streams (tests/policies/streams). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/dpd.h"

enum { WINDOW = 128, STREAM_MAX = 4096 };

struct seen {
        int count[DPD_LOST + 1]; /* by event */
        int first;               /* call of the first DPD_STARTED, from 1; 0: none */
        int32_t longest, period; /* ever, and in the end */
};

static struct seen watch(const uint32_t *stream, int ncall, int32_t window, int32_t confirm)
{
        struct seen seen = { .first = 0 };
        struct dpd *dpd = malloc(dpd_size(window));
        dpd_init(dpd, window, confirm);
        for (int i = 0; i < ncall; i++) {
                enum dpd_event event = dpd_feed(dpd, stream[i]);
                seen.count[event]++;
                if (event == DPD_STARTED && seen.first == 0)
                        seen.first = i + 1;
                seen.period = dpd_period(dpd);
                seen.longest = seen.period > seen.longest ? seen.period : seen.longest;
        }
        free(dpd);
        return seen;
}

static int recorded(const char *name, uint32_t *stream)
{
        char path[4096];
        int ncall = 0;
        snprintf(path, sizeof(path), "%s/tests/policies/streams/%s.txt", LB_SOURCE_DIR, name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        while (ncall < STREAM_MAX && fscanf(file, "%u", &stream[ncall]) == 1)
                ncall++;
        fclose(file);
        return ncall;
}

/* The known value of dpd.c: "abc" repeated starts at its ninth call, then every third call begins
 * an iteration. */
static void a_plain_loop_is_found(void **state)
{
        (void)state;
        uint32_t stream[30];
        for (uint32_t i = 0; i < 30; i++)
                stream[i] = 7 + i % 3;
        struct seen seen = watch(stream, 30, WINDOW, 2);
        assert_int_equal(seen.first, 9);
        assert_int_equal(seen.period, 3);
        assert_int_equal(seen.count[DPD_ITERATION], 7);
        assert_int_equal(seen.count[DPD_LOST], 0);
}

/* Where several lags hold at once it is the one that has held longest, be it the longer or the
 * shorter: 3 rather than 1, and after a period of 4 that is lost 1 rather than 2. */
static void the_lag_that_held_longest_is_taken(void **state)
{
        (void)state;
        static const uint32_t longer[] = { 2, 1, 1, 2, 1, 1 };
        static const uint32_t shorter[] = { 1, 2, 1, 1, 1, 2, 1, 1, 1, 1 };
        assert_int_equal(watch(longer, 6, 8, 1).period, 3);
        assert_int_equal(watch(shorter, 9, 8, 1).period, 4);
        assert_int_equal(watch(shorter, 10, 8, 1).period, 1);
}

/* Whatever the pattern, its length is found after confirm + 1 repetitions, if the window holds it.
 */
static void any_pattern_is_found_within_the_window(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 3);
        for (int trial = 0; trial < 200; trial++) {
                uint32_t stream[STREAM_MAX], plain[STREAM_MAX];
                int32_t length = 1 + (int32_t)lb_random_below(&random, WINDOW);
                int32_t confirm = 2 + (int32_t)lb_random_below(&random, 4);
                for (int i = 0; i < STREAM_MAX; i++) {
                        plain[i] = 1 + (uint32_t)(i % length);
                        stream[i] = i % length == 0 ? 1000 /* so that no shorter one is it */
                                    : i < length    ? 1 + (uint32_t)lb_random_below(&random, 5)
                                                    : stream[i - length];
                }
                assert_int_equal(watch(stream, STREAM_MAX, WINDOW, confirm).period, length);
                assert_int_equal(watch(plain, STREAM_MAX, WINDOW, confirm).first,
                                 (confirm + 1) * length);
                if (length > 1)
                        assert_true(watch(stream, 600, length - 1, confirm).longest < length);
        }
}

/* Calls without any order are no iterations. */
static void noise_is_no_period(void **state)
{
        (void)state;
        uint32_t stream[STREAM_MAX];
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 4);
        for (int i = 0; i < STREAM_MAX; i++)
                stream[i] = 1 + (uint32_t)lb_random_below(&random, 1000000);
        struct seen seen = watch(stream, STREAM_MAX, WINDOW, 2);
        assert_int_equal(seen.count[DPD_NONE], STREAM_MAX);
}

/* A call too many now and then: the period is lost there, found again, and no iteration that
 * contains the disturbance is counted. */
static void a_disturbance_is_survived(void **state)
{
        (void)state;
        enum { LENGTH = 9, EVERY = 100 };
        uint32_t stream[STREAM_MAX];
        int ncall = 0;
        for (uint32_t step = 0; ncall < STREAM_MAX - LENGTH - 1; step++) {
                for (uint32_t k = 0; k < LENGTH; k++)
                        stream[ncall++] = 20 + k;
                if (step % EVERY == EVERY - 1)
                        stream[ncall++] = 99;
        }
        struct seen seen = watch(stream, ncall, WINDOW, 2);
        assert_int_equal(seen.period, LENGTH);
        assert_int_equal(seen.count[DPD_LOST], 4);
        assert_int_equal(seen.count[DPD_STARTED], 5);
        assert_in_range(seen.count[DPD_ITERATION], 425, 450);
}

/* The recorded programs: calls of an iteration, and how many of the 20 are seen. */
static void recorded_programs_have_their_iterations(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                int32_t calls;
                int least;
        } cases[] = { { "nbody", 3, 16 },
                      { "synthetic", 1, 16 },
                      { "micropp", 1, 16 },
                      { "cholesky", 1, 16 } };
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
                uint32_t stream[STREAM_MAX];
                struct seen seen = watch(stream, recorded(cases[c].name, stream), WINDOW, 2);
                assert_int_equal(seen.longest, cases[c].calls);
                assert_int_equal(seen.count[DPD_STARTED], 1);
                assert_in_range(seen.count[DPD_ITERATION], cases[c].least, 20);
        }
}

/* A solver's loop inside a step is found first, six calls, and then the step around it, 54. */
static void the_step_around_an_inner_loop_is_found(void **state)
{
        (void)state;
        uint32_t stream[STREAM_MAX];
        int ncall = recorded("halo", stream);
        struct seen early = watch(stream, 40, WINDOW, 2), seen = watch(stream, ncall, WINDOW, 2);
        assert_int_equal(early.period, 6);
        assert_int_equal(seen.period, 54);
        assert_int_equal(seen.longest, 54);
        assert_in_range(seen.count[DPD_ITERATION], 8, 30);
}

/* Steps whose solver takes 7 or 8 iterations are no period; the solver's loop is, in each step. A
 * window too short for the step gives the same. */
static void an_inner_loop_is_what_is_left_where_steps_differ(void **state)
{
        (void)state;
        uint32_t stream[STREAM_MAX];
        struct seen seen = watch(stream, recorded("halo_converges", stream), 32, 2);
        assert_int_equal(seen.longest, 6);
        assert_in_range(seen.count[DPD_LOST], 15, 25);
        seen = watch(stream, recorded("halo", stream), 32, 2);
        assert_int_equal(seen.longest, 6);
}

/* Output every ten steps: lost each time, and found again. */
static void output_interrupts_and_no_more(void **state)
{
        (void)state;
        uint32_t stream[STREAM_MAX];
        int ncall = recorded("halo_output", stream);
        struct seen seen = watch(stream, ncall, WINDOW, 2);
        assert_int_equal(seen.longest, 18);
        assert_in_range(seen.count[DPD_LOST], 3, 4);
        assert_in_range(seen.count[DPD_ITERATION], 26, 32);
}

/* A detector is flat: a copy goes on as the original does. */
static void a_copy_goes_on_alike(void **state)
{
        (void)state;
        uint32_t stream[STREAM_MAX];
        int ncall = recorded("halo_output", stream);
        struct dpd *one = malloc(dpd_size(WINDOW)), *two = malloc(dpd_size(WINDOW));
        dpd_init(one, WINDOW, 2);
        for (int i = 0; i < ncall / 2; i++)
                dpd_feed(one, stream[i]);
        memcpy(two, one, dpd_size(WINDOW));
        for (int i = ncall / 2; i < ncall; i++)
                assert_int_equal(dpd_feed(one, stream[i]), dpd_feed(two, stream[i]));
        free(one);
        free(two);
}

/* Another primitive, peer or buffer is another call. */
static void values_tell_calls_apart(void **state)
{
        (void)state;
        uint32_t value = dpd_value(3, 1, 0x7f0000001000);
        assert_int_equal(value, dpd_value(3, 1, 0x7f0000001000));
        assert_int_not_equal(value, dpd_value(4, 1, 0x7f0000001000));
        assert_int_not_equal(value, dpd_value(3, 2, 0x7f0000001000));
        assert_int_not_equal(value, dpd_value(3, -1, 0x7f0000001000));
        assert_int_not_equal(value, dpd_value(3, 1, 0x7f0000001008));
}

/* Whichever begins it; of one length others are another. None while nothing repeats. */
static void a_period_has_a_kind(void **state)
{
        (void)state;
        static const char *const streams[] = { "abcabcabcabc", "bcabcabcabcab", "abdabdabdabd",
                                               "acbacbacbacb", "abcdefghi" };
        uint32_t kind[5];
        for (int s = 0; s < 5; s++) {
                struct dpd *dpd = malloc(dpd_size(8));
                dpd_init(dpd, 8, 2);
                for (const char *c = streams[s]; *c; c++)
                        (void)dpd_feed(dpd, (uint32_t)*c);
                kind[s] = dpd_kind(dpd);
                assert_int_equal(dpd_length(dpd), kind[s] ? (int64_t)strlen(streams[s]) : 0);
                free(dpd);
        }
        assert_int_not_equal(kind[0], 0);
        assert_int_equal(kind[1], kind[0]);
        assert_int_not_equal(kind[2], kind[0]);
        assert_int_not_equal(kind[3], kind[0]);
        assert_int_equal(kind[4], 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_plain_loop_is_found),
                cmocka_unit_test(the_lag_that_held_longest_is_taken),
                cmocka_unit_test(any_pattern_is_found_within_the_window),
                cmocka_unit_test(noise_is_no_period),
                cmocka_unit_test(a_disturbance_is_survived),
                cmocka_unit_test(recorded_programs_have_their_iterations),
                cmocka_unit_test(the_step_around_an_inner_loop_is_found),
                cmocka_unit_test(an_inner_loop_is_what_is_left_where_steps_differ),
                cmocka_unit_test(output_interrupts_and_no_more),
                cmocka_unit_test(a_copy_goes_on_alike),
                cmocka_unit_test(a_period_has_a_kind),
                cmocka_unit_test(values_tell_calls_apart),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
