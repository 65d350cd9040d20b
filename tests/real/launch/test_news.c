/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/launch/news.h"

/* Only the user's own processes are heard, and each is known. */
static char job[64];
static int fd = -1;

static int setup(void **state)
{
        (void)state;
        struct lb_error err;
        snprintf(job, sizeof(job), "test-%d", (int)getpid());
        fd = news_open(job, &err);
        return fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
        (void)state;
        close(fd);
        return 0;
}

/* What anybody can do: bytes to the socket's name, which /proc/net/unix has. */
static int send_bytes(uid_t owner, const void *data, size_t size)
{
        struct sockaddr_un name = { .sun_family = AF_UNIX };
        int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "lbrun-%ju-%s",
                              (uintmax_t)owner, job);
        int from = socket(AF_UNIX, SOCK_DGRAM, 0);
        ssize_t sent =
            sendto(from, data, size, 0, (struct sockaddr *)&name,
                   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
        close(from);
        return sent == (ssize_t)size ? 0 : -1;
}

static void check_next(int32_t rank, pid_t sender)
{
        struct news news;
        int passed;
        assert_true(news_receive(fd, &news, &passed));
        assert_int_equal(news.rank, rank);
        assert_int_equal(news.sender, sender);
}

static void check_none(void)
{
        struct news news;
        int passed;
        assert_false(news_receive(fd, &news, &passed));
}

/* The sender is the kernel's word, not the sender's. */
static void test_sender(void **state)
{
        (void)state;
        const struct news news = { .kind = NEWS_ENDED, .rank = 3, .value = 9, .sender = 1 };
        check_none();
        assert_true(news_send(job, &news, -1));
        pid_t child = fork();
        if (child == 0)
                _exit(news_send(job, &(struct news){ .kind = NEWS_STARTED, .rank = 4 }, -1) ? 0
                                                                                            : 1);
        assert_int_equal(waitpid(child, NULL, 0), child);
        check_next(3, getpid());
        check_next(4, child);
        check_none();
        assert_false(news_send("nobody", &news, -1));
}

/* A descriptor comes with its news, and what is passed by who is no keeper is closed. */
static void test_passed(void **state)
{
        (void)state;
        struct news news = { .kind = NEWS_STARTED, .rank = 6 };
        int ends[2], passed;
        char byte = 'x';
        assert_int_equal(pipe(ends), 0);
        news.kind = NEWS_NKIND;
        assert_true(news_send(job, &news, ends[1]));
        news.kind = NEWS_STARTED;
        assert_true(news_send(job, &news, ends[1]));
        assert_true(news_send(job, &news, -1));
        close(ends[1]);
        assert_true(news_receive(fd, &news, &passed));
        assert_true(passed >= 0);
        assert_int_equal(write(passed, "y", 1), 1);
        close(passed);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        assert_int_equal(byte, 'y');
        assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody else has it */
        close(ends[0]);
        assert_true(news_receive(fd, &news, &passed));
        assert_int_equal(passed, -1);
}

/* What is no news is dropped, and what comes after it is not. */
static void test_garbage(void **state)
{
        (void)state;
        struct news news = { .kind = NEWS_STARTED, .rank = 5 };
        char large[sizeof(news) + 1] = { NEWS_STARTED };
        assert_int_equal(send_bytes(geteuid(), "0123456789abcdef", 16), 0);
        assert_int_equal(send_bytes(geteuid(), large, sizeof(large)), 0);
        assert_int_equal(send_bytes(geteuid(), "", 0), 0);
        news.kind = NEWS_NKIND;
        assert_int_equal(send_bytes(geteuid(), &news, sizeof(news)), 0);
        news.kind = NEWS_KEEPER; /* lbrun's own finding */
        assert_int_equal(send_bytes(geteuid(), &news, sizeof(news)), 0);
        news.kind = NEWS_STARTED;
        assert_int_equal(send_bytes(geteuid(), &news, sizeof(news)), 0);
        check_next(5, getpid());
        check_none();
}

/* Another user cannot say that a rank has died. */
static void test_other_user(void **state)
{
        (void)state;
        enum { NOBODY = 65534, CANNOT = 77 };
        uid_t owner = geteuid();
        const struct news death = { .kind = NEWS_ENDED, .rank = 2, .value = SIGKILL };
        int status;
        pid_t child = fork();
        if (child == 0) {
                if (setuid(NOBODY) < 0)
                        _exit(CANNOT);
                _exit(send_bytes(owner, &death, sizeof(death)) == 0 ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WEXITSTATUS(status) == CANNOT)
                skip();
        assert_int_equal(status, 0); /* it was sent */
        assert_true(news_send(job, &(struct news){ .kind = NEWS_STARTED, .rank = 1 }, -1));
        check_next(1, getpid());
        check_none();
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sender),
                cmocka_unit_test(test_passed),
                cmocka_unit_test(test_garbage),
                cmocka_unit_test(test_other_user),
        };
        return cmocka_run_group_tests(tests, setup, teardown);
}
