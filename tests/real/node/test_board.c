/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/board.h"
#include "real/node/cores.h"
#include "tests/real/node/node_world.h"

enum { PATIENCE_S = 60, NCORE = 4 };

static struct board *open_as(const char *job, int32_t nworker, int32_t worker, double timeout_s,
                             struct lb_error *err)
{
        const struct board_spec spec = {
                .job = job, .nworker = nworker, .worker = worker, .ncore = NCORE
        };
        return board_open(&spec, timeout_s, err);
}

static struct board *must_open(const char *job, int32_t nworker, int32_t worker)
{
        struct lb_error err;
        struct board *board = open_as(job, nworker, worker, PATIENCE_S, &err);
        if (!board)
                fail_msg("%s", err.text);
        return board;
}

/* The other worker of a board of two: a process that does `work` with it and ends with its result.
 */
typedef int (*work)(struct board *board);
static pid_t start_other(const char *job, work work_of_other)
{
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid > 0)
                return pid;
        struct lb_error err;
        alarm(PATIENCE_S);
        struct board *board = open_as(job, 2, 1, PATIENCE_S, &err);
        int result = board ? work_of_other(board) : 1;
        board_close(board);
        _exit(result);
}

static void end_other(pid_t pid)
{
        int status = -1;
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
}

static int64_t cpu_us(void)
{
        struct timespec at;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
        return at.tv_sec * INT64_C(1000000) + at.tv_nsec / 1000;
}

/* --- opening --- */

static int tell_and_read(struct board *board)
{
        struct board_worker *mine = board_worker(board, 1), *other = board_worker(board, 0);
        mine->busy_ns = INT64_C(1) << 40;
        mine->ready = 5; /* the other waits for it */
        uint32_t ticket = board_ticket(board);
        board_wake(board, 0);
        while (other->target != 3) {
                board_wait(board, ticket, -1);
                ticket = board_ticket(board);
        }
        return *board_epoch(board) == 1 && mine->pid == (int32_t)getpid() ? 0 : 1;
}

/* What one worker tells the other reads. */
static void test_told(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        pid_t pid = start_other(job, tell_and_read);
        struct board *board = must_open(job, 2, 0);
        assert_int_equal(board_worker(board, 1)->pid, pid);
        assert_int_equal(board_worker(board, 0)->pid, getpid());
        uint32_t ticket = board_ticket(board);
        while (board_worker(board, 1)->ready != 5)
                board_wait(board, ticket, 1000000);
        assert_true(board_worker(board, 1)->busy_ns == INT64_C(1) << 40);
        atomic_fetch_add(board_epoch(board), 1);
        board_worker(board, 0)->target = 3;
        board_wake(board, 1);
        end_other(pid);
        assert_int_equal(board_dead(board), -1);
        board_close(board);
        assert_int_equal(world_segments(job), 0);
}

/* Who only looks sees what workers tell, is no member, and goes on seeing it when they are gone;
 * where there is no board, or one of other sizes, there is nothing to see. */
static void test_look(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct board_spec spec = { .job = job, .nworker = 1, .ncore = NCORE };
        assert_null(board_look(&spec));
        struct board *board = must_open(job, 1, 0);
        board_worker(board, 0)->ready = 7;
        struct board *seen = board_look(&spec);
        assert_non_null(seen);
        assert_int_equal(board_worker(seen, 0)->ready, 7);
        assert_int_equal(board_core(seen, NCORE - 1).owner, -1);
        const int32_t owned = NCORE;
        const struct cores_spec cores_spec = {
                .board = board, .job = job, .ncore = NCORE, .nworker = 1, .owned = &owned
        };
        struct lb_error err;
        struct cores *cores = cores_builtin.open(&cores_spec, &err);
        assert_non_null(cores);
        assert_int_equal(cores_builtin.lend(cores, 2), CORES_DONE);
        assert_int_equal(board_core(seen, 2).owner, 0);
        assert_int_equal(board_core(seen, 2).user, -1);
        assert_int_equal(board_core(seen, 1).user, 0);
        spec.ncore++;
        assert_null(board_look(&spec));
        cores_builtin.close(cores);
        board_close(board);
        assert_int_equal(world_segments(job), 0);
        assert_int_equal(board_worker(seen, 0)->ready, 7);
        board_close(seen);
}

/* Who opens waits for all; who does not come is named; sizes that cannot be are refused. */
static void test_open_fails(void **state)
{
        (void)state;
        static const struct {
                struct board_spec spec;
                const char *message;
        } refused[] = {
                { { .job = "x", .node = 0, .nworker = 2, .worker = 0, .ncore = NCORE },
                  "place 1 of 2" },
                { { .job = "x", .node = 0, .nworker = 0, .worker = 0, .ncore = NCORE },
                  "0 workers on node 0: must be 1 to" },
                { { .job = "x", .node = 0, .nworker = 40000, .worker = 0, .ncore = NCORE },
                  "40000 workers" },
                { { .job = "x", .node = 0, .nworker = 1, .worker = 0, .ncore = 0 },
                  "0 cores on node 0: must be 1 to" },
                { { .job = "x", .node = -1, .nworker = 1, .worker = 0, .ncore = NCORE },
                  "node -1 must be 0 or more" },
                { { .job = "x", .node = 2, .nworker = 1, .worker = 1, .ncore = NCORE },
                  "board of node 2: place 1 of 1" },
                { { .job = "x", .node = 3, .beside = 4, .nworker = 1, .worker = 1, .ncore = NCORE },
                  "board of node 3: place 1 of 1" },
        };
        char job[32];
        world_job(job);
        for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
                struct lb_error err;
                struct board_spec spec = refused[i].spec;
                spec.job = job;
                assert_null(board_open(&spec, 0.02, &err));
                if (!strstr(err.text, refused[i].message))
                        fail_msg("'%s' is not about '%s'", err.text, refused[i].message);
                assert_int_equal(world_segments(job), 0);
        }
        board_close(NULL);
}

