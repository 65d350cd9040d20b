/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that take turns on one CPU: by hand, and against a simulation slice by slice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "sim/systems/packing/share.h"

enum { JOBS = 6 };

static const struct share_cost plain = { .slice_ns = 10, .waiting = SHARE_BLOCK };

/* Alone a process takes its time, from when it is ready, whatever sharing costs. */
static void alone(void **state)
{
        (void)state;
        const struct share_cost cost = { .slice_ns = 10, .switch_ns = 5, .refill_ns = 7 };
        struct share_job job = { .ready_ns = 3, .left_ns = 1000 };
        assert_int_equal(share_run(&job, 1, &cost, NULL), 0);
        assert_int_equal(job.end_ns, 1003);
}

/* Two of 25 ns in slices of 10 ns end at 45 and 50 where nothing costs anything. */
static void takes_turns(void **state)
{
        (void)state;
        struct share_job job[2] = { { 0, 25, 0 }, { 0, 25, 0 } };
        share_run(job, 2, &plain, NULL);
        assert_int_equal(job[0].end_ns, 45);
        assert_int_equal(job[1].end_ns, 50);
}

/* Two of 20 ns: four turns, each with a switch and a refill. */
static void switches_cost(void **state)
{
        (void)state;
        struct share_cost cost = plain;
        cost.switch_ns = 2;
        cost.refill_ns = 1;
        struct share_job job[2] = { { 0, 20, 0 }, { 0, 20, 0 } };
        assert_int_equal(share_run(job, 2, &cost, NULL), 4);
        assert_int_equal(job[1].end_ns, 40 + 4 * 3);
}

/* What waits costs next to nothing if it blocks, a look each turn if it yields, a slice if it
 * polls. */
static void waiting_costs(void **state)
{
        (void)state;
        static const struct {
                enum share_waiting waiting;
                int64_t end_ns;
        } cases[] = { { SHARE_BLOCK, 30 },
                      { SHARE_YIELD, 3 * 12 + 2 * 3 },
                      { SHARE_POLL, 3 * 12 + 2 * 12 } };
        for (int i = 0; i < 3; i++) {
                struct share_cost cost = plain;
                cost.switch_ns = 2;
                cost.poll_ns = 1;
                cost.waiting = cases[i].waiting;
                struct share_job job[2] = { { 0, 30, 0 }, { 0, 0, 0 } };
                share_run(job, 2, &cost, NULL);
                assert_int_equal(job[0].end_ns, cases[i].end_ns);
                assert_int_equal(job[1].end_ns, 0);
        }
}

/* One slice at a time. */
static int64_t slice_by_slice(struct share_job *job, int32_t njob, int64_t slice_ns)
{
        int64_t now_ns = 0;
        for (;;) {
                int64_t begin_ns = now_ns, next_ns = INT64_MAX;
                for (int32_t i = 0; i < njob; i++) {
                        if (job[i].left_ns > 0 && job[i].ready_ns > begin_ns &&
                            job[i].ready_ns < next_ns)
                                next_ns = job[i].ready_ns;
                        if (job[i].left_ns == 0 || job[i].ready_ns > begin_ns)
                                continue;
                        int64_t ran = job[i].left_ns < slice_ns ? job[i].left_ns : slice_ns;
                        job[i].left_ns -= ran;
                        now_ns += ran;
                        job[i].end_ns = now_ns;
                }
                if (now_ns == begin_ns && next_ns == INT64_MAX)
                        return now_ns;
                if (now_ns == begin_ns)
                        now_ns = next_ns;
        }
}

/* Taking many rounds at once changes nothing; no time is lost or won. */
static void rounds_at_once(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        for (int run = 0; run < 2000; run++) {
                struct share_job job[JOBS], copy[JOBS];
                int32_t njob = 1 + run % JOBS;
                for (int32_t i = 0; i < njob; i++) {
                        job[i] = (struct share_job){
                                .ready_ns = (int64_t)lb_random_below(&random, 300),
                                .left_ns = (int64_t)lb_random_below(&random, 500),
                        };
                        copy[i] = job[i];
                        copy[i].end_ns = job[i].ready_ns;
                }
                share_run(job, njob, &plain, NULL);
                slice_by_slice(copy, njob, plain.slice_ns);
                for (int32_t i = 0; i < njob; i++)
                        assert_int_equal(job[i].end_ns, copy[i].end_ns);
        }
}

/* An hour in slices of a microsecond is as quick as a second. */
static void long_times(void **state)
{
        (void)state;
        const struct share_cost cost = { .slice_ns = 1000, .switch_ns = 10 };
        struct share_job job[2] = { { 0, INT64_C(3600000000000), 0 },
                                    { 5, INT64_C(3600000000000), 0 } };
        assert_true(share_run(job, 2, &cost, NULL) > 7000000000);
        assert_true(job[1].end_ns > INT64_C(7200000000000));
}

/* Alone a message is seen at once; with others it takes their turns. */
static void responses(void **state)
{
        (void)state;
        struct share_cost cost = {
                .slice_ns = 1000, .switch_ns = 20, .poll_ns = 10, .wake_ns = 50
        };
        assert_int_equal(share_response_ns(&cost, 0), 0);
        assert_int_equal(share_response_ns(&cost, 2), 2 * 30 + 20);
        cost.waiting = SHARE_POLL;
        assert_int_equal(share_response_ns(&cost, 2), 2 * 1020 + 20);
        cost.waiting = SHARE_BLOCK;
        assert_int_equal(share_response_ns(&cost, 2), 70);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(alone),          cmocka_unit_test(takes_turns),
                cmocka_unit_test(switches_cost),  cmocka_unit_test(waiting_costs),
                cmocka_unit_test(rounds_at_once), cmocka_unit_test(long_times),
                cmocka_unit_test(responses),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
