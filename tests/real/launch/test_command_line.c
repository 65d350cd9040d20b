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

static struct run run;

/* A wrong command line ends with 2 and a message that says what is allowed; nothing is started. */
static void test_wrong(void **state)
{
        (void)state;
        static const struct {
                const char *line, *message;
        } rows[] = {
                { "", "no program is given, allowed is lbrun [options] -- PROGRAM" },
                { "--nodes 2 --cores 4 --", "no program is given" },
                { "--nodez 2 -- x", "unknown option '--nodez', did you mean '--nodes'?" },
                { "-n 2 x", "unknown option '-n'" },
                { "--nodes", "'--nodes' needs a value" },
                { "--nodes 0 -- x",
                  "--nodes: found '0', allowed is a whole number from 1 to 4096" },
                { "--nodes -3 -- x", "--nodes: found '-3'" },
                { "--nodes 2.5 -- x", "--nodes: found '2.5'" },
                { "--nodes 99999999999999999999 -- x", "--nodes: found '9999" },
                { "--nodes 2 -- x", "--cores is needed" },
                { "--cores x -- x", "--cores: found 'x'" },
                { "--lewi yes -- x", "--lewi: found 'yes', allowed is one of off, on" },
                { "--drom 1 -- x", "--drom: found '1', allowed is one of off, on" },
                { "--lewi on --system baseline -- x", "--lewi: system baseline has none" },
                { "--system dpb -- x", "--system dpb: 'x' is no launcher" },
                { "--system dpb -- mpirun.nowhere -n 2 x",
                  "program 'mpirun.nowhere' is not found on PATH" },
                { "--system dlb -- env A=1 mpirun.openmpi -n 2 x",
                  "(what is before 'mpirun.openmpi' belongs before lbrun)" },
                { "-- /usr/bin/time mpirun.mpich -n 2 x",
                  "(what is before 'mpirun.mpich' belongs before lbrun)" },
                { "--system dynamic --cores-by dlb -- x",
                  "cores_by: found dlb, allowed is builtin" },
                { "--system dynamic --param system.start_s=1 -- x", "unknown parameter" },
                { "--system lp -- x", "--system: found 'lp', allowed is one of baseline, dlb, " },
                { "--cores-by brick -- x",
                  "--cores-by: runtime.cores_by: found 'brick', allowed is one of builtin" },
                { "--load sun -- x", "--load: runtime.load: found 'sun', allowed is one of wall" },
                { "--seed -1 -- x", "--seed: graph.seed: found -1" },
                { "--param poll_s=0 -- x", "--param: poll_s: found 0, allowed is a number from" },
                { "--param pole=1 -- x", "--param: unknown parameter 'pole'" },
                { "--param solver=lp -- x", "needs GLPK, which is under the GPL" },
                { "--mpi lam -- x", "--mpi: found 'lam', allowed is one of auto, openmpi, mpich" },
                { "--quiet=yes -- x", "'--quiet' takes no value" },
                { "--virtual --hostfile f -- x", "--virtual does not go with --hostfile" },
                { "--hostfile none -- x", "host file 'none' cannot be read: No such file" },
                { "--graph none -- x", "--graph: cannot read 'none': No such file" },
                { "--graph '' -- x", "--graph: found a name of 0 bytes" },
                { "--system dlb --graph none -- x", "--graph: system dlb does not offload" },
                { "--nodes 2 --cores 8 --degree 3 -- x", "--degree: found 3, allowed is 1 to 2" },
                { "--nodes 2 --cores 1 --degree 2 --lewi off -- x",
                  "node 0 has 1 cores for 2 workers, each must own" },
                { "--nodes 2 --cores 1 --degree 2 --param talk_only=never -- x",
                  "node 0 has 1 cores for 2 workers, each must own" },
                { "--nodes 2 --cores 1 --degree 2 --cores-by dlb -- x",
                  "cores_by: found 'dlb', allowed is builtin where helpers own no core "
                  "(talk_only): node 1 has 1 core for 2 workers" },
                { "--nodes 2 --cores 3 --appranks-per-node 4 -- x",
                  "node 0 has 3 cores for 4 appranks, each must own at least one: lower the" },
                { "--nodes 2 --cores 9 --speed 2:1 -- x", "--speed: found '2:1', allowed is NODE" },
                { "--nodes 2 --cores 9 --speed 1 -- x", "--speed: found '1'" },
                { "--nodes 2 --cores 9 --speed 1:0 -- x", "--speed: found 0, allowed is a number" },
                { "--report /none/r -- x", "--report: cannot write '/none/r': No such file" },
                { "--report /proc/x -- x", "--report: cannot write '/proc/x': No such file" },
                { "--html /proc/x -- x", "--html: cannot write '/proc/x': No such file" },
                { "--fill true -- x", "--fill is for a launch line and --system packing" },
                { "--html p --report p -- x", "--html and --report: both are 'p'" },
                { "--loads none/l -- x", "--loads: cannot write '/" },
                { "--report /tmp -- x", "--report: cannot write '/tmp': Is a directory" },
                { "--trace t.csv -- x", "--trace: trace 't.csv': allowed are names that end in" },
                { "--trace t -- x", "--trace: trace 't': allowed are names that end in .prv" },
                { "--report a.json --trace a.json -- x",
                  "--trace and --report: both are 'a.json'" },
                { "--report x -- ./x", "the command line's file and --report: both are 'x'" },
                { "--system dpb --report x -- mpirun -n 2 ./x", "file and --report: both are 'x'" },
                { "--hostfile h --loads ./h -- x", "--hostfile and --loads: both are './h'" },
                { "--nodes 2 --cores 9 --decisions d --loads d.1 -- x",
                  "--decisions and --loads: both w" },
                { "--report a.row --trace a.prv -- x", "--trace and --report: both write '/" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                run_line(&run, rows[i].line);
                if (run.code != 2 || !strstr(run.err, rows[i].message))
                        fail_msg("'%s': code %d, '%s' lacks '%s'", rows[i].line, run.code, run.err,
                                 rows[i].message);
                assert_int_equal(strncmp(run.err, "lbrun: ", 7), 0);
                assert_string_equal(run.out, "");
        }
}

/* A program that is not there or is none: 127 and 126, as env(1). */
static void test_no_program(void **state)
{
        (void)state;
        run_line(&run, "-- ./no-such-program");
        assert_int_equal(run.code, 127);
        assert_non_null(strstr(run.err, "lbrun: program './no-such-program' cannot be found"));
        run_line(&run, "dcotor x");
        assert_int_equal(run.code, 127);
        assert_non_null(
            strstr(run.err, "'dcotor' is not found on PATH; did you mean 'lbrun doctor'"));
        run_line(&run, "/bin/true");
        assert_int_equal(run.code, 126);
        assert_non_null(strstr(run.err, "is not built for the runtime"));
}

/* Options after the program are the program's. */
static void test_arguments_end(void **state)
{
        (void)state;
        char line[256];
        snprintf(line, sizeof(line), "--cores 2 --dry-run @%s --nodes none 'a b'", test_mpis[0]);
        run_line(&run, line);
        assert_int_equal(run.code, 0);
        assert_non_null(strstr(run.out, " --nodes none 'a b'\n"));
}

/* The program's MPI is asked for, and its mpirun must be there. */
static void test_mpi(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char line[256], message[128];
                const char *other = strcmp(test_mpis[i], "mpich") == 0 ? "openmpi" : "mpich";
                snprintf(line, sizeof(line), "--cores 2 --mpi %s @%s", other, test_mpis[i]);
                run_line(&run, line);
                assert_int_equal(run.code, 2);
                snprintf(message, sizeof(message), "is built for %s, found %s", test_mpis[i],
                         other);
                assert_non_null(strstr(run.err, message));

                char *before = strdup(getenv("PATH"));
                setenv("PATH", "/nowhere", 1);
                snprintf(line, sizeof(line), "--cores 2 @%s", test_mpis[i]);
                run_line(&run, line);
                setenv("PATH", before, 1);
                free(before);
                assert_int_equal(run.code, 125);
                snprintf(message, sizeof(message), "neither 'mpirun.%s' nor an mpirun of",
                         test_mpis[i]);
                assert_non_null(strstr(run.err, message));
        }
}

