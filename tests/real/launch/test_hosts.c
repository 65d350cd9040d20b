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

#include "launch_test.h"

/*
 * Several machines, played by this one: a remote shell that runs the command here, in a namespace
 * with the other machine's host name. Skipped where a user may not make one.
 */
static struct run run;

static const char shell[] =
    "#!/bin/sh\n"
    "while [ $# -gt 0 ]; do case $1 in -*) shift ;; *) host=$1; shift; break ;; esac; done\n"
    "exec unshare --uts sh -c \"hostname $host; exec sh -c \\\"\\$0\\\"\" \"$*\"\n";

static int setup(void **state)
{
        test_setup(state);
        FILE *out = fopen("remote-shell", "w");
        if (!out)
                return -1;
        fputs(shell, out);
        fclose(out);
        return chmod("remote-shell", 0755);
}

static bool can_play(void)
{
        return system("unshare --uts hostname other 2>/dev/null") == 0;
}

static void start(const char *mpi, const char *options)
{
        char line[1024], directory[512];
        assert_non_null(getcwd(directory, sizeof(directory)));
        if (strcmp(mpi, "mpich") == 0)
                snprintf(line, sizeof(line),
                         "%s --mpi-option -launcher-exec --mpi-option %s/remote-shell @%s none",
                         options, directory, mpi);
        else
                snprintf(line, sizeof(line),
                         "%s --mpi-option --mca --mpi-option plm_rsh_agent --mpi-option "
                         "%s/remote-shell @%s none",
                         options, directory, mpi);
        run_line(&run, line);
        if (run.code != 0)
                fail_msg("%s: code %d\n%s", mpi, run.code, run.err);
}

/* Every rank runs on the host of its node; nodes are not virtual. */
static void check_hosts(const char *const *host)
{
        struct rank_line line[TEST_WORD_MAX];
        struct job *job = run_job(&run);
        assert_false(job->virtual_nodes);
        int32_t count = run_ranks(&run, line, TEST_WORD_MAX);
        for (int32_t i = 0; i < count; i++) {
                int32_t node = job->shape.worker_node[job->rank_worker[line[i].rank]];
                assert_string_equal(line[i].host, host[node]);
        }
        job_destroy(job);
}

/* Ranks of a host file's hosts, in its order, also where that is not the alphabet's. */
static void test_hostfile(void **state)
{
        (void)state;
        static const char *const hosts[] = { "zeta", "alpha", "mid" };
        if (!can_play())
                skip();
        FILE *out = fopen("hosts", "w");
        assert_non_null(out);
        fputs("zeta slots=4\nalpha:4\nmid slots=4", out);
        fclose(out);
        for (int i = 0; test_mpis[i]; i++) {
                start(test_mpis[i], "--hostfile hosts --degree 2");
                check_hosts(hosts);
        }
}

/* A Slurm allocation's hosts, as lbrun reads them. Open MPI would start its own daemons by srun. */
static void test_slurm(void **state)
{
        (void)state;
        static const char *const hosts[] = { "n08", "n09", "n10" };
        if (!can_play())
                skip();
        for (int i = 0; test_mpis[i]; i++) {
                setenv("SLURM_JOB_NODELIST", "n[08-10]", 1);
                setenv("SLURM_JOB_CPUS_PER_NODE", "6(x2),4", 1);
                start(test_mpis[i], "--degree 2 --appranks-per-node 2");
                test_setup(NULL);
                assert_non_null(strstr(run.err, "nodes have 4 to 6 cores"));
                check_hosts(hosts);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_hostfile),
                cmocka_unit_test(test_slurm),
        };
        if (!test_mpis[0])
                return 0;
        return cmocka_run_group_tests(tests, setup, NULL);
}
