/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/launch/balance_report.h"

/*
 * What lbsim itself predicts of ranks whose threads compute, on one node, each with as many of the
 * CPUs at first. One has so many times the work of the others that moving CPUs saves a known time.
 */
enum { RANKS = 2, RANKS_MOST = 4 };
static char directory[] = "predict-XXXXXX";

static int setup(void **state)
{
        char path[8192];
        (void)state;
        snprintf(path, sizeof(path), "%s:%s", LBSIM_DIRECTORY, getenv("PATH"));
        return mkdtemp(directory) && setenv("PATH", path, 1) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
        char path[64];
        (void)state;
        snprintf(path, sizeof(path), "%s/loads.csv", directory);
        unlink(path);
        return rmdir(directory);
}

/* Rounds of one iteration whose loads are `apart` of the mean above it and below, and not those of
 * all ranks at once. */
static void scatter(struct leaf *leaf, double apart)
{
        enum { PERIOD = 3 };
        leaf->round_iterations = 1;
        leaf->round_loads = apart > 0 ? LEAF_LOADS : 0;
        for (int32_t k = 0; k < LEAF_LOADS; k++)
                leaf->round_load_s[k] =
                    leaf->load_s * (1 + apart * ((k / (leaf->rank + 1)) % PERIOD - 1));
}

/* The predicted time as a part of the time before. */
static double predicted_of(int32_t count, const char *system, int32_t ncpu, const double *work_s,
                           double regions, double apart)
{
        static const struct lb_option_list none;
        struct lb_error err;
        struct leaf leaf[RANKS_MOST] = { 0 };
        struct balance_report report = { .system = system, .leaf = leaf, .count = count };
        struct balance_prediction prediction = { .system = system };
        for (int32_t i = 0; i < count; i++)
                leaf[i] = (struct leaf){ .rank = i,
                                         .size = count,
                                         .nnode = 1,
                                         .mate = i,
                                         .nmate = count,
                                         .ncpu = ncpu,
                                         .load_s = work_s[i] / (ncpu / count),
                                         .work_s = work_s[i],
                                         .without_s = work_s[0] / (ncpu / count),
                                         .regions = regions };
        for (int32_t i = 0; i < count; i++)
                scatter(&leaf[i], apart);
        assert_int_equal(balance_simulate(&report, directory, &none, &prediction, 1, &err), 0);
        assert_true(prediction.time_s > 0);
        return prediction.time_s / leaf[0].without_s;
}

static double predicted(const char *system, int32_t ncpu, const double work_s[static RANKS],
                        double regions)
{
        return predicted_of(RANKS, system, ncpu, work_s, regions, 0);
}

/* The whole node's CPUs to 3.03:1 of the work: of dpb whole CPUs; a sixteenth is rounding. */
static void test_moving_cpus_gains(void **state)
{
        static const struct {
                int32_t ncpu;
                double dpb;
        } nodes[] = { { 4, 2. / 3 }, { 6, 3. / 4 }, { 8, 4. / 6 } };
        static const double work_s[RANKS] = { 0.0727, 0.024 }, brief_s[RANKS] = { 0.00727, 0.0024 };
        (void)state;
        for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
                double least = nodes[i].dpb, most = least * (1 + 1. / 16) + 0.01;
                double moved = predicted("dpb", nodes[i].ncpu, work_s, 1);
                double lent = predicted("dlb", nodes[i].ncpu, work_s, 1);
                assert_true(moved > least - 0.01 && moved < most);
                assert_true(lent > 0.66 && lent < most); /* CPUs change owner under dlb as well */
                /* nor do parts cost anything, be iterations as short as they may */
                assert_true(predicted("dpb", nodes[i].ncpu, brief_s, 1) < most);
        }
}

/* Of work that is even nothing is gained or lost. */
static void test_even_stays(void **state)
{
        static const double work_s[RANKS] = { 0.048, 0.048 };
        (void)state;
        for (int32_t ncpu = 4; ncpu <= 8; ncpu += 2) {
                assert_float_equal(predicted("dpb", ncpu, work_s, 1), 1, 0.01);
                assert_float_equal(predicted("dlb", ncpu, work_s, 1), 1, 0.01);
        }
}

/* A team has every CPU that is lent, and not twice its own at most: a third of the time; from its
 * next region on, so that one region gains nothing. */
static void test_one_of_many_has_all(void **state)
{
        static const double work_s[RANKS_MOST] = { 0.09, 0.01, 0.01, 0.01 };
        (void)state;
        assert_float_equal(predicted_of(RANKS_MOST, "dlb", RANKS_MOST, work_s, 64, 0), 0.345,
                           0.012);
        assert_float_equal(predicted_of(RANKS_MOST, "dlb", RANKS_MOST, work_s, 1, 0), 1, 0.001);
}

/* Of 2.8:1, two CPUs each, the formula moves 0.95 CPUs, so none; where loads scatter it comes to
 * one within a few decisions, and stays there. Loads that are even on the whole stay as they are.
 */
static void test_loads_that_scatter(void **state)
{
        static const double work_s[RANKS] = { 0.28, 0.1 }, even_s[RANKS] = { 0.2, 0.2 };
        (void)state;
        assert_float_equal(predicted_of(RANKS, "dpb", 4, work_s, 1, 0), 1, 0.01);
        assert_float_equal(predicted_of(RANKS, "dpb", 4, work_s, 1, 0.1), 0.72, 0.05);
        assert_float_equal(predicted_of(RANKS, "dpb", 4, even_s, 1, 0.1), 1, 0.01);
        assert_float_equal(predicted_of(RANKS, "dlb", 4, even_s, 1, 0.1), 1, 0.01);
}

/* A rank may have nothing to do in some rounds, or in none; the mean of the load stays. */
static void test_rounds_without_load(void **state)
{
        static const double work_s[RANKS] = { 0.2, 0.1 }, idle_s[RANKS] = { 0.2, 0 };
        (void)state;
        assert_float_equal(predicted_of(RANKS, "dlb", 4, work_s, 1, 1), 1, 0.01);
        assert_float_equal(predicted_of(RANKS, "packing", RANKS, idle_s, 0, 0), 1, 0.01);
        assert_float_equal(predicted_of(RANKS, "dpb", 4, idle_s, 1, 0), 2. / 3, 0.05);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_moving_cpus_gains),
                cmocka_unit_test(test_even_stays),
                cmocka_unit_test(test_one_of_many_has_all),
                cmocka_unit_test(test_loads_that_scatter),
                cmocka_unit_test(test_rounds_without_load),
        };
        return cmocka_run_group_tests(tests, setup, teardown);
}
