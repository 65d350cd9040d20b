/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch_test.h"

#include "real/control/job.h"
#include "real/launch/plan.h"
#include "real/launch/pulse.h"
#include "real/launch/roster.h"

/* What is concluded from the news of keepers, and from looks at a lifeline, by a clock of ours. */
enum { RANKS = 4 };
static const int64_t second_ns = 1000000000;
static struct plan plan;
static struct roster *roster;
static char text[1024];

static int setup(void **state)
{
        (void)state;
        plan = (struct plan){ .job = test_job(), .nodes.virtual_nodes = true };
        if (!plan.job)
                return -1;
        struct lb_error err;
        roster = roster_create(&plan, &err);
        return roster ? 0 : -1;
}

static int teardown(void **state)
{
        (void)state;
        roster_destroy(roster);
        job_destroy(plan.job);
        return 0;
}

static bool tell(int32_t rank, enum news_kind kind, int32_t value, pid_t sender)
{
        const struct news news = {
                .kind = (int32_t)kind, .rank = rank, .value = value, .sender = sender, .node = -1
        };
        return roster_take(roster, &news);
}

/* A keeper for each rank, up to a stage: this process, which does not end. */
static void start_all(enum life_stage stage)
{
        for (int32_t i = 0; i < RANKS; i++) {
                assert_true(tell(i, NEWS_STARTED, 0, getpid()));
                assert_true(tell(i, NEWS_STAGE, (int32_t)stage, getpid()));
        }
}

/* Seconds from one time to another, a look at each; at which one the start was overdue, or 0. */
static int64_t overdue_after(int64_t from, int64_t to)
{
        for (int64_t s = from; s <= to; s++)
                if (roster_overdue(roster, s * second_ns, text, sizeof(text)))
                        return s;
        return 0;
}

/* News of a rank come from the keeper that told of it first, and of ranks that there are. */
static void test_believed(void **state)
{
        (void)state;
        assert_true(tell(1, NEWS_STARTED, 0, getpid()));
        assert_false(tell(1, NEWS_ENDED, SIGKILL, getppid()));
        assert_false(tell(RANKS, NEWS_STARTED, 0, getpid()));
        assert_false(tell(-1, NEWS_STARTED, 0, getpid()));
        assert_true(tell(1, NEWS_ENDED, 0, getpid()));
        assert_false(tell(1, NEWS_ENDED, SIGKILL, getpid()));
}

/* Keepers that end without a word of their ranks, in the order in which they do. */
static void test_lost(void **state)
{
        (void)state;
        static const int32_t order[] = { 2, 0, 3 };
        pid_t keeper[RANKS];
        struct news lost;
        for (int32_t i = 0; i < RANKS; i++) {
                keeper[i] = fork();
                if (keeper[i] == 0)
                        for (;;)
                                pause();
                assert_true(tell(i, NEWS_STARTED, 0, keeper[i]));
        }
        assert_false(roster_lost(roster, &lost));
        assert_true(tell(1, NEWS_ENDED, 0, keeper[1]));
        kill(keeper[1], SIGKILL);
        assert_int_equal(waitpid(keeper[1], NULL, 0), keeper[1]);
        for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
                kill(keeper[order[k]], SIGKILL);
                assert_int_equal(waitpid(keeper[order[k]], NULL, 0), keeper[order[k]]);
        }
        roster_look(roster);
        assert_true(tell(0, NEWS_ENDED, 0, keeper[0])); /* sent before its end */
        for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
                if (order[k] == 0)
                        continue;
                assert_true(roster_lost(roster, &lost));
                assert_int_equal(lost.kind, NEWS_KEEPER);
                assert_int_equal(lost.rank, order[k]);
                assert_int_equal(lost.pid, keeper[order[k]]);
        }
        assert_false(roster_lost(roster, &lost));
}

/* Of a node's ends that are not well the first, whatever other nodes' come between; and not one
 * that follows from another. */
