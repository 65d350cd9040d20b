/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* unshare */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/process.h"
#include "real/node/segment.h"
#include "tests/real/node/node_world.h"

enum { PATIENCE_S = 60 };

static struct segment *open_as(const char *job, const char *part, int32_t nmember, int32_t member,
                               struct lb_error *err)
{
        const struct segment_spec spec = { job, part, nmember, member, 1000 };
        return segment_open(&spec, err);
}

static struct segment *must_open(const char *job, const char *part, int32_t nmember, int32_t member)
{
        struct lb_error err;
        struct segment *segment = open_as(job, part, nmember, member, &err);
        if (!segment)
                fail_msg("%s", err.text);
        return segment;
}

static void must_fail(const struct segment_spec *spec, const char *message)
{
        struct lb_error err;
        assert_null(segment_open(spec, &err));
        if (!strstr(err.text, message))
                fail_msg("'%s' is not about '%s'", err.text, message);
}

static void path_of(const char *job, const char *part, char path[static 128])
{
        snprintf(path, 128, "/dev/shm/lbrun-%d-%s-%s", (int)geteuid(), job, part);
}

static bool exists(const char *path)
{
        return access(path, F_OK) == 0;
}

/* A process that opens a segment, marks its first byte and is killed. */
static void open_and_die(const char *job, const char *part, int32_t nmember, int32_t member)
{
        int status;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                struct lb_error err;
                struct segment *segment = open_as(job, part, nmember, member, &err);
                if (!segment)
                        _exit(1);
                *(char *)segment_memory(segment) = 1;
                raise(SIGKILL);
        }
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status));
}

/* Members see the same memory, aligned and zero at first; the last to close removes the name. */
static void test_shared(void **state)
{
        (void)state;
        char job[32], path[128];
        world_job(job);
        path_of(job, "0", path);
        struct segment *a = must_open(job, "0", 2, 0);
        char *at_a = segment_memory(a);
        assert_int_equal((uintptr_t)at_a % 64, 0);
        for (int i = 0; i < 1000; i++)
                assert_int_equal(at_a[i], 0);
        assert_int_equal(segment_member(a, 1), SEGMENT_ABSENT);

        struct segment *b = must_open(job, "0", 2, 1);
        at_a[999] = 7;
        assert_int_equal(((char *)segment_memory(b))[999], 7);
        assert_int_equal(segment_member(a, 1), SEGMENT_OPEN);
        segment_close(a);
        assert_int_equal(segment_member(b, 0), SEGMENT_CLOSED);
        assert_true(exists(path));
        segment_close(b);
        assert_false(exists(path));
        segment_close(NULL);
}

/* One of the racing processes: counts itself, and after all are there the count must be theirs. */
static int race(const char *job, int32_t nmember, int32_t member)
{
        struct lb_error err;
        struct segment *segment = open_as(job, "0", nmember, member, &err);
        if (!segment)
                return 1;
        _Atomic int32_t *count = segment_memory(segment);
        atomic_fetch_add(count, 1);
        if (segment_wait(segment, PATIENCE_S, &err) < 0)
                return 2;
        while (atomic_load(count) < nmember)
                sched_yield();
        segment_close(segment);
        return 0;
}

/* However many come at once, they meet in one segment, and it is gone afterwards. */
static void test_race(void **state)
{
        (void)state;
        enum { N = 6 };
        char job[32];
        world_job(job);
        for (int round = 0; round < 40; round++) {
                pid_t pid[N];
                for (int32_t i = 0; i < N; i++) {
                        pid[i] = fork();
                        assert_true(pid[i] >= 0);
                        if (pid[i] == 0) {
                                alarm(PATIENCE_S);
                                _exit(race(job, N, i));
                        }
                }
                for (int32_t i = 0; i < N; i++) {
                        int status = -1;
                        waitpid(pid[i], &status, 0);
                        assert_int_equal(status, 0);
                }
                assert_int_equal(world_segments(job), 0);
        }
}