/* The word that both mpiruns would take for their own. */
static void test_colon(void **state)
{
        (void)state;
        char line[256];
        snprintf(line, sizeof(line), "--cores 2 @%s a : b", test_mpis[0]);
        run_line(&run, line);
        assert_int_equal(run.code, 2);
        assert_non_null(strstr(run.err, "argument ':' cannot be passed on"));
}

/* The whole output of a dry run, and that it runs nothing. */
static void test_dry_run(void **state)
{
        (void)state;
        static const char map[] =
            "system local, LeWI on, DROM off: 4 appranks on 2 virtual nodes of 9 cores, degree 2, "
            "8 ranks\n"
            "\n"
            "  rank  apprank   node  host     role    cores\n"
            "     0        0      0  virtual  home        3\n"
            "     1        1      0  virtual  home        4\n"
            "     2        2      0  virtual  helper      1\n"
            "     3        3      0  virtual  helper      1\n"
            "     4        0      1  virtual  helper      1\n"
            "     5        1      1  virtual  helper      1\n"
            "     6        2      1  virtual  home        3\n"
            "     7        3      1  virtual  home        4\n"
            "\n"
            "LBRUN_JOB='version=5 id=dry-run system=local lewi=true drom=false virtual=true "
            "bound=false "
            "nodes=2 "
            "appranks=4 degree=2 ";
        static const struct {
                const char *mpi, *command;
        } commands[] = {
                { "openmpi", "mpirun.openmpi --oversubscribe --bind-to none --mca "
                             "mpi_yield_when_idle 1 --mca orte_forward_job_control 1 --mca "
                             "opal_signal '' -x LBRUN_JOB --host localhost:8 -np 8 " },
                { "mpich", "mpirun.mpich -launcher fork -hosts localhost -n 8 " },
        };
        for (int i = 0; test_mpis[i]; i++) {
                char line[256], command[1024];
                snprintf(line, sizeof(line),
                         "--nodes 2 --cores 9 --appranks-per-node 2 --degree 2 --system local "
                         "--drom off --dry-run -- @%s one 'two three'",
                         test_mpis[i]);
                run_line(&run, line);
                assert_int_equal(run.code, 0);
                run.out[strlen(map)] = '\0';
                assert_string_equal(run.out, map);
                assert_non_null(strstr(run.err, "lbrun: 2 virtual nodes of 9 cores, all on this"));
                int which = strcmp(commands[0].mpi, test_mpis[i]) == 0 ? 0 : 1;
                snprintf(command, sizeof(command),
                         "graph=0,1/0,1/1,0/1,0' \\\n"
                         "%s%s --keep %s/probe-%s one 'two three'\n",
                         commands[which].command, LBRUN, PROBES, test_mpis[i]);
                run_read(&run);
                const char *rest = strstr(run.out, "graph=0,1/");
                assert_non_null(rest);
                assert_string_equal(rest, command);
        }
}

