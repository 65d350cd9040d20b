/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/bell.h"
#include "tests/real/node/node_world.h"

enum { PATIENCE_S = 60, NRANK = 5, ROUNDS = 5000 };

/* Ranks 1, 2 and 4 are on this machine. */
static const bool local[NRANK] = { false, true, true, false, true };
static const bool all_local[2] = { true, true };

static struct bell *must_open(const char *job, int32_t nrank, int32_t rank, const bool *here)
{
        struct lb_error err;
        struct bell *bell = bell_open(job, nrank, rank, here, &err);
        if (!bell)
                fail_msg("%s", err.text);
        return bell;
}

/* A ring reaches the rank it is meant for and no other; to another machine it goes nowhere. */
static void test_ring(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct bell *one = must_open(job, NRANK, 1, local);
        uint32_t before = bell_ticket(one);
        bell_ring(one, 4);
        struct bell *four = must_open(job, NRANK, 4, local);
        assert_int_equal(bell_ticket(one), before);
        assert_int_equal(bell_ticket(four), before + 1);
        bell_ring(four, 0);
        bell_ring(four, 3);
        bell_ring(four, 2);
        assert_int_equal(bell_ticket(one), before);
        bell_ring(four, 1);
        assert_int_equal(bell_ticket(one), before + 1);
        alarm(PATIENCE_S);
        bell_wait(one, before, -1);
        alarm(0);
        bell_wait(one, before + 1, 1000000);
        assert_false(bell_reaches_all(one));
        bell_close(one);
        bell_close(four);
        assert_int_equal(world_segments(job), 0);
}

static struct bell *open_only(const char *job)
{
        return must_open(job, 2, 0, all_local);
}

/* Where all ranks are on the machine, all can be rung; the bell does not wait for them. */
static void test_reaches_all(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct bell *bell = open_only(job);
        assert_true(bell_reaches_all(bell));
        bell_close(bell);
        bell_close(NULL);
        assert_int_equal(world_segments(job), 0);
}

/* A rank that is not on its own machine, or that there is twice, is an error that says so. */
static void test_refused(void **state)
{
        (void)state;
        char job[32];
        struct lb_error err;
        world_job(job);
        static const int32_t wrong[] = { 0, 3, 5, -1 };
        for (int i = 0; i < 4; i++) {
                assert_null(bell_open(job, NRANK, wrong[i], local, &err));
                assert_non_null(strstr(err.text, "must be on its own machine"));
        }
        struct bell *bell = must_open(job, NRANK, 2, local);
        assert_null(bell_open(job, NRANK, 2, local, &err));
        assert_non_null(strstr(err.text, "bell of rank 2: "));
        assert_non_null(strstr(err.text, "is taken by process"));
        bell_close(bell);
}

/* Answer every ring. */
static void answer(const char *job)
{
        struct bell *bell = must_open(job, 2, 1, all_local);
        for (uint32_t heard = 0; heard < ROUNDS; heard++) {
                bell_wait(bell, heard, -1);
                bell_ring(bell, 0);
        }
        bell_close(bell);
}

/* No ring between processes is lost, however they fall. */
static void test_no_ring_lost(void **state)
{
        (void)state;
        char job[32];
        int status = -1;
        world_job(job);
        struct bell *bell = open_only(job);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                alarm(PATIENCE_S);
                answer(job);
                _exit(0);
        }
        alarm(PATIENCE_S);
        for (uint32_t heard = 0; heard < ROUNDS; heard++) {
                bell_ring(bell, 1);
                bell_wait(bell, heard, -1);
        }
        alarm(0);
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
        assert_int_equal(bell_ticket(bell), ROUNDS);
        bell_close(bell);
        assert_int_equal(world_segments(job), 0);
}

/* Sleeping on a bell costs no processor time to speak of: here less than a tenth of it. */
static void test_wait_is_idle(void **state)
{
        (void)state;
        char job[32];
        struct timespec cpu;
        world_job(job);
        struct bell *bell = open_only(job);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        double before_s = (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9;
        bell_wait(bell, bell_ticket(bell), 1000000000);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        assert_true((double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9 - before_s < 0.1);
        bell_close(bell);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ring),         cmocka_unit_test(test_reaches_all),
                cmocka_unit_test(test_refused),      cmocka_unit_test(test_no_ring_lost),
                cmocka_unit_test(test_wait_is_idle),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