/* One of those who come and go: while it is there, the segment has its name. */
static int come_and_go(const char *job, int32_t member)
{
        struct lb_error err;
        char path[128];
        path_of(job, "0", path);
        for (int i = 0; i < 1500; i++) {
                struct segment *segment = open_as(job, "0", 3, member, &err);
                if (!segment)
                        return 1;
                if (!exists(path))
                        return 2;
                segment_close(segment);
        }
        return 0;
}

/* Who closes last never removes it from under one who just came. */
static void test_come_and_go(void **state)
{
        (void)state;
        char job[32];
        pid_t pid[3];
        world_job(job);
        for (int32_t i = 0; i < 3; i++) {
                pid[i] = fork();
                assert_true(pid[i] >= 0);
                if (pid[i] == 0)
                        _exit(come_and_go(job, i));
        }
        for (int32_t i = 0; i < 3; i++) {
                int status = -1;
                waitpid(pid[i], &status, 0);
                assert_int_equal(status, 0);
        }
        assert_int_equal(world_segments(job), 0);
}

/* What cannot be a segment is refused, and leaves none. */
static void test_refused(void **state)
{
        (void)state;
        static const struct {
                struct segment_spec spec;
                const char *message;
        } refused[] = {
                { { "", "0", 1, 0, 8 }, "job id ''" },
                { { "a/b", "0", 1, 0, 8 }, "job id 'a/b'" },
                { { "..", "0", 1, 0, 8 }, "letters, digits" },
                { { "12345678901234567890123456789012", "0", 1, 0, 8 }, "1 to 31" },
                { { "x", "0", 2, 2, 8 }, "place 2 of 2" },
                { { "x", "0", 2, -1, 8 }, "place -1 of 2" },
                { { "x", "0", 0, 0, 8 }, "place 0 of 0" },
        };
        for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
                must_fail(&refused[i].spec, refused[i].message);
}

/* Two jobs of one id get in nobody's way: who comes second is told. */
static void test_mixed_up(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct segment *a = must_open(job, "0", 2, 0);
        must_fail(&(struct segment_spec){ job, "0", 2, 0, 1000 }, "is taken by process");
        must_fail(&(struct segment_spec){ job, "0", 3, 1, 1000 }, "of 2 processes");
        must_fail(&(struct segment_spec){ job, "0", 2, 1, 1064 }, "1000 bytes");
        assert_int_equal(segment_member(a, 1), SEGMENT_ABSENT);
        segment_close(a);
        assert_int_equal(world_segments(job), 0);
}

/* A segment of that name whose processes are all dead is replaced by a fresh one. */
static void test_stale(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        open_and_die(job, "3", 2, 0);
        struct segment *segment = must_open(job, "3", 4, 0);
        assert_int_equal(*(char *)segment_memory(segment), 0);
        segment_close(segment);
        assert_int_equal(world_segments(job), 0);
}

/* Without its name it is used as before, and the name is free for another. */
static void test_unname(void **state)
{
        (void)state;
        struct lb_error err;
        char path[128], job[32];
        world_job(job);
        struct segment *a = must_open(job, "3", 2, 0);
        struct segment *b = must_open(job, "3", 2, 1);
        path_of(job, "3", path);
        assert_int_equal(segment_wait(a, PATIENCE_S, &err), 0);
        assert_true(exists(path));
        segment_unname(a);
        assert_false(exists(path));
        *(char *)segment_memory(a) = 7;
        assert_int_equal(*(char *)segment_memory(b), 7);
        struct segment *next = must_open(job, "3", 1, 0);
        segment_unname(b); /* the name is another's by now */
        segment_close(a);
        segment_close(b);
        assert_true(exists(path));
        segment_close(next);
        assert_false(exists(path));
}

