/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch_test.h"

/*
 * Deaths: whoever dies, all others are gone at lbrun's end, and so are the segments. The ranks
 * would sleep for ten minutes; a test that hangs is ended by CTest.
 */
static struct run run;
enum { RANKS = 4 };
static const char options[] = "--nodes 2 --cores 3 --degree 2";

static void begin(const char *mpi, struct rank_line *line)
{
        char text[256];
        snprintf(text, sizeof(text), "%s @%s segment sleep -1 600", options, mpi);
        run_begin(&run, text, NULL);
        run_await_ranks(&run, line, RANKS);
}

static void pause_ms(long ms)
{
        nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* The job is known from the output before it was ended. */
static void check_nothing_left(const struct rank_line *line)
{
        struct job *job = run_job(&run);
        assert_int_equal(segments_of(job->id), 0);
        job_destroy(job);
        for (int32_t i = 0; i < RANKS; i++)
                assert_false(process_lives(line[i].pid));
}

/* The rank is named, and its process. */
static void check_named(const struct rank_line *line, const char *how)
{
        char text[128];
        const char *at;
        snprintf(text, sizeof(text), "(process %d)", (int)line->pid);
        at = strstr(run.err, text);
        snprintf(text, sizeof(text), "lbrun: rank %d, ", (int)line->rank);
        if (!at || !strstr(run.err, text) || !strstr(run.err, how))
                fail_msg("'%s' does not name rank %d, process %d, %s", run.err, (int)line->rank,
                         (int)line->pid, how);
}

/* A rank that is killed ends the run, is named, gives the exit code, and leaves nothing. */
static void test_killed_rank(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++)
                for (int32_t k = 0; k < RANKS; k++) {
                        struct rank_line line[RANKS];
                        begin(test_mpis[i], line);
                        kill(line[k].pid, SIGKILL);
                        run_wait(&run);
                        assert_int_equal(run.code, 137);
                        check_named(&line[k], "was ended by signal 9, Killed");
                        check_nothing_left(line);
                }
}

/* A rank that dies by a fault of its own, at once, and one that exits without a word to MPI. */
static void test_fault(void **state)
{
        (void)state;
        static const struct {
                const char *action, *how;
                int code; /* 0: any but 0 */
        } rows[] = { { "raise 2 6", "was ended by signal 6, Aborted", 134 },
                     { "raise 2 11", "was ended by signal 11, Segmentation", 139 },
                     { "quit 2 3", "ended with exit code 3", 3 },
                     { "quit 2 0", "ended with exit code 0", 0 } };
        for (int i = 0; test_mpis[i]; i++)
                for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
                        char text[256];
                        struct rank_line line[RANKS];
                        snprintf(text, sizeof(text), "%s @%s %s", options, test_mpis[i],
                                 rows[k].action);
                        run_line(&run, text);
                        assert_int_not_equal(run.code, 0);
                        assert_null(strstr(run.err, "received signal")); /* MPI's own account */
                        if (rows[k].code && run.code != rows[k].code)
                                fail_msg("%s %s: code %d\n%s", test_mpis[i], rows[k].action,
                                         run.code, run.err);
                        int32_t count = run_ranks(&run, line, RANKS);
                        for (int32_t n = 0; n < count; n++)
                                assert_false(process_lives(line[n].pid));
                        for (int32_t n = 0; n < count; n++)
                                if (line[n].rank == 2)
                                        check_named(&line[n], rows[k].how);
                }
}

/* What has died is named, and that it was no rank by itself. */
static void check_only_named(const char *what, const struct rank_line *line, pid_t pid)
{
        char rank[64], process[64];
        snprintf(rank, sizeof(rank), "rank %d, ", (int)line->rank);
        snprintf(process, sizeof(process), "(process %d)", (int)pid);
        if (!strstr(run.err, what) || !strstr(run.err, process) || strstr(run.err, "lbrun: rank") ||
            !strstr(run.err, rank))
                fail_msg("'%s' does not name %s %s %s alone", run.err, what, rank, process);
}

/* A keeper that is killed takes its rank with it. */
static void test_killed_keeper(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                struct rank_line line[RANKS];
                begin(test_mpis[i], line);
                pid_t keeper = parent_of(line[1].pid);
                kill(keeper, SIGKILL);
                run_wait(&run);
                assert_int_equal(run.code, 137);
                check_only_named("keeper of", &line[1], keeper);
                check_nothing_left(line);
        }
}

/* Signals to lbrun end the run, with 128 + N. */
static void test_signals(void **state)
{
        (void)state;
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
        for (int i = 0; test_mpis[i]; i++)
                for (size_t k = 0; k < sizeof(signals) / sizeof(signals[0]); k++) {
                        struct rank_line line[RANKS];
                        begin(test_mpis[i], line);
                        kill(run.pid, signals[k]);
                        run_wait(&run);
                        assert_int_equal(run.code, 128 + signals[k]);
                        assert_non_null(strstr(run.err, "lbrun: ended by signal"));
                        check_nothing_left(line);
                }
}

