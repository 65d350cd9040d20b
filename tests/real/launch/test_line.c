/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/launch/hosts.h"
#include "real/launch/line.h"
#include "real/launch/proxies.h"

/* A launch line, and what it becomes, with a library l.so and a directory d. Variables: as set, or
 * NULL. */
struct line {
        const char *mpi, *launch[12];
        const char *preload, *list; /* of the user */
        const char *expected;
        const char *preload_after, *list_after;
};

static const char LIST[] = "OMPI_MCA_mca_base_env_list", EXPORTS[] = "SLURM_EXPORT_ENV";

static const struct line lines[] = {
        { "openmpi",
          { "mpirun", "-n", "4", "./app" },
          NULL,
          NULL,
          "mpirun -n 4 ./app",
          NULL,
          "LD_PRELOAD=l.so;LBRUN_MEASURE=d" },
        { "openmpi",
          { "mpirun", "./app" },
          "t.so",
          "A=1",
          "mpirun ./app",
          "t.so",
          "A=1;LD_PRELOAD=l.so:t.so;LBRUN_MEASURE=d" },
        /* the line's list goes before the environment's */
        { "openmpi",
          { "mpirun", "--mca", "mca_base_env_list", "A=1;B", "-mca", "x", "y", "./app", "-x" },
          NULL,
          "C=1",
          "mpirun --mca mca_base_env_list A=1;B;LD_PRELOAD=l.so;LBRUN_MEASURE=d -mca x y ./app -x",
          NULL,
          "C=1" },
        /* what it preloads stays */
        { "openmpi",
          { "mpirun", "--mca", "mca_base_env_list", "A=1;LD_PRELOAD=u.so;B", "./app" },
          NULL,
          NULL,
          "mpirun --mca mca_base_env_list A=1;LD_PRELOAD=l.so:u.so;B;LBRUN_MEASURE=d ./app",
          NULL,
          NULL },
        { "openmpi",
          { "mpirun", "./app" },
          "t.so",
          "LD_PRELOAD=u.so",
          "mpirun ./app",
          "t.so",
          "LD_PRELOAD=l.so:u.so;LBRUN_MEASURE=d" },
        /* Open MPI refuses a list beside -x, which is for one program of several */
        { "openmpi",
          { "mpirun", "-x", "A=1", "./app", ":", "-n", "2", "./other" },
          NULL,
          NULL,
          "mpirun -x LD_PRELOAD=l.so -x LBRUN_MEASURE=d -x A=1 ./app : -x LD_PRELOAD=l.so -x "
          "LBRUN_MEASURE=d -n 2 ./other",
          NULL,
          NULL },
        { "mpich",
          { "mpiexec", "-n", "2", "./app", "-x" },
          "t.so",
          NULL,
          "mpiexec -genv LD_PRELOAD l.so:t.so -genv LBRUN_MEASURE d -n 2 ./app -x",
          "t.so",
          NULL },
        /* what starts the launcher itself */
        { "mpich",
          { "sh", "-c", "mpiexec -n 2 ./app" },
          "t.so",
          NULL,
          "sh -c mpiexec -n 2 ./app",
          "l.so:t.so",
          NULL },
        { "openmpi",
          { "/usr/bin/srun", "-n", "2", "./app", "-x" },
          "t.so",
          NULL,
          "/usr/bin/srun -n 2 ./app -x",
          "l.so:t.so",
          NULL },
        /* what the line preloads itself stays, behind ours */
        { "openmpi",
          { "mpirun", "-x", "LD_PRELOAD=t.so", "-x", "LD_PRELOAD", "./app", "LD_PRELOAD=a" },
          "e.so",
          NULL,
          "mpirun -x LD_PRELOAD=l.so:e.so -x LBRUN_MEASURE=d -x LD_PRELOAD=l.so:t.so -x "
          "LD_PRELOAD=l.so:e.so ./app LD_PRELOAD=a",
          "e.so",
          NULL },
        { "openmpi",
          { "mpirun", "/usr/bin/env", "-u", "A=1", "LD_PRELOAD=", "./app", "LD_PRELOAD=a" },
          NULL,
          NULL,
          "mpirun /usr/bin/env -u A=1 LD_PRELOAD=l.so ./app LD_PRELOAD=a",
          NULL,
          "LD_PRELOAD=l.so;LBRUN_MEASURE=d" },
        { "mpich",
          { "mpiexec", "-genv", "LD_PRELOAD", "t.so", "-env", "LD_PRELOAD", "u.so", "./app" },
          NULL,
          NULL,
          "mpiexec -genv LD_PRELOAD l.so -genv LBRUN_MEASURE d -genv LD_PRELOAD l.so:t.so -env "
          "LD_PRELOAD l.so:u.so ./app",
          NULL,
          NULL },
        { "openmpi",
          { "srun", "--export=ALL,LD_PRELOAD=t.so,A=1", "--export=LD_PRELOADED=1", "./app" },
          NULL,
          NULL,
          "srun --export=ALL,LD_PRELOAD=l.so:t.so,A=1 --export=LD_PRELOADED=1,"
          "LD_PRELOAD,LBRUN_MEASURE,LBRUN_JOB ./app",
          "l.so",
          NULL },
        /* what the program has for arguments is its own */
        { "mpich",
          { "srun", "-n", "2", "--export", "none", "./app", "--export=A", "--export", "B" },
          NULL,
          NULL,
          "srun -n 2 --export LD_PRELOAD,LBRUN_MEASURE,LBRUN_JOB ./app --export=A --export B",
          "l.so",
          NULL },
};

