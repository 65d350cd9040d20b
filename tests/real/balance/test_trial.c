/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real/balance/trial.h"

/* Times around a mean, +- scatter in turn. */
static double time_of(int i, double mean_s, double scatter_s)
{
        return mean_s + (i % 2 ? scatter_s : -scatter_s);
}

static struct trial measured(double mean_s, double scatter_s)
{
        struct trial trial;
        trial_init(&trial, 0.03, 0.025);
        for (int i = 0; i < 8; i++)
                trial_without(&trial, time_of(i, mean_s, scatter_s), 0.6 * mean_s, 1);
        return trial;
}

/* After how many rounds is balancing undone? 0: never in a hundred. */
static const struct {
        double scatter_s, with_s;
        int first, last;
} cases[] = {
        { 0.001, 1.5, 1, 1 },   /* plain: at once */
        { 0.001, 1.07, 1, 1 },  /* beyond twice 3 % and four times its scatter */
        { 0.001, 1.04, 2, 2 },  /* beyond 3 % and its scatter, which one round does not tell */
        { 0.001, 1.029, 0, 0 }, /* within 3 % */
        { 0.001, 0.7, 0, 0 },   /* faster */
        { 0.05, 1.1, 2, 100 },  /* one round says nothing, many do */
        { 0.05, 1.0, 0, 0 },    /* scatter alone */
};

static void test_undoing(void **state)
{
        (void)state;
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
                struct trial trial = measured(1, cases[c].scatter_s);
                int undone = 0;
                for (int i = 1; i <= 100 && !undone; i++)
                        if (trial_with(&trial, time_of(i, cases[c].with_s, cases[c].scatter_s),
                                       1) == TRIAL_UNDONE)
                                undone = i;
                assert_in_range(undone, cases[c].first, cases[c].last);
                assert_int_equal(trial.undone, undone > 0);
        }
}

static void test_scatter(void **state)
{
        (void)state;
        struct trial trial = measured(2.385, 0.01);
        assert_true(fabs(trial_median_s(&trial.without) - 2.385) < 1e-9);
        assert_true(fabs(trial_scatter_s(&trial.without) - 0.01 * 1.4826 * 8 / 7.2) < 1e-9);
        assert_true(trial_may_gain(&trial));
        for (int i = 0; i < TRIAL_ROUNDS; i++)
                trial_without(&trial, time_of(i, 1, 0.01), 0.98, 1);
        assert_true(fabs(trial_median_s(&trial.without) - 1) < 1e-9);
        assert_false(trial_may_gain(&trial)); /* 2 % only */
}

/* Uneven loads are tried at once, waiting that they do not explain when it can be afforded: two
 * rounds are a fortieth of the run after eighty. */
static void test_waiting(void **state)
{
        (void)state;
        for (int uneven = 0; uneven <= 1; uneven++) {
                struct trial trial;
                int begins = 0;
                trial_init(&trial, 0.03, 0.025);
                for (int i = 1; i <= 100 && !begins; i++) {
                        trial_without(&trial, 1, 0.6, 10);
                        trial_even(&trial, uneven ? 0.7 : 0.99, 10);
                        begins = trial_may_begin(&trial) && trial_may_gain(&trial) ? i : 0;
                }
                assert_int_equal(begins, uneven ? 2 : 80);
        }
}

/* One round that was held up excuses none that are slower, whichever of the eight it was. */
static void test_held_up(void **state)
{
        (void)state;
        for (int held = 0; held < 8; held++) {
                struct trial trial;
                trial_init(&trial, 0.03, 0.025);
                for (int i = 0; i < 8; i++)
                        trial_without(&trial, i == held ? 20 : time_of(i, 1, 0.02), 0.6, 1);
                int undone = 0;
                for (int i = 1; i <= 20 && !undone; i++)
                        if (trial_with(&trial, time_of(i, 1.4, 0.1), 1) == TRIAL_UNDONE)
                                undone = i;
                assert_in_range(undone, 1, 5);
        }
}

/* Where most rounds are as fast as before and few far slower, the whole tells: not at once, and not
 * where it is a small part of the run. */
