/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The controls of live jobs in bad weather (storm.h), under simulated time: jobs drawn from a seed,
 * whatever is late or stands still, and what must hold all the same.
 *
 * - After each millisecond: every core has one owner and one user, of those that may (world.c).
 * - No task is lost: each iteration ends.
 * - Once the weather is fair: no core stays asked back or with somebody who has nothing to do;
 *   targets are reached; who has work has all of its own cores.
 * - A job that ends in the middle leaves nothing.
 *
 * LB_STORM_FIRST=SEED LB_STORM_COUNT=1 repeats the job of a seed; a count of polls is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/real/control/storm.h"
#include "tests/real/control/world.h"

enum { NJOB = 200, MANY = 5000 };

static int32_t between(struct lb_random *random, int32_t low, int32_t high)
{
        return low + (int32_t)lb_random_below(random, (uint64_t)(high - low + 1));
}

static void draw_tasks(struct lb_random *random, struct world_spec *spec)
{
        for (int32_t a = 0; a < spec->napprank; a++) {
                spec->ntask[a] = between(random, 0, 60);
                spec->task_ms[a] = between(random, 1, 12);
        }
}

static struct world_spec draw_job(struct lb_random *random, uint64_t seed)
{
        static const char *const systems[] = { "dlb", "local", "global", "dynamic" };
        struct world_spec spec = { .system = systems[between(random, 0, 3)],
                                   .nnode = between(random, 1, 4),
                                   .boundary = between(random, 0, 1),
                                   .no_lewi = between(random, 0, 5) == 0,
                                   .no_drom = between(random, 0, 5) == 0,
                                   .borrow_ahead = between(random, 0, 2),
                                   .poll_s = 0.001 * between(random, 2, 8),
                                   .storm = seed + 1 };
        bool offloads = strcmp(spec.system, "dlb") != 0;
        int32_t per_node = between(random, offloads ? 1 : 2, 2);
        spec.napprank = spec.nnode * per_node;
        spec.degree = offloads ? between(random, 1, spec.nnode) : 1;
        spec.ncore = per_node * spec.degree + between(random, 1, 6);
        draw_tasks(random, &spec);
        return spec;
}

/* ---- What must hold in the end ---- */

static bool is_settled(const struct world *world, int32_t worker)
{
        const struct world_worker *w = &world->worker[worker];
        int32_t local = world_local(world->job, worker);
        bool due = world->job->drom && world_target(world, worker) != world_owned(world, worker);
        for (int32_t core = 0; core < world->spec.ncore; core++) {
                int32_t owner = cores_builtin.owner(w->cores, core);
                if (w->task_left_ms[core] == 0 && cores_builtin.usable(w->cores, core) &&
                    owner != local && cores_builtin.must_return(w->cores, core))
                        return false;
        }
        return !due;
}

static bool all_hold(const struct world *world,
                     bool (*holds)(const struct world *world, int32_t worker))
{
        for (int32_t w = 0; w < world->job->nworker; w++)
                if (!holds(world, w))
                        return false;
        return true;
}

/* All own cores run its tasks, where it has more than enough. */
static bool has_its_own(const struct world *world, int32_t worker)
{
        const struct world_worker *w = &world->worker[worker];
        int32_t own = 0, local = world_local(world->job, worker);
        for (int32_t core = 0; core < world->spec.ncore; core++)
                own += w->task_left_ms[core] > 0 && cores_builtin.owner(w->cores, core) == local;
        return w->ready == 0 || own == world_owned(world, worker);
}

static void await(struct world *world, bool (*holds)(const struct world *world, int32_t worker),
                  const char *what, uint64_t seed)
{
        enum { MOST_MS = 6000 };
        for (int32_t ms = 0; ms < MOST_MS && !all_hold(world, holds); ms++)
                world_step(world);
        if (!all_hold(world, holds))
                fail_msg("seed %llu, %s: %s", (unsigned long long)seed, world->spec.system, what);
}

static bool has_no_task(const struct world *world, int32_t worker)
{
        return world->worker[worker].tasks == 0;
}

/* More than enough for every so many-th apprank, and time to take cores for it. */
static void give_work(struct world *world, int32_t stride)
{
        for (int32_t a = 0; a < world->spec.napprank; a++) {
                world->spec.ntask[a] = a % stride == 0 ? MANY : 0;
                world->spec.task_ms[a] = 20;
        }
        world_create_tasks(world);
        for (int32_t ms = 0; ms < 100; ms++)
                world_step(world);
}

static void check_end(struct world *world, uint64_t seed)
{
        storm_calm(world->storm);
        await(world, has_no_task, "tasks are lost", seed);
        assert_int_equal(world_tasks_left(world), 0);
        await(world, is_settled, "a target is not reached, or a core not given back", seed);
        give_work(world, 2); /* who borrow what the others do not need, and have no end of work */
        give_work(world, 1);
        await(world, has_its_own, "an owner with work lacks its cores", seed);
}

/* ---- Jobs ---- */

static void check_nothing_left(const char *id, int32_t nnode)
{
        for (int32_t node = 0; node < nnode; node++) {
                char path[128];
                snprintf(path, sizeof(path), "/dev/shm/lbrun-%ju-%s-%d", (uintmax_t)geteuid(), id,
                         (int)node);
                assert_int_not_equal(access(path, F_OK), 0);
        }
}

static int64_t run_job(uint64_t seed)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_PHASE, 2);
        struct world_spec spec = draw_job(&random, seed);
        struct world *world = world_create(&spec);
        bool killed = between(&random, 0, 3) == 0;
        for (int32_t i = between(&random, 1, 60); i > 0; i--) {
                draw_tasks(&random, &world->spec);
                world_iterate(world);
        }
        for (int32_t ms = between(&random, 0, 300); killed && ms > 0; ms--)
                world_step(world);
        world_create_tasks(world);
        for (int32_t ms = between(&random, 0, 300); ms > 0; ms--)
                world_step(world);
        if (!killed)
                check_end(world, seed);
        char id[JOB_ID_SIZE];
        memcpy(id, world->job->id, sizeof(id));
        int64_t npoll = world->npoll;
        world_destroy(world);
        check_nothing_left(id, spec.nnode);
        return npoll;
}

static void test_storms(void **state)
{
        (void)state;
        const char *first = getenv("LB_STORM_FIRST"), *count = getenv("LB_STORM_COUNT");
        uint64_t from = first ? strtoull(first, NULL, 10) : 0;
        uint64_t until = from + (count ? strtoull(count, NULL, 10) : NJOB);
        int64_t npoll = 0;
        for (uint64_t seed = from; seed < until; seed++) {
                if (getenv("LB_STORM_SAY"))
                        fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
                npoll += run_job(seed);
        }
        printf("%llu jobs, %lld polls\n", (unsigned long long)(until - from), (long long)npoll);
        assert_true(count || npoll >= 1000000);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_storms) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