static void test_first_failed(void **state)
{
        (void)state;
        static const struct {
                int32_t rank, kind, value, last;
                int32_t first[2]; /* of each node, then; -1: none */
        } steps[] = {
                { 1, NEWS_ENDED, 0, 0, { -1, -1 } },
                { 3, NEWS_ENDED, SIGABRT, 0, { -1, 3 } },
                { 0, NEWS_KEEPER, SIGKILL, 0, { 0, 3 } },
                { 2, NEWS_ENDED, SIGKILL, 0, { 0, 2 } },
        };
        struct news first;
        for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
                struct news news = { .kind = steps[k].kind,
                                     .rank = steps[k].rank,
                                     .value = steps[k].value,
                                     .last = steps[k].last,
                                     .sender = 1000 + steps[k].rank,
                                     .node = steps[k].rank / 2 };
                assert_true(roster_take(roster, &news));
                for (int32_t n = 0; n < 2; n++) {
                        bool known = roster_first_failed(roster, n, &first);
                        assert_int_equal(known ? first.rank : -1, steps[k].first[n]);
                }
        }
        assert_int_equal(first.value, SIGKILL);
}

/* A rank that nobody starts. */
static void test_not_started(void **state)
{
        (void)state;
        for (int32_t i = 0; i < RANKS; i++)
                if (i != 2)
                        assert_true(tell(i, NEWS_STARTED, 0, getpid()));
        assert_int_equal(overdue_after(100, 200), 160);
        assert_non_null(strstr(text, "rank 2, helper of apprank 0 on virtual node 1"));
        assert_non_null(strstr(text, "not been started by mpirun"));
}

/* Nobody is blamed where none is started. */
static void test_none_started(void **state)
{
        (void)state;
        assert_int_equal(overdue_after(100, 200), 160);
        assert_non_null(strstr(text, "mpirun has started no rank for 60 s"));
}

/* Ranks that wait for each other: some progress is enough. A program that runs may be silent. */
static void test_stages(void **state)
{
        (void)state;
        start_all(LIFE_INIT);
        assert_int_equal(overdue_after(0, 50), 0);
        assert_true(tell(0, NEWS_STAGE, LIFE_INITIALISED, getpid()));
        assert_int_equal(overdue_after(51, 200), 111);
        assert_non_null(strstr(text, "rank 1, "));
        assert_non_null(strstr(text, "MPI_Init() for 60 s"));
        assert_non_null(strstr(text, "; 2 others likewise"));
        for (int32_t i = 0; i < RANKS; i++)
                assert_true(tell(i, NEWS_STAGE, LIFE_INITIALISED, getpid()));
        assert_int_equal(overdue_after(300, 500), 0); /* what the program does in between */
        start_all(LIFE_START);
        assert_int_not_equal(overdue_after(600, 700), 0);
        assert_non_null(strstr(text, "lbrun_start() for 60 s"));
        assert_int_not_equal(roster_due_ns(roster, 0), 0);
        start_all(LIFE_RUNS);
        assert_int_equal(overdue_after(800, 1000), 0);
        assert_int_equal(roster_due_ns(roster, 0), 0);
}

/* One that has not come to MPI yet may take its time. */
static void test_late(void **state)
{
        (void)state;
        start_all(LIFE_NONE);
        for (int32_t i = 1; i < RANKS; i++)
                assert_true(tell(i, NEWS_STAGE, LIFE_INIT, getpid()));
        assert_int_equal(overdue_after(0, 300), 0);
}

/* While the whole job is stopped, no time passes; nor is there any limit where it is 0. */
static void test_clock(void **state)
{
        (void)state;
        start_all(LIFE_INIT);
        assert_int_equal(overdue_after(1, 51), 0);
        assert_int_equal(overdue_after(1000, 1006), 0);
        assert_int_equal(overdue_after(1007, 1020), 1008); /* 50 s, 2 for the gap, and 8 */
        plan.job->param[JOB_START_S] = 0;
        assert_int_equal(overdue_after(1021, 2000), 0);
}