/* The dead do not keep the last of the living from removing it. */
static void test_last_living(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct segment *segment = must_open(job, "0", 2, 0);
        open_and_die(job, "0", 2, 1);
        assert_int_equal(segment_dead(segment), 1);
        assert_true(segment_is_dead(segment, 1));
        assert_false(segment_is_dead(segment, 0));
        segment_close(segment);
        assert_int_equal(world_segments(job), 0);
}

/* Waiting for others ends with a message when they do not come, and at once when one dies. */
static void test_wait_fails(void **state)
{
        (void)state;
        char job[32];
        struct lb_error err;
        world_job(job);
        struct segment *segment = must_open(job, "0", 3, 0);
        assert_int_equal(segment_wait(segment, 0.05, &err), -1);
        assert_non_null(strstr(err.text, "place 1 of 3"));
        open_and_die(job, "0", 3, 2);
        assert_int_equal(segment_wait(segment, 3600, &err), -1);
        assert_non_null(strstr(err.text, "died while the others were starting"));
        segment_close(segment);
}

static void copy_file(const char *from, const char *to)
{
        char bytes[8192];
        FILE *in = fopen(from, "r"), *out = fopen(to, "w");
        assert_true(in && out);
        size_t size = fread(bytes, 1, sizeof(bytes), in);
        fwrite(bytes, 1, size, out);
        fclose(in);
        fclose(out);
}

/* Cleaning takes the dead jobs of this user and the job it is told, and nothing else: not the
 * living, not what merely looks like ours, not another user's. */
static void test_clean(void **state)
{
        (void)state;
        char job[3][32], dead[128], foreign[128], other[128], part[128], longer[40];
        for (int i = 0; i < 3; i++)
                world_job(job[i]);
        segment_clean(NULL);
        open_and_die(job[0], "0", 2, 0);
        open_and_die(job[0], "bell", 2, 1);
        path_of(job[0], "0", dead);
        path_of(job[0], "note", part);
        path_of(job[2], "0", foreign);
        snprintf(other, sizeof(other), "/dev/shm/lbrun-%d-%s-0", (int)geteuid() + 1, job[0]);
        copy_file(dead, other);
        copy_file(dead, part);
        fclose(fopen(foreign, "w"));
        snprintf(longer, sizeof(longer), "%.20s-1", job[1]);
        struct segment *living = must_open(job[1], "0", 1, 0);
        struct segment *of_longer = must_open(longer, "0", 1, 0);

        assert_true(segment_clean(NULL) >= 2);
        assert_int_equal(world_segments(job[0]), 1);
        assert_int_equal(world_segments(job[1]), 2);
        assert_true(segment_clean(job[1]) >= 1);
        assert_int_equal(world_segments(job[1]), 1);
        assert_int_equal(world_segments(longer), 1);
        assert_true(exists(other) && exists(part) && exists(foreign));
        assert_true(segment_clean(job[2]) >= 1);
        assert_int_equal(world_segments(job[2]), 0);
        segment_close(living);
        segment_close(of_longer);
        assert_int_equal(unlink(other) + unlink(part), 0);
}

/* A segment that another user has put there is neither used nor removed. Only root can act it. */
static void test_another_user(void **state)
{
        (void)state;
        char job[32], path[128];
        world_job(job);
        path_of(job, "0", path);
        if (geteuid() != 0)
                skip();
        open_and_die(job, "0", 1, 0);
        assert_int_equal(chown(path, 12345, 12345), 0);
        must_fail(&(struct segment_spec){ job, "0", 1, 0, 1000 }, "is another user's");
        segment_clean(job);
        assert_true(exists(path));
        unlink(path);
}

/* A link under our name leads nowhere. */
static void test_link(void **state)
{
        (void)state;
        char job[32], path[128];
        world_job(job);
        path_of(job, "0", path);
        assert_int_equal(symlink("/dev/shm/elsewhere", path), 0);
        must_fail(&(struct segment_spec){ job, "0", 1, 0, 1000 }, "is another user's");
        segment_clean(job);
        assert_int_equal(unlink(path), 0);
}

