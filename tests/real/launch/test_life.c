/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch_test.h"

/*
 * Jobs that run and do not come to their end: ranks that are stopped, tasks that last, and an
 * MPI_Finalize() that does not return. A test that hangs is ended by CTest.
 */
static struct run run;
static const char options[] = "--nodes 2 --cores 3 --degree 2";

/* A rank that is stopped is named and, as asked, ended, and the job with it. */
static void test_silent(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                int pid = 0, rank = 0;
                snprintf(text, sizeof(text), "%s --hung-s 5 @live-%s sleep 600", options,
                         test_mpis[i]);
                run_begin(&run, text, NULL);
                run_await(&run, "running ");
                assert_int_equal(
                    sscanf(strstr(run.out, "running "), "running rank %d process %d", &rank, &pid),
                    2);
                kill(pid, SIGSTOP);
                run_wait(&run);
                assert_int_equal(run.code, 137);
                snprintf(text, sizeof(text), "lbrun: rank %d, ", rank);
                if (!strstr(run.err, text) ||
                    !strstr(run.err, "not looked for messages: it is hung, or stopped"))
                        fail_msg("%s: '%s'", test_mpis[i], run.err);
                assert_false(process_lives(pid));
        }
}

/* A task may last: it is only named. */
static void test_long_task(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                snprintf(text, sizeof(text), "%s --hung-s 4 @live-%s task 16", options,
                         test_mpis[i]);
                run_line(&run, text);
                assert_int_equal(run.code, 0);
                assert_non_null(strstr(run.err, "has been in one task for "));
                assert_null(strstr(run.err, "not looked for messages"));
        }
}

/* A program that initialises MPI itself, and so finalises it: the helpers must as well. */
static void test_own_mpi(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                snprintf(text, sizeof(text), "%s @live-%s own 0", options, test_mpis[i]);
                run_line(&run, text);
                if (run.code != 0)
                        fail_msg("%s: code %d\n%s", test_mpis[i], run.code, run.err);
        }
}

/* Who ends the job is known before MPI's launcher kills everybody: code, rank and process. */
static void test_abort(void **state)
{
        (void)state;
        static const struct {
                int rank, code, expected;
        } rows[] = { { 0, 5, 5 }, { 3, 9, 9 }, { 3, 137, 137 }, { 0, 256, 1 } };
        for (int i = 0; test_mpis[i]; i++)
                for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
                        char text[256], *at = NULL;
                        int pid = 0;
                        snprintf(text, sizeof(text), "%s --quiet @live-%s abort %d %d", options,
                                 test_mpis[i], rows[k].rank, rows[k].code);
                        run_line(&run, text);
                        snprintf(text, sizeof(text), "running rank %d process ", rows[k].rank);
                        if ((at = strstr(run.out, text)))
                                pid = atoi(at + strlen(text));
                        if (pid <= 0)
                                fail_msg("%s: code %d, no rank %d in '%s'\n%s", test_mpis[i],
                                         run.code, rows[k].rank, run.out, run.err);
                        snprintf(text, sizeof(text),
                                 " ended the job with exit code %d (process %d)",
                                 rows[k].code & 255, pid);
                        if (run.code != rows[k].expected || !strstr(run.err, text) ||
                            strstr(run.err, "was killed") || strstr(run.err, "ended by signal"))
                                fail_msg("%s: code %d, expected %d and '%s'\n%s", test_mpis[i],
                                         run.code, rows[k].expected, text, run.err);
                }
}

#ifdef STUCK
static int32_t count_of(const char *text, const char *part)
{
        int32_t count = 0;
        for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
                count++;
        return count;
}

/* MPI_Finalize() of one rank, or of all, never returns: the job ends with the program's code all
 * the same, after what it has registered for exit(), and says so once. */
static void test_stuck_finalize(void **state)
{
        (void)state;
        static const char *const ranks[] = { "2", "0", "-1" };
        static const int codes[] = { 0, 0, 7 };
        setenv("LD_PRELOAD", STUCK, 1);
        setenv("STUCK_IN", "finalize", 1);
        for (int i = 0; test_mpis[i]; i++)
                for (size_t k = 0; k < sizeof(ranks) / sizeof(ranks[0]); k++) {
                        char text[256];
                        setenv("STUCK_RANK", ranks[k], 1);
                        snprintf(text, sizeof(text),
                                 "%s --report r.json --param finalize_s=1 @live-%s exit %d",
                                 options, test_mpis[i], codes[k]);
                        remove("r.json");
                        run_line(&run, text);
                        if (run.code != codes[k] ||
                            count_of(run.err, "still in MPI_Finalize() 1 s after") != 1 ||
                            count_of(run.out, "at exit") != 2)
                                fail_msg("%s, rank %s: code %d, %d at exit\n%s", test_mpis[i],
                                         ranks[k], run.code, (int)count_of(run.out, "at exit"),
                                         run.err);
                        assert_int_equal(access("r.json", F_OK), 0);
                }
        unsetenv("LD_PRELOAD");
}

/* What MPI does at exit() may not return either; the code is what counts. */
static void test_stuck_exit(void **state)
{
        (void)state;
        setenv("LD_PRELOAD", STUCK, 1);
        setenv("STUCK_IN", "finalize", 1);
        setenv("STUCK_RANK", "1", 1);
        setenv("STUCK_AT_EXIT", "1", 1);
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                snprintf(text, sizeof(text), "%s --param finalize_s=1 @live-%s exit 0", options,
                         test_mpis[i]);
                run_line(&run, text);
                if (run.code != 0)
                        fail_msg("%s: code %d\n%s", test_mpis[i], run.code, run.err);
        }
        unsetenv("STUCK_AT_EXIT");
        unsetenv("LD_PRELOAD");
}
#endif

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_silent),         cmocka_unit_test(test_long_task),
                cmocka_unit_test(test_own_mpi),        cmocka_unit_test(test_abort),
#ifdef STUCK
                cmocka_unit_test(test_stuck_finalize), cmocka_unit_test(test_stuck_exit),
#endif
        };
        if (!test_mpis[0])
                return 0;
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
