/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of lbrun that need no MPI and no job: words, claims on files, processes under this one
 * and of a job, the janitor, what goes through lbrun to its standard output. Processes sleep, and
 * hold the end of a pipe, so that the test reads of their end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real/launch/claim.h"
#include "real/launch/debris.h"
#include "real/launch/family.h"
#include "real/launch/janitor.h"
#include "real/launch/obituary.h"
#include "real/launch/outlet.h"
#include "real/launch/words.h"

enum { PATIENCE_S = 60 };

/* The real-time clock is ahead of the kernel's, which so has been set back since it was read. */
static time_t ahead_s;
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
        int code = __real_clock_gettime(clock, time);
        if (clock == CLOCK_REALTIME)
                time->tv_sec += ahead_s;
        return code;
}

/* ---- Words ---- */

static void test_words(void **state)
{
        (void)state;
        static const struct {
                const char *word, *shell;
        } rows[] = {
                { "mpirun", "mpirun" },         { "-x", "-x" },           { "", "''" },
                { "two words", "'two words'" }, { "it's", "'it'\\''s'" }, { "a=$b", "'a=$b'" },
                { "node[1]:4", "'node[1]:4'" }, { "100%", "100%" },
        };
        struct words words = { 0 };
        char expected[256] = "", text[256] = "";
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                words_add(&words, rows[i].word);
                strcat(strcat(expected, i > 0 ? " " : ""), rows[i].shell);
        }
        words_add_format(&words, "%s:%d", "host", 12);
        strcat(expected, " host:12");
        for (int i = 0; i < 100; i++) /* it grows */
                words_add_format(&words, "%d", i);
        assert_false(words.failed);
        assert_int_equal(words.count, sizeof(rows) / sizeof(rows[0]) + 101);
        assert_null(words.word[words.count]);
        assert_string_equal(words.word[words.count - 1], "99");
        free(words.word[9]);
        words.word[9] = NULL; /* up to there */
        FILE *out = fmemopen(text, sizeof(text), "w");
        words_print_shell(words.word, out);
        fclose(out);
        assert_string_equal(text, expected);
        words_finish(&words);
        assert_int_equal(words.count, 0);
}

/* ---- Claims ---- */

/* By the file, whatever it is called; another name, or folder, is another file. */
static void test_claim(void **state)
{
        (void)state;
        struct lb_error err;
        char host[64] = "", expected[200];
        gethostname(host, sizeof(host) - 1);
        mkdir("folder", 0700);
        setenv("PBS_JOBID", "31[2].pbs", 1);
        struct claim *claim = claim_create("report.json", &err);
        unsetenv("PBS_JOBID");
        assert_non_null(claim);
        assert_null(claim_create("report.json", &err));
        snprintf(expected, sizeof(expected),
                 "another job is writing 'report.json': process %ld on host %s, batch job "
                 "31[2].pbs",
                 (long)getpid(), host);
        assert_string_equal(err.text, expected);
        assert_null(claim_create("./report.json", &err));
        assert_null(claim_create("folder/../report.json", &err));
        static const char *const others[] = { "report.csv", "folder/report.json",
                                              "nowhere/report.json" };
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
                struct claim *other = claim_create(others[i], &err);
                assert_non_null(other);
                claim_destroy(other);
        }
        claim_destroy(claim);
        claim = claim_create("report.json", &err); /* it is free again */
        assert_non_null(claim);
        claim_destroy(claim);
        assert_int_equal(access(".lbrun-report.json", F_OK), -1);
        claim_destroy(NULL);
}

/* A file system that has no locks, such as NFS without its daemon. */
static bool no_locks;

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

int __wrap_fcntl(int fd, int command, ...)
{
        va_list list;
        va_start(list, command);
        void *argument = va_arg(list, void *);
        va_end(list);
        if (!no_locks || command != F_OFD_SETLK)
                return __real_fcntl(fd, command, argument);
        errno = ENOLCK;
        return -1;
}

/* The lock of a job, with what it says: of another machine, for the socket knows of none. */
static int leave_claim(const char *text, bool locked)
{
        struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        int fd = open(".lbrun-far", O_RDWR | O_CREAT | O_TRUNC, 0600);
        assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
        if (locked)
                assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
        return fd;
}

