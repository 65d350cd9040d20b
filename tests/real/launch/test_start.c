/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch_test.h"

/*
 * Starts that do not come on: a job whose launcher or MPI is stuck says which rank is missing, and
 * ends. A test that hangs is ended by CTest.
 */
static struct run run;
static const char options[] = "--nodes 2 --cores 3 --degree 2";

/* A launcher that is stuck: it hears no signal, and starts the first rank alone, or none. */
static const char stuck_mpirun[] = "#!/bin/sh\n"
                                   "trap '' TERM INT HUP\n"
                                   "while [ $# -gt 1 ] && [ \"$2\" != --keep ]; do shift; done\n"
                                   "export OMPI_COMM_WORLD_RANK=0 PMI_RANK=0\n"
                                   "[ -z \"$STUCK_STARTS_ONE\" ] || \"$@\" &\n"
                                   "while :; do sleep 1; done\n";

static char path_before[4096];

static void put_stuck_mpirun(bool starts_one)
{
        char path[8192], name[64], directory[2048];
        mkdir("stuck", 0755);
        for (int i = 0; test_mpis[i]; i++) {
                snprintf(name, sizeof(name), "stuck/mpirun.%s", test_mpis[i]);
                FILE *out = fopen(name, "w");
                assert_non_null(out);
                fputs(stuck_mpirun, out);
                fclose(out);
                assert_int_equal(chmod(name, 0755), 0);
        }
        assert_non_null(getcwd(directory, sizeof(directory)));
        snprintf(path_before, sizeof(path_before), "%s", getenv("PATH"));
        snprintf(path, sizeof(path), "%s/stuck:%s", directory, path_before);
        setenv("PATH", path, 1);
        setenv("STUCK_STARTS_ONE", starts_one ? "1" : "", 1);
}

static void remove_stuck_mpirun(void)
{
        setenv("PATH", path_before, 1);
        unsetenv("STUCK_STARTS_ONE");
}

/* Nobody but the janitor is left to end them. */
static void test_killed_lbrun_stuck_mpirun(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                struct rank_line line;
                put_stuck_mpirun(true);
                snprintf(text, sizeof(text), "%s @%s sleep -1 600", options, test_mpis[i]);
                run_begin(&run, text, NULL);
                run_await_ranks(&run, &line, 1);
                remove_stuck_mpirun();
                pid_t mpirun = child_of(run.pid);
                kill(run.pid, SIGKILL);
                run_wait(&run);
                await_end(mpirun);
                await_end(line.pid);
        }
}

/* A launcher that starts no rank, or not all, is not waited for for ever. */
static void test_no_start(void **state)
{
        static const char *const said[] = { "lbrun: mpirun has started no rank for",
                                            "lbrun: rank 1, " };
        (void)state;
        for (int i = 0; test_mpis[i]; i++)
                for (int one = 0; one < 2; one++) {
                        char text[256];
                        put_stuck_mpirun(one);
                        snprintf(text, sizeof(text), "%s --start-s 2 @%s sleep -1 600", options,
                                 test_mpis[i]);
                        run_line(&run, text);
                        remove_stuck_mpirun();
                        assert_int_equal(run.code, 125);
                        if (!strstr(run.err, said[one]) ||
                            (one && !strstr(run.err, "has not been started by mpirun")))
                                fail_msg("%s: '%s'", test_mpis[i], run.err);
                }
}

/* Open MPI without enough files: its launcher fails, and stays. */
static void test_few_files(void **state)
{
        (void)state;
        static const rlim_t files[] = { 24, 40 };
        struct rlimit before;
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        for (int i = 0; test_mpis[i]; i++)
                for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
                        char text[256];
                        struct rlimit few = { files[k], before.rlim_max };
                        snprintf(text, sizeof(text), "%s --start-s 5 @%s none", options,
                                 test_mpis[i]);
                        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
                        run_begin(&run, text, NULL);
                        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
                        run_wait(&run);
                        if (strcmp(test_mpis[i], "openmpi") == 0)
                                assert_int_not_equal(run.code, 0);
                        if (run.code != 0)
                                assert_non_null(strstr(run.err, "lbrun: "));
                }
}

#ifdef STUCK
/* A rank that does not come out of MPI_Init(), where the others wait for it. */
static void test_stuck_init(void **state)
{
        (void)state;
        setenv("LD_PRELOAD", STUCK, 1);
        setenv("STUCK_IN", "init", 1);
        setenv("STUCK_RANK", "2", 1);
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                snprintf(text, sizeof(text), "%s --start-s 3 @live-%s exit 0", options,
                         test_mpis[i]);
                run_line(&run, text);
                assert_int_equal(run.code, 125);
                if (!strstr(run.err, "lbrun: rank ") ||
                    !strstr(run.err, "not come out of MPI_Init() for "))
                        fail_msg("%s: '%s'", test_mpis[i], run.err);
        }
        unsetenv("LD_PRELOAD");
}
#endif

/* A program that takes its time before MPI is not ended, but named: the others wait for it. */
static void test_late(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char text[256];
                snprintf(text, sizeof(text), "%s --start-s 3 @live-%s late 3 8", options,
                         test_mpis[i]);
                run_line(&run, text);
                assert_int_equal(run.code, 0);
                if (!strstr(run.err, "lbrun: rank 3, ") ||
                    !strstr(run.err, "has not called MPI_Init(), where others wait for it"))
                        fail_msg("%s: '%s'", test_mpis[i], run.err);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_killed_lbrun_stuck_mpirun),
                cmocka_unit_test(test_no_start),
                cmocka_unit_test(test_few_files),
                cmocka_unit_test(test_late),
#ifdef STUCK
                cmocka_unit_test(test_stuck_init),
#endif
        };
        if (!test_mpis[0])
                return 0;
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