static void test_whole(void **state)
{
        (void)state;
        for (int rounds = 8; rounds <= 8000; rounds *= 1000) {
                struct trial trial;
                trial_init(&trial, 0.03, 0.025);
                for (int i = 0; i < rounds; i++)
                        trial_without(&trial, time_of(i, 1, 0.02), 0.6, 1);
                int undone = 0;
                for (int i = 1; i <= 100 && !undone; i++)
                        if (trial_with(&trial, i % 4 ? time_of(i, 1, 0.02) : 2, 1) == TRIAL_UNDONE)
                                undone = i;
                assert_int_equal(undone, rounds == 8 ? TRIAL_ENOUGH : 0);
        }
}

/* Every so many rounds a rank writes a file for half a second. That is no loss by balancing, where
 * it is known what the rank did by itself; where it takes longer with balancing in all rounds, or
 * other rounds are slow, it is one. */
static const struct {
        int every;
        double usual_s, with_s; /* by itself in other rounds: without balancing, and with it */
        double time_s;          /* of other rounds with balancing; 0.035 s without */
        bool known;
        int first, last;
} files[] = {
        { 50, 0, 0, 0.024, true, 0, 0 }, /* all work is in regions */
        { 50, 0.002, 0.002, 0.024, true, 0, 0 },
        { 10, 0.002, 0.002, 0.034, true, 0, 0 },
        { 2, 0, 0, 0.034, true, 0, 0 },
        { 50, 0, 0, 0.024, false, 10, 50 }, /* nobody knows whose it is */
        { 50, 0.002, 0.002, 0.037, true, 1, 2 },
        { 200, 0.03, 0.04, 0.045, true, 1, 2 }, /* caches that are shared */
};

static void test_files(void **state)
{
        (void)state;
        for (size_t c = 0; c < sizeof(files) / sizeof(files[0]); c++) {
                struct trial trial;
                trial_init(&trial, 0.03, 0.025);
                for (int i = 0; i < 5; i++) {
                        trial_next(&trial, true, files[c].known ? files[c].usual_s : -1);
                        trial_without(&trial, time_of(i, 0.035, 0.0002), 0.02, 1);
                }
                int undone = 0;
                for (int i = 1; i <= 150 && !undone; i++) {
                        double file_s = i % files[c].every ? 0 : 0.5;
                        double alone_s = files[c].known ? files[c].with_s + file_s : -1;
                        trial_next(&trial, true, alone_s);
                        if (trial_with(&trial, time_of(i, files[c].time_s, 0.0002) + file_s, 1) ==
                            TRIAL_UNDONE)
                                undone = i;
                }
                assert_in_range(undone, files[c].first, files[c].last);
        }
}

/* Before balancing two rounds were timed, one of them by chance far shorter than most: what follows
 * is no loss. */
static void test_uneven(void **state)
{
        (void)state;
        static const double factor[] = { 0.66, 1.29, 1.41, 0.64, 1.35, 1.29, 1.34, 1, 1.15, 1.3 };
        struct trial trial;
        trial_init(&trial, 0.03, 0.025);
        for (int i = 0; i < 2; i++)
                trial_without(&trial, 0.035 * factor[i], 0.021 * factor[i], 1);
        for (int i = 2; i < 100; i++)
                assert_int_equal(trial_with(&trial, 0.035 * factor[i % 10], 1), TRIAL_GOES_ON);
}

/* A trial that was undone: the next one waits, and what both cost stays within its part of all. */
static void test_cost(void **state)
{
        (void)state;
        struct trial trial = measured(1, 0.001);
        double whole_s = 8, lost_s = 0;
        int64_t begun = 0;
        for (int round = 0; round < 5000; round++) {
                trial_without(&trial, time_of(round, 1, 0.001), 1, 2);
                whole_s += 2;
                if (!trial_may_begin(&trial))
                        continue;
                begun++;
                trial_begins(&trial, 2.6, 2);
                whole_s += 5.2;
                lost_s += 3.2;
                while (trial_with(&trial, 1.3, 2) != TRIAL_UNDONE)
                        whole_s += 2.6;
                whole_s += 2.6;
                lost_s += 0.6;
                assert_true(lost_s <= 0.025 * whole_s || begun == 1); /* with its own */
        }
        assert_in_range(begun, 2, 20);
        assert_true(lost_s <= 0.05 * whole_s);
        assert_true(fabs(trial.lost_s - lost_s) < 0.01);
}