/* A job of another machine is named, and what one that was killed has left is taken over; but where
 * there are no locks, what another machine left cannot be told from what it holds. */
static void test_claim_far(void **state)
{
        (void)state;
        static const char remove_it[] = "; its file system has no locks between machines: if that "
                                        "job is gone, remove './.lbrun-far'";
        char host[64] = "", own[200];
        gethostname(host, sizeof(host) - 1);
        snprintf(own, sizeof(own), "%s 4321 -\n", host);
        const struct {
                const char *text;
                bool locked, none; /* of locks */
                const char *said;  /* NULL: it is taken */
                bool by_hand;
        } rows[] = {
                { "n7 4321 99\n", true, false, ": process 4321 on host n7, batch job 99", false },
                { "n7 4321 -\n", true, false, ": process 4321 on host n7", false },
                { "", true, false, "", false },
                { "\033[2J 1 \001\n", true, false, "", false },
                { "n7 4321 99\n", false, false, NULL, false },
                { "n7 4321 99\n", false, true, ": process 4321 on host n7, batch job 99", true },
                { "", false, true, "", true },
                { own, false, true, NULL, false },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err;
                char expected[400];
                int fd = leave_claim(rows[i].text, rows[i].locked);
                no_locks = rows[i].none;
                struct claim *claim = claim_create("far", &err);
                no_locks = false;
                assert_int_equal(claim == NULL, rows[i].said != NULL);
                snprintf(expected, sizeof(expected), "another job is writing 'far'%s%s",
                         rows[i].said ? rows[i].said : "", rows[i].by_hand ? remove_it : "");
                if (!claim)
                        assert_string_equal(err.text, expected);
                claim_destroy(claim);
                close(fd);
                assert_int_equal(access(".lbrun-far", F_OK), claim ? -1 : 0);
                unlink(".lbrun-far");
        }
}

/* ---- Processes ---- */

/* A sleeping process, under this one or, `away`, no longer; it holds `end`, and ends by itself. */
static pid_t sleeper(int end, const char *job, bool away)
{
        int told[2];
        pid_t pid;
        assert_int_equal(pipe(told), 0);
        pid_t first = fork();
        if (first == 0) {
                pid = away ? fork() : 0;
                if (pid == 0) {
                        if (away)
                                setsid();
                        pid = getpid();
                        if (write(told[1], &pid, sizeof(pid)) < 0)
                                _exit(1);
                        close(told[0]);
                        close(told[1]);
                        fcntl(end, F_SETFD, 0);
                        char *const none[] = { NULL }, *const its[] = { (char *)(uintptr_t)job,
                                                                        NULL };
                        execle("/bin/sleep", "sleep", "100", (char *)NULL, job ? its : none);
                }
                _exit(0);
        }
        close(told[1]);
        assert_int_equal(read(told[0], &pid, sizeof(pid)), sizeof(pid));
        /* the pipe is closed by execle() or before: it has its environment */
        char byte;
        assert_int_equal(read(told[0], &byte, 1), 0);
        close(told[0]);
        if (away)
                waitpid(first, NULL, 0);
        return pid;
}

/* A pipe whose ends no child has but by sleeper(). */
static void make_pipe(int ends[2])
{
        assert_int_equal(pipe(ends), 0);
        for (int i = 0; i < 2; i++)
                fcntl(ends[i], F_SETFD, FD_CLOEXEC);
}

/* Until all sleepers with the pipe are gone. */
static void wait_for_end(int ends[2])
{
        char byte;
        close(ends[1]);
        alarm(PATIENCE_S);
        assert_int_equal(read(ends[0], &byte, 1), 0);
        alarm(0);
        close(ends[0]);
}

/* How many are left of a job: who closes its files as it dies is dead a little later. */
static int32_t left_of(const char *job)
{
        const struct timespec pause = { .tv_nsec = 10000000 };
        int32_t count = family_signal_job(job, 0);
        for (int i = 0; count > 0 && i < PATIENCE_S * 100; i++) {
                nanosleep(&pause, NULL);
                count = family_signal_job(job, 0);
        }
        return count;
}