/* Hosts are in the map and in the command, in order, each with its ranks. */
static void test_dry_run_hosts(void **state)
{
        (void)state;
        FILE *hosts = fopen("hosts", "w");
        assert_non_null(hosts);
        fputs("b slots=4\na:4", hosts);
        fclose(hosts);
        for (int i = 0; test_mpis[i]; i++) {
                char line[256], command[1024];
                snprintf(line, sizeof(line), "--hostfile hosts --degree 2 --dry-run --quiet @%s x",
                         test_mpis[i]);
                run_line(&run, line);
                assert_int_equal(run.code, 0);
                assert_string_equal(run.err, "");
                assert_non_null(strstr(run.out, "2 appranks on 2 nodes of 4 cores"));
                assert_non_null(
                    strstr(run.out, "     3        1      1  a        home        3\n"));
                if (strcmp(test_mpis[i], "mpich") == 0)
                        snprintf(command, sizeof(command), "\nmpirun.mpich -hosts b:2,a:2 -n 4 ");
                else
                        snprintf(command, sizeof(command),
                                 " -x LBRUN_JOB --host b:2 -np 2 %s --keep %s/probe-openmpi x : "
                                 "-x LBRUN_JOB --host a:2 -np 2 %s --keep %s/probe-openmpi x\n",
                                 LBRUN, PROBES, LBRUN, PROBES);
                assert_non_null(strstr(run.out, command));
        }
}

