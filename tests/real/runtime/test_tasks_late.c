/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks, their order and their data over ranks, under simulated time, where messages and data are
 * late wherever they may be and policies decide anything (late_world.h): jobs drawn from a seed.
 *
 * - The memory of each apprank after each taskwait is that of the same tasks one after another.
 * - So it is where tasks that wait at home are given to helpers that ask.
 * - All tasks end, each is executed, and nothing is left: no task, message, piece of data, or
 * count.
 *
 * LB_LATE_FIRST=SEED LB_LATE_COUNT=1 repeats the job of a seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* real/runtime has one */

#include <stdio.h>
#include <stdlib.h>

#include "tests/real/runtime/late_world.h"

enum { NJOB = 30, STEPS = 200000 };

static int32_t between(struct lb_random *random, int32_t low, int32_t high)
{
        return low + (int32_t)lb_random_below(random, (uint64_t)(high - low + 1));
}

static struct late_spec draw_job(uint64_t seed)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_PHASE, 4);
        struct late_spec spec = { .seed = seed,
                                  .migrates = seed % 2,
                                  .ntask = WORK_TASKS,
                                  .napprank = between(&random, 1, 4),
                                  .ncore = between(&random, 1, LATE_CORES),
                                  .rounds = between(&random, 1, 4) };
        int32_t most = LATE_RANKS / spec.napprank;
        most = most < spec.napprank ? most : spec.napprank;
        spec.napprank += spec.migrates;
        spec.nplace = between(&random, 1, most);
        return spec;
}

static int64_t run_job(uint64_t seed, int64_t *given)
{
        struct late_spec spec = draw_job(seed);
        struct late_world *world = late_create(&spec);
        int32_t step = 0;
        int64_t executed = 0;
        for (; step < STEPS && !late_is_over(world); step++)
                late_step(world);
        if (step == STEPS) {
                print_error("seed %llu: it does not end\n", (unsigned long long)seed);
                late_describe(world);
        }
        assert_true(step < STEPS);
        for (int32_t r = 0; r < world->nrank; r++)
                executed += world->rank[r].executed;
        *given += world->given;
        late_destroy(world);
        return executed;
}

static void test_late(void **state)
{
        (void)state;
        const char *first = getenv("LB_LATE_FIRST"), *count = getenv("LB_LATE_COUNT");
        uint64_t from = first ? strtoull(first, NULL, 10) : 0;
        uint64_t until = from + (count ? strtoull(count, NULL, 10) : NJOB);
        int64_t executed = 0, given = 0;
        for (uint64_t seed = from; seed < until; seed++)
                executed += run_job(seed, &given);
        printf("%llu jobs, %lld tasks, %lld given away while they waited\n",
               (unsigned long long)(until - from), (long long)executed, (long long)given);
        assert_true(first || given > 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_late) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