/* Of a job are those that have it in their environment, wherever they are, and no others. */
static void test_family_of_job(void **state)
{
        (void)state;
        char job[64], text[128], other[128];
        int ends[2], others[2];
        snprintf(job, sizeof(job), "parts-%d", (int)getpid());
        snprintf(text, sizeof(text), "LBRUN_JOB=lbrun id=%s nodes=1", job);
        snprintf(other, sizeof(other), "LBRUN_JOB=lbrun id=%s0 nodes=1", job);
        make_pipe(ends);
        make_pipe(others);
        assert_int_equal(family_signal_job(job, 0), 0);
        sleeper(ends[1], text, false);
        sleeper(ends[1], text, true);
        pid_t left = sleeper(others[1], other, true);
        assert_int_equal(family_signal_job(job, 0), 2);
        assert_int_equal(family_signal_job(job, SIGKILL), 2);
        wait_for_end(ends);
        assert_int_equal(kill(left, 0), 0);
        assert_int_equal(left_of(job), 0); /* the dead do not count */
        kill(left, SIGKILL);
        wait_for_end(others);
        family_end();
}

/* What the ranks have left behind, but not the launcher's daemon, which has the job as well. */
static void test_family_left(void **state)
{
        (void)state;
        char job[64], text[128];
        int ends[2], others[2];
        snprintf(job, sizeof(job), "parts-%d", (int)getpid());
        snprintf(text, sizeof(text), "LBRUN_JOB=lbrun id=%s nodes=1", job);
        make_pipe(ends);
        make_pipe(others);
        pid_t daemon = sleeper(others[1], text, true);
        sleeper(ends[1], text, true);
        sleeper(ends[1], text, true);
        const struct timespec pause = { .tv_nsec = 10000000 };
        while (family_signal_job(job, 0) < 3) /* its environment is there a little after exec() */
                nanosleep(&pause, NULL);
        assert_int_equal(family_kill_left(job, daemon), 2);
        wait_for_end(ends);
        assert_int_equal(kill(daemon, 0), 0);
        assert_int_equal(family_kill_left(job, daemon), 0);
        kill(daemon, SIGKILL);
        wait_for_end(others);
        family_end();
}

static void test_family(void **state)
{
        (void)state;
        struct lb_error err;
        int ends[2];
        assert_int_equal(family_adopt(&err), 0);
        assert_int_equal(family_end(), 0); /* nobody is there */

        make_pipe(ends);
        sleeper(ends[1], NULL, false);
        sleeper(ends[1], NULL, true); /* its parent is gone: it is ours */
        family_signal(SIGTERM);
        wait_for_end(ends);
        assert_int_equal(family_end(), 0); /* they had ended */

        make_pipe(ends);
        pid_t kept = sleeper(ends[1], NULL, false);
        int others[2];
        make_pipe(others);
        sleeper(others[1], NULL, true);
        assert_int_equal(family_kill_orphans(kept), 1);
        wait_for_end(others);
        assert_int_equal(kill(kept, 0), 0);
        assert_int_equal(family_end(), 1); /* it does not end by itself */
        wait_for_end(ends);
}

static void count(void *user, pid_t pid)
{
        (void)pid;
        ++*(int *)user;
}

/* Those of a group, and under its leader, in groups of their own as well. */
static void test_family_under(void **state)
{
        (void)state;
        int ends[2], tree[2], found = 0;
        char byte = 0;
        make_pipe(ends);
        make_pipe(tree);
        pid_t top = fork();
        if (top == 0) {
                setpgid(0, 0);
                sleeper(ends[1], NULL, false);
                pid_t apart = fork();
                if (apart == 0) {
                        setpgid(0, 0);
                        _exit(write(tree[1], &byte, 1) == 1 ? pause() : 1);
                }
                pause();
        }
        pid_t other = sleeper(ends[1], NULL, false);
        assert_int_equal(read(tree[0], &byte, 1), 1);
        family_under(top, count, &found);
        assert_int_equal(found, 3);
        found = 0;
        family_under(other, count, &found);
        assert_int_equal(found, 1);
        family_signal(SIGKILL);
        close(tree[0]);
        close(tree[1]);
        wait_for_end(ends);
        family_end();
}