/* One iteration scatters more than the mean of four: alone it says less. */
static void test_fewer_iterations(void **state)
{
        (void)state;
        for (int iterations = 1; iterations <= 4; iterations *= 4) {
                struct trial trial;
                trial_init(&trial, 0.03, 0.025);
                for (int i = 0; i < 8; i++)
                        trial_without(&trial, time_of(i, 1, 0.01), 1, 4);
                assert_int_equal(trial_with(&trial, 1.15, iterations),
                                 iterations == 4 ? TRIAL_UNDONE : TRIAL_GOES_ON);
        }
}

/* What is faster than all CPUs at work has other work: it is not compared, but timed anew, which is
 * stood for longer each time. Where the least is not known nothing is too fast. */
static void test_others(void **state)
{
        (void)state;
        struct trial trial = measured(1, 0.001);
        for (int i = 0; i < 5; i++)
                assert_int_equal(trial_with(&trial, time_of(i, 0.6, 0.01), 1), TRIAL_GOES_ON);
        assert_false(trial.fresh);
        int rounds = 1;
        while (trial_with(&trial, 0.2, 1) == TRIAL_GOES_ON)
                assert_true(++rounds <= 2 * TRIAL_ROUNDS);
        assert_true(trial.fresh);
        assert_int_equal(trial.undone, 0);
        assert_int_equal(trial_with(&trial, 0.2, 1), TRIAL_UNTIMED);
        trial_without(&trial, 0.3, 0.1, 1);
        for (int i = 0; i < TRIAL_ROUNDS; i++)
                assert_int_equal(trial_with(&trial, 0.2, 1), TRIAL_GOES_ON);
        assert_int_equal(trial_with(&trial, 0.2, 1), TRIAL_UNTIMED);
        trial_without(&trial, 0.3, 0.1, 1);
        assert_int_equal(trial_with(&trial, 0.2, 1), TRIAL_GOES_ON);
        assert_false(trial.fresh);
        trial_forget(&trial);
        for (int i = 0; i < 8; i++)
                trial_without(&trial, time_of(i, 1, 0.001), 0, 1);
        assert_int_equal(trial_with(&trial, 0.01, 1), TRIAL_GOES_ON);
        trial_forget(&trial);
        for (int i = 0; i < 8; i++)
                trial_without(&trial, time_of(i, 1, 0.001), 0.5, 1);
        assert_int_equal(trial_with(&trial, 2, 1), TRIAL_UNDONE);
        assert_false(trial.fresh);
}

/* Times of rounds of which too many are not known to repeat are none of an iteration. */
static void test_unknown(void **state)
{
        (void)state;
        static const struct {
                int without, with; /* unknown ones of eight */
                bool compares;
        } unknown[] = { { 0, 0, true }, { 2, 2, true }, { 3, 0, false }, { 0, 3, false } };
        for (size_t c = 0; c < sizeof(unknown) / sizeof(unknown[0]); c++) {
                struct trial trial;
                trial_init(&trial, 0.03, 0.025);
                for (int i = 0; i < 16; i++) {
                        int k = i % 8;
                        trial_next(&trial, k >= (i < 8 ? unknown[c].without : unknown[c].with), 0);
                        if (i < 8)
                                trial_without(&trial, 1, 0.6, 1);
                        else
                                assert_int_equal(trial_with(&trial, 1, 1), TRIAL_GOES_ON);
                }
                assert_int_equal(trial_compares(&trial), unknown[c].compares);
                trial_known(&trial, 1); /* the last of them */
                assert_true(trial_compares(&trial));
                trial_forget(&trial);
                assert_true(trial_compares(&trial));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_undoing),
                                            cmocka_unit_test(test_scatter),
                                            cmocka_unit_test(test_waiting),
                                            cmocka_unit_test(test_held_up),
                                            cmocka_unit_test(test_whole),
                                            cmocka_unit_test(test_files),
                                            cmocka_unit_test(test_uneven),
                                            cmocka_unit_test(test_cost),
                                            cmocka_unit_test(test_fewer_iterations),
                                            cmocka_unit_test(test_others),
                                            cmocka_unit_test(test_unknown) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
