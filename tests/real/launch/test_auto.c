/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/balance/choice.h"
#include "real/balance/leaf.h"
#include "real/launch/balance_auto.h"

/*
 * lbrun --system auto asks lbsim where the loads that the ranks have left may leave a system
 * something, and there alone: to ask takes a CPU from the program. A lbsim of ours notes that it
 * was asked, and says that dlb and packing would take half of the time, packing on one CPU. What is
 * lent comes with a region: a rank that has one alone gets nothing by it.
 */
enum { RANKS = 2, PATH_SIZE = 128 };
static char directory[] = "auto-XXXXXX";
static struct lb_option_list none;

static const char *in_directory(const char *name)
{
        static char path[PATH_SIZE];
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        return path;
}

static bool is_there(const char *name)
{
        return access(in_directory(name), F_OK) == 0;
}

static int setup(void **state)
{
        char path[PATH_SIZE + 8192], here[4096];
        (void)state;
        if (!mkdtemp(directory) || !getcwd(here, sizeof(here)))
                return -1;
        FILE *out = fopen(in_directory("lbsim"), "w");
        if (!out)
                return -1;
        fprintf(out, "#!/bin/sh\n>%s/%s/asked\n", here, directory);
        fputs("for s in baseline dlb dpb packing; do\n"
              "  t=1; c=2; [ $s != dlb ] || t=0.5; [ $s != packing ] || { t=0.5; c=1; }\n"
              "  echo \"{ \\\"system\\\": \\\"$s\\\", \\\"time_per_iteration_s\\\": $t, "
              "\\\"cores_used\\\": $c }\"\n"
              "done\n",
              out);
        fclose(out);
        snprintf(path, sizeof(path), "%s/%s:%s", here, directory, getenv("PATH"));
        return setenv("PATH", path, 1) + chmod(in_directory("lbsim"), 0755);
}

static int teardown(void **state)
{
        static const char *const left[] = { "lbsim",     "asked",  "loads.csv",
                                            CHOICE_FILE, "0.rank", "1.rank" };
        (void)state;
        for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
                unlink(in_directory(left[i]));
        return rmdir(directory);
}

/* Of two ranks on one node: what they compute in an iteration of one second. */
struct story {
        double load_s[RANKS];
        double threads; /* that compute it in regions; 0: none does */
        double regions; /* so many */
        const char *choice;
        bool asked;
};

static void write_leaf(const struct story *story, int32_t rank)
{
        char name[16];
        struct leaf leaf = { .magic = LEAF_MAGIC,
                             .rank = rank,
                             .size = RANKS,
                             .nnode = 1,
                             .mate = rank,
                             .nmate = RANKS,
                             .ncpu = story->threads > 0 ? 2 * (int32_t)story->threads : RANKS,
                             .load_s = story->load_s[rank],
                             .without_s = 1,
                             .regions = story->regions,
                             .measured = 1 };
        leaf.work_s = leaf.load_s * (story->threads > 0 ? story->threads : 1);
        snprintf(name, sizeof(name), "%d.rank", rank);
        FILE *out = fopen(in_directory(name), "w");
        assert_non_null(out);
        assert_int_equal(fwrite(&leaf, sizeof(leaf), 1, out), 1);
        fclose(out);
}

static void tell(const struct story *story)
{
        char chosen[CHOICE_SIZE] = "";
        struct balance_auto automatic = { .directory = directory, .param = &none, .quiet = true };
        unlink(in_directory("asked"));
        unlink(in_directory(CHOICE_FILE));
        for (int32_t rank = 0; rank < RANKS; rank++)
                write_leaf(story, rank);
        balance_auto_look(&automatic);
        assert_true(automatic.done);
        assert_int_equal(is_there("asked"), story->asked);
        FILE *in = fopen(in_directory(CHOICE_FILE), "r");
        assert_non_null(in);
        assert_int_equal(fscanf(in, "%63s", chosen), 1);
        fclose(in);
        assert_string_equal(chosen, story->choice);
}

static void test_asks_where_there_is_something(void **state)
{
        static const struct story stories[] = {
                { { 0.97, 0.96 }, 0, 0, CHOICE_NONE, false }, /* even */
                { { 0.97, 0.40 }, 0, 0, CHOICE_NONE, false }, /* not even, and no thread to move */
                { { 0.97, 0.02 }, 0, 0, "packing", true },    /* both fit on one CPU */
                { { 0.97, 0.96 }, 2, 9, CHOICE_NONE, false }, /* even, with threads */
                { { 0.97, 0.91 }, 2, 9, CHOICE_NONE, false }, /* a gain of 0.03: below auto_least */
                { { 0.97, 0.70 }, 2, 9, "dlb", true },        /* a gain of 0.135 */
                { { 0.97, 0.70 }, 2, 1, "packing", true },    /* one region: none by lending */
        };
        (void)state;
        for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
                tell(&stories[i]);
}

/* Until all ranks have measured nothing is asked or told. */
static void test_waits_for_all(void **state)
{
        static const struct story story = { { 0.97, 0.02 }, 0, 0, "packing", true };
        struct balance_auto automatic = { .directory = directory, .param = &none, .quiet = true };
        (void)state;
        unlink(in_directory("asked"));
        unlink(in_directory(CHOICE_FILE));
        unlink(in_directory("1.rank"));
        write_leaf(&story, 0);
        balance_auto_look(&automatic);
        assert_false(automatic.done || is_there("asked") || is_there(CHOICE_FILE));
        write_leaf(&story, 1);
        balance_auto_look(&automatic);
        assert_true(automatic.done && is_there("asked") && is_there(CHOICE_FILE));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_asks_where_there_is_something),
                cmocka_unit_test(test_waits_for_all),
        };
        return cmocka_run_group_tests(tests, setup, teardown);
}