/* --- deaths --- */

static int be_killed(struct board *board)
{
        (void)board;
        return raise(SIGKILL);
}

/* A worker that is killed is dead also while its parent has not yet waited for it; one that closes
 * is not. */
static void test_dead(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        pid_t pid = start_other(job, be_killed);
        struct board *board = must_open(job, 2, 0);
        waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
        assert_int_equal(board_dead(board), 1);
        waitpid(pid, NULL, 0);
        assert_int_equal(board_dead(board), 1);
        board_close(board);
        assert_int_equal(world_segments(job), 0);
}

/* Once seen alive, its end is seen too. */
static void test_dies_later(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        int stay[2];
        assert_int_equal(pipe(stay), 0);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                char byte;
                struct lb_error err;
                close(stay[1]);
                struct board *board = open_as(job, 2, 1, PATIENCE_S, &err);
                _exit(board && read(stay[0], &byte, 1) == 0 ? 0 : 1);
        }
        close(stay[0]);
        struct board *board = must_open(job, 2, 0);
        for (int i = 0; i < 1000; i++)
                assert_int_equal(board_dead(board), -1);
        close(stay[1]);
        end_other(pid);
        assert_int_equal(board_dead(board), 1);
        board_close(board);
}

/* --- sleeping --- */

enum { ROUNDS = 20000 };

/* Take turns: each waits without a limit for the other's number. */
static int take_turns(struct board *board, int32_t me)
{
        struct board_worker *mine = board_worker(board, me), *other = board_worker(board, 1 - me);
        for (int32_t turn = me; turn < ROUNDS; turn += 2) {
                uint32_t ticket = board_ticket(board);
                while (other->tasks < turn) {
                        board_wait(board, ticket, -1);
                        ticket = board_ticket(board);
                }
                mine->tasks = turn + 1;
                board_wake(board, 1 - me);
        }
        return 0;
}

static int take_other_turns(struct board *board)
{
        return take_turns(board, 1);
}

/* No wake is lost: each of many turns ends a wait without a limit. */
static void test_no_wake_lost(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        pid_t pid = start_other(job, take_other_turns);
        struct board *board = must_open(job, 2, 0);
        alarm(PATIENCE_S);
        take_turns(board, 0);
        alarm(0);
        assert_int_equal(board_worker(board, 0)->tasks, ROUNDS - 1);
        end_other(pid);
        board_close(board);
}

/* A wait returns at once where a wake came after the ticket, also when it came before the wait, and
 * never early of its own. */
static void test_ticket(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct board *board = must_open(job, 1, 0);
        uint32_t ticket = board_ticket(board);
        board_wake(board, 0);
        alarm(PATIENCE_S);
        board_wait(board, ticket, -1);
        alarm(0);

        struct timespec begin, end;
        ticket = board_ticket(board);
        clock_gettime(CLOCK_MONOTONIC, &begin);
        board_wait(board, ticket, 0);
        board_wait(board, ticket, 20000000);
        clock_gettime(CLOCK_MONOTONIC, &end);
        int64_t ns =
            (end.tv_sec - begin.tv_sec) * INT64_C(1000000000) + end.tv_nsec - begin.tv_nsec;
        assert_true(ns >= 20000000);
        board_close(board);
}

/* Waiting costs no processor time to speak of: here less than a tenth of it. */
static void test_wait_is_idle(void **state)
{
        (void)state;
        char job[32];
        world_job(job);
        struct board *board = must_open(job, 1, 0);
        int64_t before_us = cpu_us();
        board_wait(board, board_ticket(board), 1000000000);
        assert_true(cpu_us() - before_us < 100000);
        board_close(board);
}

/* Nor does waiting for workers that do not come. */
static void test_open_is_idle(void **state)
{
        (void)state;
        char job[32];
        struct lb_error err;
        world_job(job);
        int64_t before_us = cpu_us();
        assert_null(open_as(job, 2, 0, 1.0, &err));
        assert_true(cpu_us() - before_us < 100000);
}

struct sleeper {
        struct board *board;
        uint32_t ticket;
};

static void *sleep_on(void *argument)
{
        const struct sleeper *sleeper = argument;
        board_wait(sleeper->board, sleeper->ticket, -1);
        return NULL;
}

/* A wake wakes all threads of a worker. */
static void test_wakes_all(void **state)
{
        (void)state;
        enum { N = 4 };
        char job[32];
        world_job(job);
        pthread_t thread[N];
        struct sleeper sleeper = { .board = must_open(job, 1, 0) };
        sleeper.ticket = board_ticket(sleeper.board);
        for (int i = 0; i < N; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, sleep_on, &sleeper), 0);
        const struct timespec pause = { .tv_nsec = 20000000 };
        nanosleep(&pause, NULL);
        board_wake(sleeper.board, 0);
        alarm(PATIENCE_S);
        for (int i = 0; i < N; i++)
                pthread_join(thread[i], NULL);
        alarm(0);
        board_close(sleeper.board);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_told),         cmocka_unit_test(test_look),
                cmocka_unit_test(test_open_fails),   cmocka_unit_test(test_dead),
                cmocka_unit_test(test_dies_later),   cmocka_unit_test(test_no_wake_lost),
                cmocka_unit_test(test_ticket),       cmocka_unit_test(test_wait_is_idle),
                cmocka_unit_test(test_open_is_idle), cmocka_unit_test(test_wakes_all),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