/* In a small /dev/shm of its own: 0, a message about room; 1, anything else; 77, not permitted. */
static int fill_up(const char *job)
{
        struct lb_error err = { 0 };
        const struct segment_spec spec = { job, "0", 1, 0, 1 << 20 };
        if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0 ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64k") < 0)
                return 77;
        if (segment_open(&spec, &err) || !strstr(err.text, "no room for"))
                return 1;
        return world_segments(job);
}

/* Where shared memory is full, opening fails with a message, and leaves nothing. */
static void test_full(void **state)
{
        (void)state;
        char job[32];
        int status = -1;
        world_job(job);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
                _exit(fill_up(job));
        waitpid(pid, &status, 0);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == 77)
                skip();
        assert_int_equal(WEXITSTATUS(status), 0);
}

/* A child of a member has the file mapped, and with it the lock, for as long as it lives: nobody
 * waits for that. */
static void test_child_outlives(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct segment *first = must_open(job, "0", 2, 0), *second = must_open(job, "0", 2, 1);
        struct timespec begin, end;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
                for (;;)
                        pause();
        clock_gettime(CLOCK_MONOTONIC, &begin);
        segment_close(first);
        segment_close(second);
        clock_gettime(CLOCK_MONOTONIC, &end);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_true(end.tv_sec - begin.tv_sec < 4);
        assert_int_equal(world_segments(job), 0);
}

static void open_and_close_forever(const char *job, int32_t member)
{
        struct lb_error err;
        for (;;)
                segment_close(open_as(job, "0", 4, member, &err));
}

/* Processes that open and close all the time are killed at any moment: nobody else gets stuck, and
 * cleaning leaves nothing. */
static void test_killed_at_work(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        for (int round = 0; round < 40; round++) {
                pid_t pid[3];
                const struct timespec pause = { .tv_nsec = 1000000 + round * 37000 };
                for (int32_t i = 0; i < 3; i++) {
                        pid[i] = fork();
                        assert_true(pid[i] >= 0);
                        if (pid[i] == 0)
                                open_and_close_forever(job, i);
                }
                for (int32_t i = 0; i < 3; i++) {
                        nanosleep(&pause, NULL);
                        kill(pid[i], SIGKILL);
                        waitpid(pid[i], NULL, 0);
                }
                segment_close(must_open(job, "0", 4, 3));
                assert_int_equal(world_segments(job), 0);
        }
}

/* A process is the same only with its start time; a killed one that nobody waited for is gone. */
static void test_process(void **state)
{
        (void)state;
        struct process self = process_self();
        assert_true(self.start_ticks > 0);
        assert_true(process_alive(&self));
        self.start_ticks++;
        assert_false(process_alive(&self));
        assert_int_equal(process_watch(&self), -1);

        int told[2];
        struct process zombie;
        assert_int_equal(pipe(told), 0);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                zombie = process_self();
                ssize_t written = write(told[1], &zombie, sizeof(zombie));
                raise(written == sizeof(zombie) ? SIGKILL : SIGTERM);
        }
        assert_int_equal(read(told[0], &zombie, sizeof(zombie)), sizeof(zombie));
        close(told[0]);
        close(told[1]);
        waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
        assert_false(process_alive(&zombie));
        waitpid(pid, NULL, 0);
        assert_false(process_alive(&zombie));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_shared),       cmocka_unit_test(test_race),
                cmocka_unit_test(test_come_and_go),  cmocka_unit_test(test_refused),
                cmocka_unit_test(test_mixed_up),     cmocka_unit_test(test_stale),
                cmocka_unit_test(test_unname),       cmocka_unit_test(test_last_living),
                cmocka_unit_test(test_wait_fails),   cmocka_unit_test(test_clean),
                cmocka_unit_test(test_another_user), cmocka_unit_test(test_link),
                cmocka_unit_test(test_full),         cmocka_unit_test(test_killed_at_work),
                cmocka_unit_test(test_process),      cmocka_unit_test(test_child_outlives),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