static void set(const char *name, const char *value)
{
        if (value)
                setenv(name, value, 1);
        else
                unsetenv(name);
}

static void assert_variable(const char *name, const char *expected)
{
        const char *value = getenv(name);
        assert_int_equal(value != NULL, expected != NULL);
        if (value)
                assert_string_equal(value, expected);
}

/* The line is handed on as it is, but for what makes its launcher preload. */
static void test_lines(void **state)
{
        (void)state;
        static const struct line_preload preload = { "l.so", { { "LBRUN_MEASURE", "d" } } };
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
                const struct line *line = &lines[i];
                struct words words = { 0 };
                struct lb_error err;
                char text[1024] = "";
                set("LD_PRELOAD", line->preload);
                set(LIST, line->list);
                assert_int_equal(
                    line_make(&words, line->mpi, (char *const *)line->launch, &preload, &err), 0);
                for (size_t k = 0; k < words.count; k++) {
                        strcat(text, k ? " " : "");
                        strcat(text, words.word[k]);
                }
                assert_string_equal(text, line->expected);
                assert_variable("LD_PRELOAD", line->preload_after);
                assert_variable(LIST, line->list_after);
                assert_variable(EXPORTS, NULL);
                words_finish(&words);
        }
        unsetenv("LD_PRELOAD");
}