/* Slurm's srun in an allocation: as many ranks a node as it has workers, node by node. */
static void test_dry_run_srun(void **state)
{
        (void)state;
        static const struct {
                const char *nodes, *cpus, *options, *command;
        } rows[] = {
                { "n[1-2]", "4(x2)", "--degree 2",
                  "-N 2 -n 4 -m block --ntasks-per-node=2 -w n1,n2 " },
                { "n[1-2]", "4(x2)", "--graph graph.json", "-N 2 -n 3 -m arbitrary -w n1,n2,n2 " },
        };
        FILE *graph = fopen("graph.json", "w");
        fputs("{\"appranks\": 2, \"nodes\": 2, \"degree\": 2, \"graph\": [[0, 1], [1]]}", graph);
        fclose(graph);
        FILE *srun = fopen("srun", "w");
        assert_true(srun && fchmod(fileno(srun), 0755) == 0);
        fclose(srun);
        char *path = strdup(getenv("PATH")), with[8192];
        snprintf(with, sizeof(with), ".:%s", path);
        for (size_t i = 0; i < 4 && test_mpis[i / 2]; i++) {
                const char *mpi = test_mpis[i / 2];
                char line[256];
                setenv("SLURM_JOB_NODELIST", rows[i % 2].nodes, 1);
                setenv("SLURM_JOB_CPUS_PER_NODE", rows[i % 2].cpus, 1);
                setenv("SLURM_JOB_ID", "7", 1);
                setenv("PATH", with, 1);
                snprintf(line, sizeof(line),
                         "--launcher srun %s --dry-run @%s x :", rows[i % 2].options, mpi);
                run_line(&run, line);
                bool open = strcmp(mpi, "openmpi") == 0;
                assert_non_null(
                    strstr(run.out, open ? "\nsrun --mpi=pmix " : "\nsrun --mpi=pmi2 "));
                assert_true(!strstr(run.out, "OMPI_MCA_opal_signal=") == !open);
                if (!strstr(run.out, rows[i % 2].command))
                        fail_msg("%s: no '%s' in %s%s", line, rows[i % 2].command, run.out,
                                 run.err);
                unsetenv("SLURM_JOB_ID"); /* what is no allocation has none */
                run_line(&run, line);
                assert_int_equal(run.code, 2);
                assert_non_null(strstr(run.err, "--launcher: srun is for an allocation of Slurm"));
        }
        unsetenv("SLURM_JOB_NODELIST");
        unsetenv("SLURM_JOB_CPUS_PER_NODE");
        setenv("PATH", path, 1);
        free(path);
        unlink("srun");
}

static void write_graph(const char *text)
{
        FILE *out = fopen("graph.json", "w");
        assert_non_null(out);
        fputs(text, out);
        fclose(out);
}

/* A graph file gives sizes that are not asked for, and must fit those that are. */
static void test_graph_file(void **state)
{
        (void)state;
        static const struct {
                const char *options, *text;
                int code;
        } rows[] = {
                { "--cores 4", "2 appranks on 2 virtual nodes of 4 cores, degree 2, 4 ranks", 0 },
                { "--cores 4 --nodes 2 --degree 2", "graph=0,1/1,0", 0 },
                { "--cores 4 --nodes 3", "is for 2 nodes and 2 appranks, this job has 3 and 3", 2 },
                { "--cores 4 --appranks-per-node 2", "this job has 2 and 4", 2 },
                { "--cores 4 --degree 1", "is of degree 2, --degree is 1", 2 },
                { "--cores 1", "graph=0,1/1,0", 0 }, /* helpers are talk-only */
                { "--cores 1 --lewi off", "node 0 has 1 cores for 2 workers", 2 },
        };
        write_graph("{\"appranks\": 2, \"nodes\": 2, \"degree\": 2, \"graph\": [[0, 1], [1, 0]]}");
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char line[256];
                snprintf(line, sizeof(line), "--graph graph.json %s --dry-run @%s", rows[i].options,
                         test_mpis[0]);
                run_line(&run, line);
                const char *text = rows[i].code ? run.err : run.out;
                if (run.code != rows[i].code || !strstr(text, rows[i].text))
                        fail_msg("'%s': code %d, '%s' lacks '%s'", line, run.code, text,
                                 rows[i].text);
        }
        write_graph("{\"appranks\": 2, \"nodes\": 2, \"degree\": 2, \"graph\": [[0, 1], [0, 1]]}");
        run_line(&run, "--graph graph.json --cores 4 x");
        assert_int_equal(run.code, 2);
        assert_non_null(strstr(run.err, "graph.json"));
}

