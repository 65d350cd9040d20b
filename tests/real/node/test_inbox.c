/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/inbox.h"
#include "tests/real/node/node_world.h"

enum { PATIENCE_S = 60, NRANK = 5, NWRITER = 3, MESSAGES = 50000, RING_BYTES = 262144 };

/* Ranks 1, 2 and 4 are on this machine. */
static const bool local[NRANK] = { false, true, true, false, true };
static const bool all_local[NWRITER + 1] = { true, true, true, true };

static struct inbox *must_open(const char *job, int32_t nrank, int32_t rank, const bool *here)
{
        struct lb_error err;
        struct inbox *inbox = inbox_open(job, nrank, rank, here, &err);
        if (!inbox)
                fail_msg("%s", err.text);
        return inbox;
}

static bool put(struct inbox *inbox, int32_t rank, const void *message, size_t bytes)
{
        void *there = inbox_begin(inbox, rank, bytes);
        if (!there)
                return false;
        memcpy(there, message, bytes);
        inbox_end(there);
        return true;
}

/* What is written before its reader has come is there for it, from whom it says, and for nobody
 * else; other machines' ranks, and the own, are not reached. */
static void test_reaches(void **state)
{
        (void)state;
        char job[32];
        int32_t from = -1;
        world_job(job);
        struct inbox *one = must_open(job, NRANK, 1, local);
        assert_true(put(one, 4, "for four", 9));
        struct inbox *four = must_open(job, NRANK, 4, local),
                     *two = must_open(job, NRANK, 2, local);
        assert_string_equal(inbox_first(four, &from), "for four");
        assert_int_equal(from, 1);
        assert_null(inbox_first(one, &from));
        assert_null(inbox_first(two, &from));
        inbox_drop(four);
        assert_null(inbox_first(four, &from));
        for (int32_t rank = 0; rank < NRANK; rank++)
                assert_int_equal(inbox_reaches(four, rank), rank == 1 || rank == 2);
        assert_false(inbox_reaches_all(four));
        inbox_show(four, 1, 41);
        inbox_show(four, 2, 42);
        assert_int_equal(inbox_shown(one, 4), 41);
        assert_int_equal(inbox_shown(two, 4), 42);
        assert_int_equal(inbox_shown(four, 1), 0);
        inbox_close(one);
        inbox_close(two);
        inbox_close(four);
        inbox_close(NULL);
        assert_int_equal(world_segments(job), 0);
}

/* A message that is begun holds back those behind it, until it is ended. */
static void test_order(void **state)
{
        (void)state;
        char job[32];
        int32_t from = -1;
        world_job(job);
        struct inbox *inbox[3];
        for (int32_t rank = 0; rank < 3; rank++)
                inbox[rank] = must_open(job, 3, rank, all_local);
        assert_true(inbox_reaches_all(inbox[0]));
        char *begun = inbox_begin(inbox[1], 0, 200);
        assert_true(put(inbox[2], 0, "later", 6));
        assert_null(inbox_first(inbox[0], &from));
        strcpy(begun, "earlier");
        inbox_end(begun);
        assert_string_equal(inbox_first(inbox[0], &from), "earlier");
        inbox_drop(inbox[0]);
        assert_string_equal(inbox_first(inbox[0], &from), "later");
        assert_int_equal(from, 2);
        for (int32_t rank = 0; rank < 3; rank++)
                inbox_close(inbox[rank]);
}

/* A full ring takes no more than it has room for, and after one is dropped another of that size,
 * around its end: not into the ring behind it. */
static void test_full(void **state)
{
        (void)state;
        static char message[63 * 64 - INBOX_ALIGN];
        char job[32];
        int32_t from, count = 0;
        world_job(job);
        struct inbox *one = must_open(job, 2, 1, all_local), *own = must_open(job, 2, 0, all_local);
        memset(message, 0x55, sizeof(message));
        while (put(one, 0, message, sizeof(message)))
                count++;
        assert_int_equal(count, RING_BYTES / (int)(sizeof(message) + INBOX_ALIGN));
        assert_non_null(inbox_first(own, &from));
        inbox_drop(own);
        assert_true(put(one, 0, message, sizeof(message)));
        assert_false(put(one, 0, message, 1));
        assert_true(put(own, 1, "intact", 7));
        assert_string_equal(inbox_first(one, &from), "intact");
        for (; count > 0; count--) {
                assert_memory_equal(inbox_first(own, &from), message, sizeof(message));
                inbox_drop(own);
        }
        assert_null(inbox_first(own, &from));
        inbox_close(one);
        inbox_close(own);
}

struct numbered {
        uint32_t number, bytes;
        unsigned char rest[INBOX_MESSAGE_MAX - 8];
};

/* Of all lengths; what it says is that of its writer and number. */
static void make(struct numbered *message, int32_t from, uint32_t number)
{
        uint32_t mixed = (number + 1) * 2654435761U + (uint32_t)from * 40503U;
        message->number = number;
        message->bytes = 8 + (mixed >> 8) % (mixed % 16 ? 300U : (uint32_t)sizeof(message->rest));
        memset(message->rest, (int)(mixed & 0xff) | 1, message->bytes - 8);
}

static void write_all(const char *job, int32_t rank)
{
        struct numbered message;
        alarm(PATIENCE_S);
        struct inbox *inbox = must_open(job, NWRITER + 1, rank, all_local);
        for (uint32_t number = 0; number < MESSAGES; number++) {
                make(&message, rank, number);
                while (!put(inbox, 0, &message, message.bytes))
                        sched_yield();
        }
        inbox_close(inbox);
        _exit(0);
}

/* Of several processes that write at once every message comes once, whole, in its writer's order,
 * around the ring's end many times. */
static void test_writers(void **state)
{
        (void)state;
        char job[32];
        struct numbered expected;
        uint32_t next[NWRITER + 1] = { 0 };
        world_job(job);
        struct inbox *inbox = must_open(job, NWRITER + 1, 0, all_local);
        for (int32_t rank = 1; rank <= NWRITER; rank++) {
                pid_t pid = fork();
                assert_true(pid >= 0);
                if (pid == 0)
                        write_all(job, rank);
        }
        alarm(PATIENCE_S);
        for (int32_t n = 0, from; n < NWRITER * MESSAGES; n++) {
                const void *message;
                while (!(message = inbox_first(inbox, &from)))
                        sched_yield();
                assert_in_range(from, 1, NWRITER);
                make(&expected, from, next[from]++);
                assert_memory_equal(message, &expected, expected.bytes);
                inbox_drop(inbox);
        }
        for (int status = 0; wait(&status) > 0;)
                assert_int_equal(status, 0);
        alarm(0);
        inbox_close(inbox);
        assert_int_equal(world_segments(job), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reaches),
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_full),
                cmocka_unit_test(test_writers),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