/* A second signal is not to be argued with, whatever mpirun is doing. */
static void test_second_signal(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                struct rank_line line[RANKS];
                begin(test_mpis[i], line);
                kill(run.pid, SIGTERM);
                kill(run.pid, SIGINT);
                run_wait(&run);
                assert_true(run.code == 128 + SIGINT || run.code == 128 + SIGTERM);
                check_nothing_left(line);
        }
}

/* MPICH's launcher has a process of its own between mpirun and the keepers. */
static void test_killed_proxy(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                struct rank_line line[RANKS];
                if (strcmp(test_mpis[i], "mpich") != 0)
                        continue;
                begin(test_mpis[i], line);
                pid_t proxy = parent_of(parent_of(line[0].pid));
                assert_int_not_equal(proxy, child_of(run.pid));
                kill(proxy, SIGKILL);
                run_wait(&run);
                assert_int_equal(run.code, 137);
                assert_null(strstr(run.err, "lbrun: rank"));
                if (!strstr(run.err, "lbrun: mpirun's 'hydra_pmi_proxy' was killed"))
                        fail_msg("'%s'", run.err);
                check_nothing_left(line);
        }
}

/* lbrun itself is killed: mpirun hears of it and ends the ranks, and what is in shared memory is
 * removed soon after. */
static void check_killed_lbrun(const char *mpi, bool stop_mpirun, bool stop_ranks)
{
        struct rank_line line[RANKS];
        begin(mpi, line);
        pid_t mpirun = child_of(run.pid);
        if (stop_mpirun)
                kill(mpirun, SIGSTOP);
        for (int32_t k = 0; stop_ranks && k < RANKS; k++)
                kill(line[k].pid, SIGSTOP);
        kill(run.pid, SIGKILL);
        run_wait(&run);
        assert_int_equal(run.code, 137);
        await_end(mpirun);
        for (int32_t k = 0; k < RANKS; k++)
                await_end(line[k].pid);
        struct job *job = run_job(&run);
        for (int round = 0; segments_of(job->id) > 0; round++) {
                assert_true(round < 3000);
                pause_ms(20);
        }
        job_destroy(job);
}

static void test_killed_lbrun(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                check_killed_lbrun(test_mpis[i], false, false);
                check_killed_lbrun(test_mpis[i], true, false);
                check_killed_lbrun(test_mpis[i], true, true);
        }
}

enum { SHARED_MAX = 256, SHARED_SIZE = 256 };

/* The files of shared memory that the ranks have mapped: MPI's. */
static int shared_files(const struct rank_line *line, char shared[][SHARED_SIZE])
{
        int count = 0;
        for (int32_t i = 0; i < RANKS; i++) {
                char path[64], text[4096];
                snprintf(path, sizeof(path), "/proc/%d/maps", (int)line[i].pid);
                FILE *in = fopen(path, "r");
                while (in && count < SHARED_MAX && fgets(text, sizeof(text), in)) {
                        const char *at = strstr(text, "/dev/shm/");
                        if (at && !strstr(at, "(deleted)"))
                                snprintf(shared[count++], SHARED_SIZE, "%.*s",
                                         (int)strcspn(at, "\n"), at);
                }
                if (in)
                        fclose(in);
        }
        return count;
}

static void check_gone(char shared[][SHARED_SIZE], int count)
{
        for (int i = 0; i < count; i++)
                if (access(shared[i], F_OK) == 0)
                        fail_msg("%s is left behind", shared[i]);
}

/* mpirun is killed: its ranks are not left behind, nor the MPI library's shared memory, which
 * nobody else would remove. */
static void test_killed_mpirun(void **state)
{
        (void)state;
        static char shared[SHARED_MAX][SHARED_SIZE];
        for (int i = 0; test_mpis[i]; i++) {
                struct rank_line line[RANKS];
                begin(test_mpis[i], line);
                int count = shared_files(line, shared);
                kill(child_of(run.pid), SIGKILL);
                run_wait(&run);
                assert_int_equal(run.code, 137);
                assert_non_null(strstr(run.err, "lbrun: mpirun was ended by signal 9"));
                assert_null(strstr(run.err, "rank "));
                check_nothing_left(line);
                check_gone(shared, count);
        }
}

/* A rank that could not even be started ends the run, in which the others wait for it. */
static void test_no_process(void **state)
{
        (void)state;
#ifdef NO_FORK
        setenv("LD_PRELOAD", NO_FORK, 1);
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                snprintf(text, sizeof(text), "%s @%s none", options, test_mpis[i]);
                run_line(&run, text);
                assert_int_equal(run.code, 125);
                assert_non_null(strstr(run.err, "lbrun: cannot start '"));
                assert_non_null(strstr(run.err, "lbrun: rank 1, "));
        }
        unsetenv("LD_PRELOAD");
#endif
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_killed_rank),   cmocka_unit_test(test_fault),
                cmocka_unit_test(test_killed_keeper), cmocka_unit_test(test_killed_proxy),
                cmocka_unit_test(test_signals),       cmocka_unit_test(test_second_signal),
                cmocka_unit_test(test_killed_lbrun),  cmocka_unit_test(test_killed_mpirun),
                cmocka_unit_test(test_no_process),
        };
        if (!test_mpis[0])
                return 0;
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
