/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "launch_test.h"

/* What runs to its end: with every MPI that there is. */
static struct run run;

static void begin_and_wait(const char *options, const char *mpi, const char *action)
{
        char line[512];
        snprintf(line, sizeof(line), "%s -- @%s %s", options, mpi, action);
        run_line(&run, line);
}

static void check_ranks(const struct job *job)
{
        struct rank_line line[TEST_WORD_MAX];
        bool seen[TEST_WORD_MAX] = { false };
        int32_t count = run_ranks(&run, line, TEST_WORD_MAX);
        assert_int_equal(count, job->nworker);
        for (int32_t i = 0; i < count; i++) {
                assert_in_range(line[i].rank, 0, count - 1);
                assert_false(seen[line[i].rank]);
                seen[line[i].rank] = true;
                assert_int_equal(line[i].size, count);
        }
}

/* One rank for each edge, all with the same job, which is what the options say. */
static void test_ranks(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                begin_and_wait("--nodes 3 --cores 5 --degree 2 --system local --lewi off "
                               "--param poll_s=0.125 --load cpu --speed 1:0.5 --report r.json",
                               test_mpis[i], "none");
                assert_int_equal(run.code, 0);
                assert_non_null(strstr(run.err, "lbrun: 3 virtual nodes of 5 cores, all on this"));
                assert_non_null(strstr(run.err, "r.json' was not written: the program ended"));
                struct job *job = run_job(&run);
                check_ranks(job);
                assert_int_equal(job->nworker, 6);
                assert_string_equal(job->system, "local");
                assert_false(job->lewi);
                assert_true(job->drom);
                assert_true(job->virtual_nodes);
                assert_float_equal(job->param[JOB_POLL_S], 0.125, 0);
                assert_float_equal(job->param[JOB_LOAD], JOB_LOAD_CPU, 0);
                assert_float_equal(job->speed[1], 0.5, 0);
                assert_float_equal(job->speed[2], 1, 0);
                assert_int_equal(job->report[0], '/');
                job_destroy(job);
        }
}

/* Jobs have ids of their own. */
static void test_ids(void **state)
{
        (void)state;
        begin_and_wait("--cores 1", test_mpis[0], "none");
        struct job *a = run_job(&run);
        begin_and_wait("--cores 1", test_mpis[0], "none");
        struct job *b = run_job(&run);
        assert_string_not_equal(a->id, b->id);
        job_destroy(a);
        job_destroy(b);
}

/* Exit codes of the program are lbrun's; --quiet leaves errors alone. */
static void test_exit_codes(void **state)
{
        (void)state;
        static const struct {
                const char *action;
                int code;
        } rows[] = {
                { "exit -1 0", 0 }, { "exit -1 7", 7 },    { "exit 1 3", 3 },
                { "abort 1 5", 5 }, { "exit 0 125", 125 },
        };
        for (int i = 0; test_mpis[i]; i++)
                for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
                        begin_and_wait("--nodes 2 --cores 2 --degree 2 --quiet", test_mpis[i],
                                       rows[k].action);
                        if (run.code != rows[k].code)
                                fail_msg("%s %s: code %d\n%s", test_mpis[i], rows[k].action,
                                         run.code, run.err);
                        assert_null(strstr(run.err, "virtual nodes"));
                }
}

/* Standard input reaches rank 0, standard output comes back. */
static void test_streams(void **state)
{
        (void)state;
        FILE *input = fopen("input", "w");
        assert_non_null(input);
        fputs("one\ntwo\n", input);
        fclose(input);
        for (int i = 0; test_mpis[i]; i++) {
                char line[256];
                snprintf(line, sizeof(line), "--nodes 2 --cores 2 --degree 2 @%s echo 0",
                         test_mpis[i]);
                run_begin(&run, line, "input");
                run_wait(&run);
                assert_int_equal(run.code, 0);
                if (!strstr(run.out, "echo one\necho two\n"))
                        fail_msg("%s: '%s'\n%s", test_mpis[i], run.out, run.err);
        }
}

/* More words for mpirun reach it: one that it does not know makes it fail. */
static void test_mpi_option(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                begin_and_wait("--cores 1 --mpi-option --no-such-option", test_mpis[i], "none");
                assert_int_not_equal(run.code, 0);
                assert_non_null(strstr(run.err, "lbrun: mpirun ended with exit code"));
        }
}

static void check_orphan_gone(const char *mpi, const char *action)
{
        int pid = 0;
        begin_and_wait("--nodes 2 --cores 2 --degree 2", mpi, action);
        const char *at = strstr(run.out, "orphan ");
        while (at && sscanf(at, "orphan %d", &pid) != 1)
                at = strstr(at + 1, "orphan ");
        assert_true(pid > 0);
        assert_int_equal(kill((pid_t)pid, 0), -1);
        assert_int_equal(run.code, 0);
        assert_non_null(strstr(run.err, "lbrun: killed 1 process left behind"));
}

/* A process that the program leaves behind, in a session of its own, is gone with the run; also
 * one that looks dead, since its main thread is. */
static void test_orphan(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                check_orphan_gone(test_mpis[i], "orphan 1");
                check_orphan_gone(test_mpis[i], "threads 1");
        }
}

/* A signal that is the program's to understand is passed on to its ranks, and ends nothing. */
static void test_user_signal(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                struct rank_line line[4];
                snprintf(text, sizeof(text), "--nodes 2 --cores 2 --degree 2 @%s await -1 %d",
                         test_mpis[i], SIGUSR1);
                run_begin(&run, text, NULL);
                run_await_ranks(&run, line, 4);
                kill(run.pid, SIGUSR1);
                run_wait(&run);
                assert_int_equal(run.code, 0);
                snprintf(text, sizeof(text), "got signal %d", SIGUSR1);
                assert_non_null(strstr(run.out, text));
        }
}

/* Segments of the job do not outlive it, even where the program does not remove them. */
static void test_segments(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                begin_and_wait("--nodes 2 --cores 2 --degree 2", test_mpis[i], "segment none");
                assert_int_equal(run.code, 0);
                struct job *job = run_job(&run);
                assert_int_equal(segments_of(job->id), 0);
                job_destroy(job);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ranks),      cmocka_unit_test(test_ids),
                cmocka_unit_test(test_exit_codes), cmocka_unit_test(test_streams),
                cmocka_unit_test(test_mpi_option), cmocka_unit_test(test_orphan),
                cmocka_unit_test(test_segments),   cmocka_unit_test(test_user_signal),
        };
        if (!test_mpis[0])
                return 0;
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