/* A node that no rank comes from, where others wait: a second more for each node. */
static void test_several_nodes(void **state)
{
        static char *host[] = { "n1", "n2" };
        (void)state;
        plan.nodes.virtual_nodes = plan.job->virtual_nodes = false;
        plan.nodes.name = host;
        plan.nodes.nnode = 2;
        for (int32_t i = 0; i < RANKS; i++) {
                if (plan.job->shape.worker_node[plan.job->rank_worker[i]] == 1)
                        continue;
                assert_true(tell(i, NEWS_STARTED, 0, getpid()));
                assert_true(tell(i, NEWS_STAGE, LIFE_INIT, getpid()));
        }
        assert_int_equal(overdue_after(1, 200), 61 + plan.job->nnode);
        assert_non_null(strstr(text, "on host n2, node 1, has not been started"));
}

/* ---- A program's pulse ---- */

static struct lifeline line;

/* Looks a second apart; the first finding, and when. */
static int32_t find(struct pulse *pulse, int32_t from, int32_t to, struct pulse_finding *finding)
{
        for (int32_t s = from; s <= to; s++) {
                pulse_look(pulse, s);
                if (pulse_find(pulse, finding))
                        return s;
        }
        return 0;
}

/* A thread that does not look for messages is named after a minute, and ended where asked. */
static void test_silence(void **state)
{
        (void)state;
        struct pulse pulse;
        struct pulse_finding finding;
        line = (struct lifeline){ .stage = LIFE_INIT };
        pulse_init(&pulse, &line, plan.job);
        assert_int_equal(find(&pulse, 1, 100, &finding), 0); /* only while it runs */
        line.stage = LIFE_RUNS;
        line.beats = 5;
        assert_int_equal(find(&pulse, 101, 120, &finding), 0);
        line.beats = 6;
        assert_int_equal(find(&pulse, 121, 1000, &finding), 181);
        assert_int_equal(finding.kind, NEWS_SILENT);
        assert_int_equal(finding.seconds, 60);
        assert_false(finding.ends);
        assert_int_equal(find(&pulse, 182, 1000, &finding), 0); /* once */
        plan.job->param[JOB_HUNG_S] = 90;
        pulse_init(&pulse, &line, plan.job);
        assert_int_equal(find(&pulse, 1, 1000, &finding), 61); /* the first look notes the beats */
        assert_false(finding.ends);
        assert_int_equal(find(&pulse, 62, 1000, &finding), 91);
        assert_int_equal(finding.kind, NEWS_SILENT);
        assert_true(finding.ends);
        assert_int_equal(find(&pulse, 92, 1000, &finding), 0);
}

/* A task is only named; a pause of all does not count. */
static void test_task(void **state)
{
        (void)state;
        struct pulse pulse;
        struct pulse_finding finding;
        plan.job->param[JOB_HUNG_S] = 10;
        line = (struct lifeline){ .stage = LIFE_RUNS, .task_ns = 77 };
        pulse_init(&pulse, &line, plan.job);
        for (int32_t s = 1; s < 9; s++) {
                line.beats++;
                assert_int_equal(find(&pulse, s, s, &finding), 0);
        }
        line.beats++;
        assert_int_equal(find(&pulse, 500, 500, &finding), 0);
        line.beats++;
        assert_int_equal(find(&pulse, 501, 501, &finding), 501);
        assert_int_equal(finding.kind, NEWS_LONG_TASK);
        assert_false(finding.ends);
        for (int32_t s = 502; s < 600; s++) {
                line.beats++;
                assert_int_equal(find(&pulse, s, s, &finding), 0);
        }
}

/* Who has left MPI_Finalize() by force and called exit() ends within seconds. */
static void test_exit(void **state)
{
        (void)state;
        struct pulse pulse;
        struct pulse_finding finding;
        line = (struct lifeline){ .stage = LIFE_ABANDONED };
        pulse_init(&pulse, &line, plan.job);
        assert_int_equal(find(&pulse, 1, 100, &finding), 0);
        line.code = 1;
        assert_int_equal(find(&pulse, 101, 200, &finding), 105);
        assert_int_equal(finding.kind, NEWS_NONE);
        assert_true(finding.ends);
}

#define story(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                story(test_believed),    story(test_lost),          story(test_first_failed),
                story(test_not_started), story(test_stages),        story(test_late),
                story(test_clock),       story(test_several_nodes), story(test_none_started),
                story(test_silence),     story(test_task),          story(test_exit),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