/* Systems that do not offload have no helpers, which is said where a degree was given. */
static void test_no_offloading(void **state)
{
        (void)state;
        char line[256];
        snprintf(line, sizeof(line),
                 "--system baseline --nodes 3 --cores 4 --degree 2 --dry-run @%s", test_mpis[0]);
        run_line(&run, line);
        assert_int_equal(run.code, 0);
        assert_non_null(strstr(run.err, "system baseline does not offload: it runs at degree 1"));
        assert_non_null(strstr(run.out, "degree 1, 3 ranks"));
        assert_non_null(strstr(run.out, "graph=0/1/2"));
        snprintf(line, sizeof(line),
                 "--system chameleon --nodes 3 --cores 4 --degree 2 --dry-run @%s", test_mpis[0]);
        run_line(&run, line);
        assert_int_equal(run.code, 0);
        assert_non_null(strstr(run.err,
                               "system chameleon has no helper ranks, any rank takes tasks "
                               "of any other: --degree means nothing"));
        assert_null(strstr(run.err, "does not offload"));
}

/* More ranks that migrate tasks than there can be: refused before any of them starts. */
static void test_too_many_migrants(void **state)
{
        (void)state;
        static const struct {
                int nodes, code;
                const char *text;
        } rows[] = {
                { 1024, 0, "1024 appranks" },
                { 1025, 2, "found 1025 appranks that migrate tasks, allowed are at most 1024" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char line[256];
                snprintf(line, sizeof(line),
                         "--system chameleon --nodes %d --cores 1 --dry-run @%s", rows[i].nodes,
                         test_mpis[0]);
                run_line(&run, line);
                assert_int_equal(run.code, rows[i].code);
                assert_non_null(strstr(run.code ? run.err : run.out, rows[i].text));
        }
}

/* What a host file says of this machine is held against it before anything starts. */
static void test_too_many_cores(void **state)
{
        (void)state;
        char line[256];
        FILE *hosts = fopen("hosts", "w");
        assert_non_null(hosts);
        fputs("# here\nlocalhost:4096\n", hosts);
        fclose(hosts);
        for (int i = 0; test_mpis[i]; i++) {
                snprintf(line, sizeof(line), "--hostfile hosts @%s x", test_mpis[i]);
                run_line(&run, line);
                assert_int_equal(run.code, 2);
                assert_non_null(strstr(run.err,
                                       "hosts:2: host 'localhost' has 4096 cores for the "
                                       "job, and is this machine, of which lbrun may use "));
        }
}

/* What lbrun starts in place of ranks is of no use to others. */
static void test_keeper_alone(void **state)
{
        (void)state;
        run_line(&run, "--keep /bin/true");
        assert_int_equal(run.code, 125);
        assert_non_null(strstr(run.err, "lbrun: --keep is for ranks that lbrun starts"));
        run_line(&run, "--keep");
        assert_int_equal(run.code, 2);
}

/* Help and parameters go to standard output, and name what they must. */
static void test_help(void **state)
{
        (void)state;
        run_line(&run, "--help");
        assert_int_equal(run.code, 0);
        assert_string_equal(run.err, "");
        assert_non_null(strstr(run.out, "Usage: lbrun [OPTION]... -- PROGRAM"));
        assert_non_null(strstr(run.out, "baseline"));
        run_line(&run, "params");
        assert_int_equal(run.code, 0);
        assert_non_null(strstr(run.out, "\n  runtime.poll_s\n"));
        assert_non_null(strstr(run.out, "\n  system.local_average_s\n"));
        run_line(&run, "--version");
        assert_int_equal(run.code, 0);
        assert_int_equal(strncmp(run.out, "lbrun ", 6), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_wrong),
                cmocka_unit_test(test_no_program),
                cmocka_unit_test(test_arguments_end),
                cmocka_unit_test(test_mpi),
                cmocka_unit_test(test_colon),
                cmocka_unit_test(test_dry_run),
                cmocka_unit_test(test_dry_run_hosts),
                cmocka_unit_test(test_dry_run_srun),
                cmocka_unit_test(test_graph_file),
                cmocka_unit_test(test_no_offloading),
                cmocka_unit_test(test_too_many_migrants),
                cmocka_unit_test(test_too_many_cores),
                cmocka_unit_test(test_keeper_alone),
                cmocka_unit_test(test_help),
        };
        if (!test_mpis[0])
                return 0;
        unsetenv("LBRUN_DLB_LIB"); /* it is passed on */
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