/* ---- The janitor ---- */

/* Nothing is that new: what other jobs leave on this machine is none of this test's. */
static const struct timespec never = { .tv_sec = (time_t)1 << 40 };

/* lbrun is killed: what it has started ends. It cleans up itself: the janitor goes, and leaves all
 * alone. */
static void test_janitor(void **state)
{
        (void)state;
        char job[64], text[128];
        int ends[2];
        snprintf(job, sizeof(job), "parts-%d", (int)getpid());
        snprintf(text, sizeof(text), "LBRUN_JOB=lbrun id=%s nodes=1", job);
        make_pipe(ends);
        struct janitor janitor = { .directory = NULL };
        janitor_start(&janitor, job, &never);
        pid_t pid = sleeper(ends[1], text, false);
        assert_true(janitor.fd >= 0);
        janitor_stop(&janitor);
        assert_int_equal(janitor.fd, -1);
        janitor_stop(&janitor);
        assert_int_equal(kill(pid, 0), 0);
        kill(pid, SIGKILL);
        wait_for_end(ends);
        family_end();

        make_pipe(ends);
        int ready[2];
        make_pipe(ready);
        pid_t lbrun = fork();
        if (lbrun == 0) {
                janitor_start(&janitor, job, &never);
                sleeper(ends[1], text, true);
                if (write(ready[1], "", 1) != 1)
                        _exit(1);
                pause();
                _exit(0);
        }
        char byte;
        assert_int_equal(read(ready[0], &byte, 1), 1);
        close(ready[0]);
        close(ready[1]);
        kill(lbrun, SIGKILL);
        wait_for_end(ends);
        family_end();
}

/* One that is stopped keeps nobody waiting, and does not stay: its end is read from a pidfd. */
static void test_janitor_stopped(void **state)
{
        (void)state;
        struct janitor janitor = { .directory = NULL };
        janitor_start(&janitor, "parts-stopped", &never);
        assert_true(janitor.process >= 0);
        assert_int_equal(syscall(SYS_pidfd_send_signal, janitor.process, SIGSTOP, NULL, 0), 0);
        struct pollfd gone = { .fd = dup(janitor.process), .events = POLLIN };
        janitor_stop(&janitor);
        assert_int_equal(poll(&gone, 1, PATIENCE_S * 1000), 1);
        close(gone.fd);
}

/* ---- Directories ---- */

/* What links lead to stays. */
static void test_remove_tree(void **state)
{
        (void)state;
        FILE *kept = fopen("kept", "w");
        assert_non_null(kept);
        fclose(kept);
        mkdir("top", 0700);
        mkdir("top/inner", 0700);
        mkdir("top/inner/empty", 0700);
        assert_int_equal(symlink("../../kept", "top/inner/link"), 0);
        assert_int_equal(link("kept", "top/file"), 0);
        assert_true(debris_remove_tree("top"));
        assert_int_equal(access("top", F_OK), -1);
        assert_int_equal(access("kept", F_OK), 0);
        assert_true(debris_remove_tree("top")); /* it is gone already */
}

/* ---- What is printed ---- */

/* Passes text on to a file in the place of a standard stream; what outlet_finish() says. */
static int pass_on_to(int stream, int file, const char *text, int times)
{
        struct outlet outlet;
        struct lb_error err;
        int kept = dup(stream);
        assert_int_equal(outlet_init(&outlet, stream, &err), 0);
        int writer = dup(outlet.out);
        dup2(file, stream);
        assert_int_equal(outlet_start(&outlet, &err), 0);
        for (int i = 0; i < times; i++)
                assert_int_equal(write(writer, text, strlen(text)), (int)strlen(text));
        close(writer);
        int why = outlet_finish(&outlet, false);
        dup2(kept, stream);
        close(kept);
        return why;
}