/* Further variables come the same way. */
static void test_sets(void **state)
{
        (void)state;
        static const struct line_preload preload = { "l.so", { { "LBRUN", "d" }, { "S", "7" } } };
        static const struct {
                const char *mpi;
                char *const launch[5];
                const char *expected, *list_after, *value_after;
        } rows[] = {
                { "openmpi",
                  { "mpirun", "./app" },
                  "mpirun ./app",
                  "LD_PRELOAD=l.so;LBRUN=d;S=7",
                  NULL },
                { "openmpi",
                  { "mpirun", "-x", "A", "./app" },
                  "mpirun -x LD_PRELOAD=l.so -x LBRUN=d -x S=7 -x A ./app",
                  NULL,
                  NULL },
                { "mpich",
                  { "mpirun", "./app" },
                  "mpirun -genv LD_PRELOAD l.so -genv LBRUN d -genv S 7 ./app",
                  NULL,
                  NULL },
                { "mpich",
                  { "srun", "--export=NONE", "./app" },
                  "srun --export=LD_PRELOAD,LBRUN,S,LBRUN_JOB ./app",
                  NULL,
                  "7" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct words words = { 0 };
                struct lb_error err;
                char text[1024] = "";
                set(LIST, NULL);
                assert_int_equal(
                    line_make(&words, rows[i].mpi, (char *const *)rows[i].launch, &preload, &err),
                    0);
                for (size_t k = 0; k < words.count; k++) {
                        strcat(text, k ? " " : "");
                        strcat(text, words.word[k]);
                }
                assert_string_equal(text, rows[i].expected);
                assert_variable(LIST, rows[i].list_after);
                assert_variable("S", rows[i].value_after);
                words_finish(&words);
        }
        set(LIST, NULL);
        set("S", NULL);
        set("LD_PRELOAD", NULL);
}

/* What Slurm lets tasks have of the environment has, for srun, what the ranks need as well. */
static void test_exports(void **state)
{
        (void)state;
        static const struct line_preload preload = { "l.so", { { "LBRUN_MEASURE", "d" } } };
        static const char *const rows[][2] = {
                { "NONE", "LD_PRELOAD,LBRUN_MEASURE,LBRUN_JOB" },
                { "nil", "LD_PRELOAD,LBRUN_MEASURE,LBRUN_JOB" },
                { "", "LD_PRELOAD,LBRUN_MEASURE,LBRUN_JOB" },
                { "PATH,LBRUN_MEASURES=1",
                  "PATH,LBRUN_MEASURES=1,LD_PRELOAD,LBRUN_MEASURE,LBRUN_JOB" },
                { "LD_PRELOAD=t.so,PATH", "LD_PRELOAD=t.so,PATH,LBRUN_MEASURE,LBRUN_JOB" },
                { "A=1,ALL", "A=1,ALL" },
                { "all", "all" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char *const srun[] = { "srun", "./app", NULL }, *const hydra[] = { "mpiexec",
                                                                                   "./app", NULL };
                struct words line = { 0 };
                struct lb_error err;
                set(EXPORTS, rows[i][0]);
                assert_int_equal(line_make(&line, "mpich", hydra, &preload, &err), 0);
                assert_variable(EXPORTS, rows[i][0]);
                words_finish(&line);
                assert_int_equal(line_make(&line, "mpich", srun, &preload, &err), 0);
                assert_variable(EXPORTS, rows[i][1]);
                words_finish(&line);
        }
        set(EXPORTS, NULL);
        set("LD_PRELOAD", NULL);
}

/* What the loader or Open MPI would take apart. */
static void test_refused(void **state)
{
        (void)state;
        static const struct {
                const char *mpi, *library, *value, *expected;
        } cases[] = {
                { "openmpi", "l.so", "a;b", "'a;b': Open MPI's list" },
                { "openmpi", "a;b/l.so", "d", "'a;b/l.so': Open MPI's list" },
                { "openmpi", "a b/l.so", "d", "cannot be preloaded" },
                { "mpich", "a:b/l.so", "d", "cannot be preloaded" },
                { "mpich", "a;b/l.so", "a;b", NULL },
        };
        char *const launch[] = { "mpirun", "./app", NULL };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct words words = { 0 };
                struct lb_error err;
                const struct line_set set = { "LBRUN_MEASURE", cases[i].value };
                const struct line_preload preload = { .library = cases[i].library, .set[0] = set };
                int status = line_make(&words, cases[i].mpi, launch, &preload, &err);
                assert_int_equal(status, cases[i].expected ? -1 : 0);
                if (cases[i].expected)
                        assert_non_null(strstr(err.text, cases[i].expected));
                words_finish(&words);
        }
}

/* The first program, not a file that an option names. */
static void test_program(void **state)
{
        (void)state;
        static const struct {
                char *const launch[7];
                const char *expected;
        } rows[] = {
                { { "mpirun", "-n", "4", "/bin/sh", "/bin/ls" }, "/bin/sh" },
                { { "mpirun", "--oversubscribe", "/bin/sh" }, "/bin/sh" },
                { { "mpirun", "-genv", "LD_PRELOAD", "/bin/ls", "/bin/sh" }, "/bin/sh" },
                { { "mpirun", "--mca", "x", "/bin/ls", "/bin/sh" }, "/bin/sh" },
                { { "mpirun", "-genv", "LD_PRELOAD", "/bin/ls" }, NULL },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char path[PROGRAM_PATH_SIZE];
                bool found = line_program(rows[i].launch, path);
                assert_int_equal(found, rows[i].expected != NULL);
                if (found)
                        assert_string_equal(path, rows[i].expected);
        }
}

/* Of all programs of the line, and not what these have as arguments. */
static void test_ranks(void **state)
{
        (void)state;
        static const struct {
                char *const launch[12];
                int32_t expected;
        } rows[] = {
                { { "mpirun", "-n", "4", "/bin/sh", "-n", "3" }, 4 },
                { { "mpirun", "-np", "1", "/bin/sh", ":", "-np", "2", "/bin/ls", "-n", "9" }, 3 },
                { { "srun", "--ntasks=6", "/bin/sh" }, 6 },
                { { "srun", "-n6", "-N", "2", "/bin/sh" }, 6 },
                { { "mpirun", "/bin/sh", "-n", "3" }, 0 },
                { { "mpirun", "-n", "many", "/bin/sh" }, 0 },
                { { "mpirun", "-n", "-3", "/bin/sh" }, 0 },
                { { "mpirun", "-n", "99999999999999999999", "/bin/sh" }, 0 },
                { { "mpirun", "-n" }, 0 },
                { { "mpirun", "-n", "4", "-H", "a,b", "/bin/sh" }, 0 },
                { { "srun", "--nodelist=a,b", "-n", "4", "/bin/sh" }, 0 },
                { { "mpirun", "-n", "4", "/bin/sh", "-H", "a" }, 4 },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                assert_int_equal(line_ranks(rows[i].launch), rows[i].expected);
}

/* What names its MPI, and what does not. */
static void test_launchers(void **state)
{
        (void)state;
        assert_string_equal(line_mpi_of("/opt/bin/orterun"), "openmpi");
        assert_string_equal(line_mpi_of("mpirun.openmpi"), "openmpi");
        assert_string_equal(line_mpi_of("mpiexec.hydra"), "mpich");
        assert_null(line_mpi_of("srun"));
        assert_null(line_mpi_of("./app"));
        assert_null(line_mpi_of("sh"));
}

/* SIGINT that is sent to us alone comes to the line: it ends by it. Before we pass it on it is
 * ignored here; env(1) lets it in there. */
static void test_interrupt(void **state)
{
        (void)state;
        static const char again[] =
            "i=0; while [ $i -lt 300 ]; do kill -INT $PPID; sleep 0.1; i=$((i+1)); done";
        char *const line[] = { "env", "--default-signal=INT", "sh", "-c", (char *)again, NULL };
        struct lb_error err;
        signal(SIGINT, SIG_IGN);
        assert_int_equal(line_run(line, NULL, &err), 128 + SIGINT);
        signal(SIGINT, SIG_DFL);
}

/* The line's exit code, of a process that leads a session: no shell looks after its group. */
static int code_in_session(char *const *line)
{
        int status = -1;
        struct lb_error err;
        pid_t pid = fork();
        if (pid == 0) {
                setsid();
                _exit(line_run(line, NULL, &err));
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Launchers take more signals than those that end a job (Open MPI's SIGALRM, SIGTSTP and others on
 * request), so they get all. */
static void test_signals(void **state)
{
        (void)state;
        static const char *const names[] = { "ALRM",  "ABRT", "XCPU", "PROF", "VTALRM", "URG", "IO",
                                             "WINCH", "TSTP", "USR1", "USR2", "INT",    "CONT" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                char text[200];
                snprintf(text, sizeof(text),
                         "trap 'exit 7' %s; i=0; while [ $i -lt 300 ]; do kill -%s $PPID; "
                         "sleep 0.1; i=$((i+1)); done",
                         names[i], names[i]);
                char *const line[] = { "sh", "-c", text, NULL };
                print_message("%s\n", names[i]);
                assert_int_equal(code_in_session(line), 7);
        }
}

/* ---- A launcher that waits for a lock that nobody holds ---- */

static void wait_for_ever(void)
{
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        for (;;)
                pthread_mutex_lock(&mutex);
}

static void rest(void)
{
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

/* With a rank that lives it is left alone; without, it is killed. */
static void test_stuck(void **state)
{
        (void)state;
        int told[2];
        pid_t rank = 0;
        assert_int_equal(pipe(told), 0);
        pid_t launcher = fork();
        if (launcher == 0) {
                rank = fork();
                if (rank == 0)
                        for (;;)
                                pause();
                if (write(told[1], &rank, sizeof(rank)) == sizeof(rank))
                        wait_for_ever();
        }
        assert_int_equal(read(told[0], &rank, sizeof(rank)), sizeof(rank));
        for (int i = 0; i < 50; i++) {
                assert_false(line_is_stuck(launcher));
                rest();
        }
        kill(rank, SIGKILL);
        for (int i = 0; i < 3000 && !line_is_stuck(launcher); i++)
                rest();
        assert_true(line_is_stuck(launcher));
        kill(launcher, SIGKILL);
        assert_int_equal(waitpid(launcher, NULL, 0), launcher);
}

static void test_stuck_is_killed(void **state)
{
        char *const line[] = { *state, NULL };
        struct lb_error err;
        assert_int_equal(line_run(line, NULL, &err), 128 + SIGKILL);
}

/* One host, whose ranks run (0) or have ended (1); or not all of them are known (-1). */
static bool find_hosts(void *user, struct hosts *hosts)
{
        int32_t done = *(const int32_t *)user;
        hosts_add(hosts, "n1", done == 0);
        return done >= 0;
}

/* A launcher of MPICH's that has lost what it had started for one node waits for ever where ranks
 * there had not ended; it is left alone where they had, or where that is not known. */
static void test_lost_proxy(void **state)
{
        char *const waits[] = { *state, NULL }, *const ends[] = { *state, "ends", NULL };
        int32_t done = 0;
        struct line_watch watch = { .hosts = find_hosts, .user = &done };
        struct lb_error err;
        assert_int_equal(line_run(waits, &watch, &err), 128 + SIGKILL);
        for (done = -1; done <= 1; done += 2)
                assert_int_equal(line_run(ends, &watch, &err), 3);
}

/* A process that lives until it is killed, and whose command line has a word. */
static pid_t start_for(const char *word)
{
        pid_t pid = fork();
        if (pid == 0) {
                execlp("sh", "sh", "-c", "read x", "agent", word, "proxy", (char *)NULL);
                _exit(1);
        }
        return pid;
}

static const struct proxy *lost_of(struct proxies *proxies, const struct hosts *hosts,
                                   const char **host)
{
        proxies_look(proxies, getpid());
        return proxies_lost(proxies, hosts, host);
}

/* The node is named by what its process was called with; one whose ranks have ended has lost
 * nothing. */
static void test_lost_node(void **state)
{
        (void)state;
        struct hosts hosts = { 0 };
        struct proxies proxies = { 0 };
        const char *host;
        int hold[2];
        while (waitpid(-1, NULL, WNOHANG) > 0) /* of launchers above: they came to us */
                ;
        assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
        assert_int_equal(dup2(hold[0], STDIN_FILENO), STDIN_FILENO);
        const pid_t pid[] = { start_for("n1"), start_for("n2.domain"), start_for("n3") };
        hosts_add(&hosts, "n1.domain", false);
        hosts_add(&hosts, "n2.domain", true);
        hosts_add(&hosts, "n2.domain", false);
        hosts_add(&hosts, "n3", true);
        assert_int_equal(hosts_done(&hosts), 1);
        assert_null(hosts_named(&hosts, "agent n1 n22 n"));
        for (int i = 0; i < 100; i++) { /* until they are what they are called */
                assert_null(lost_of(&proxies, &hosts, &host));
                rest();
        }
        siginfo_t info;
        kill(pid[0], SIGKILL);
        assert_int_equal(waitid(P_PID, (id_t)pid[0], &info, WEXITED | WNOWAIT), 0);
        assert_null(lost_of(&proxies, &hosts, &host));
        kill(pid[1], SIGKILL);
        assert_int_equal(waitid(P_PID, (id_t)pid[1], &info, WEXITED | WNOWAIT), 0);
        const struct proxy *lost = lost_of(&proxies, &hosts, &host);
        assert_non_null(lost);
        assert_int_equal(lost->pid, pid[1]);
        assert_string_equal(host, "n2.domain");
        kill(pid[2], SIGKILL);
        for (int i = 0; i < 3; i++)
                assert_int_equal(waitpid(pid[i], NULL, 0), pid[i]);
        proxies_finish(&proxies);
        hosts_finish(&hosts);
}

/* With a child that has ended; longer than any hang is looked at, or for ever. */
static int launch_as_mpich(bool ends)
{
        if (fork() == 0)
                _exit(0);
        if (!ends)
                wait_for_ever();
        sleep(7);
        return 3;
}

/* Called as a launcher, this program is one that hangs. */
int main(int argc, char **argv)
{
        char folder[] = "/tmp/lbrun-test-XXXXXX", launcher[64], hydra[64];
        if (argc > 0 && strstr(argv[0], "/mpiexec.hydra"))
                return launch_as_mpich(argc > 1);
        if (argc > 0 && strstr(argv[0], "/orterun"))
                wait_for_ever();
        if (!mkdtemp(folder))
                return 1;
        snprintf(launcher, sizeof(launcher), "%s/orterun", folder);
        snprintf(hydra, sizeof(hydra), "%s/mpiexec.hydra", folder);
        if (symlink("/proc/self/exe", launcher) < 0 || /* of who follows it */
            symlink("/proc/self/exe", hydra) < 0)
                return 1;
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lines),
                cmocka_unit_test(test_sets),
                cmocka_unit_test(test_exports),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_program),
                cmocka_unit_test(test_ranks),
                cmocka_unit_test(test_launchers),
                cmocka_unit_test(test_interrupt),
                cmocka_unit_test(test_signals),
                cmocka_unit_test(test_stuck),
                cmocka_unit_test_prestate(test_stuck_is_killed, launcher),
                cmocka_unit_test_prestate(test_lost_proxy, hydra),
                cmocka_unit_test(test_lost_node),
        };
        int failed = cmocka_run_group_tests(tests, NULL, NULL);
        unlink(launcher);
        unlink(hydra);
        rmdir(folder);
        return failed;
}