static void test_stream(int stream)
{
        int file = open("passed", O_RDWR | O_CREAT | O_TRUNC, 0600),
            full = open("/dev/full", O_WRONLY);
        assert_true(file >= 0 && full >= 0);
        assert_int_equal(pass_on_to(stream, file, "0123456789abcdef", 20000),
                         0); /* more than a pipe */
        assert_int_equal(lseek(file, 0, SEEK_END), 16 * 20000);
        assert_int_equal(pass_on_to(stream, full, "lost", 20000), ENOSPC);
        int ends[2];
        make_pipe(ends);
        close(ends[0]);
        signal(SIGPIPE, SIG_IGN);
        assert_int_equal(pass_on_to(stream, ends[1], "nobody reads", 20000), 0);
        close(ends[1]);
        close(file);
        close(full);
}

/* What MPICH's launcher says of the first that it has found dead, in whatever parts it comes. */
static void test_obituary(void **state)
{
        (void)state;
        static const char *const rows[][2] = {
                { "=   PID 123 RUNNING AT n3\n", "n3" },
                { "iteration 3\n\n====\n=   BAD TERMINATION OF ONE\n=   PID 1 RUNNING AT a.b-c\n"
                  "=   PID 2 RUNNING AT n4\n",
                  "a.b-c" },
                { "=   PID 123 RUNNING AT n3", NULL },
                { "=   PID x RUNNING AT n3\n", NULL },
                { "=   PID 123 RUNNING AT n3 and on\n", NULL },
                { "rank 1 = PID 123 RUNNING AT n3\n", NULL },
                { "\n", NULL },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                size_t length = strlen(rows[i][0]);
                for (size_t part = 1; part <= length; part++) {
                        struct obituary obituary = { .length = 0 };
                        for (size_t at = 0; at < length; at += part)
                                obituary_read(&obituary, rows[i][0] + at,
                                              length - at < part ? length - at : part);
                        const char *host = obituary_host(&obituary);
                        if (!host || !rows[i][1])
                                assert_ptr_equal(host, rows[i][1]);
                        else
                                assert_string_equal(host, rows[i][1]);
                }
        }
        struct obituary obituary = { .length = 0 };
        char longer[1500];
        static const char line[] = "\n=   PID 7 RUNNING AT n9\n";
        memset(longer, 'x', sizeof(longer));
        obituary_read(&obituary, longer, sizeof(longer)); /* a line without an end */
        obituary_read(&obituary, line, sizeof(line) - 1);
        assert_string_equal(obituary_host(&obituary), "n9");
}

static void test_outlet(void **state)
{
        (void)state;
        test_stream(STDOUT_FILENO);
        test_stream(STDERR_FILENO);
        struct outlet never_used, never_made = { 0 };
        struct lb_error err;
        assert_int_equal(outlet_init(&never_used, STDOUT_FILENO, &err), 0);
        assert_int_equal(outlet_finish(&never_used, true), 0);
        assert_int_equal(outlet_finish(&never_made, true), 0);
}

/* Somebody else holds the pipe, and the clock has been set back by an hour: nobody waits for that.
 */
static void test_clock_set_back(void **state)
{
        (void)state;
        struct outlet outlet;
        struct lb_error err;
        assert_int_equal(outlet_init(&outlet, STDOUT_FILENO, &err), 0);
        int holder = dup(outlet.out);
        assert_int_equal(outlet_start(&outlet, &err), 0);
        ahead_s = 3600;
        alarm(PATIENCE_S);
        assert_int_equal(outlet_finish(&outlet, false), 0);
        alarm(0);
        ahead_s = 0;
        assert_true(outlet.held);
        close(holder);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_words),
                cmocka_unit_test(test_claim),
                cmocka_unit_test(test_claim_far),
                cmocka_unit_test(test_family_of_job),
                cmocka_unit_test(test_family_left),
                cmocka_unit_test(test_family_under),
                /* before all are adopted */ cmocka_unit_test(test_family),
                cmocka_unit_test(test_janitor),
                cmocka_unit_test(test_janitor_stopped),
                cmocka_unit_test(test_remove_tree),
                cmocka_unit_test(test_obituary),
                cmocka_unit_test(test_outlet),
                cmocka_unit_test(test_clock_set_back),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
