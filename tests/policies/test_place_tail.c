/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of an iteration: a slow worker refuses what it would end last, equal ones are left alone,
 * and no task is left to nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/random.h"
#include "policies/place_tail.h"

enum { NWORKER = 3, WAVES = 40 };

struct world {
        struct tail *tail;
        struct place_view view;
        int32_t tasks[NWORKER], cores[NWORKER];
};

/* Its workers have ended so many tasks for each core, as long as they last there. */
static struct world make(const double *task_s, const int32_t *cores)
{
        struct world world = { .tail = calloc(1, tail_size(NWORKER)) };
        assert_non_null(world.tail);
        tail_init(world.tail, NWORKER, false);
        world.view = (struct place_view){ .nworker = NWORKER, .occasion = PLACE_FINISHED };
        for (int32_t w = 0; w < NWORKER; w++) {
                world.cores[w] = cores[w];
                world.view.worker = w;
                world.view.finished_ns = (int64_t)(task_s[w] * 1e9);
                for (int i = 0; i < WAVES * cores[w]; i++)
                        tail_finished(world.tail, &world.view, 0);
        }
        return world;
}

static int64_t most(struct world *world, int32_t worker, int64_t held)
{
        world->view.tasks = world->tasks;
        world->view.worker = worker;
        world->view.held_tasks = held;
        return tail_most(world->tail, &world->view, world->cores, held);
}

/* Two fast cores end four tasks when the slow one has ended one: of five held, it takes none while
 * it has one. */
static void test_slow(void **state)
{
        (void)state;
        struct world world = make((const double[]){ 0.4, 0.1, 0.1 }, (const int32_t[]){ 1, 1, 1 });
        world.tasks[0] = world.tasks[1] = world.tasks[2] = 1;
        assert_int_equal(most(&world, 0, 5), 0);
        assert_true(most(&world, 1, 5) >= 2);
        assert_true(most(&world, 2, 5) >= 2);
        /* with many held there is time for everybody */
        assert_true(most(&world, 0, 100) >= 5);
        assert_in_range(most(&world, 0, 100), 9, 12); /* a ninth of 103, less its own */
        free(world.tail);
}

static void test_alike(void **state)
{
        (void)state;
        struct world world =
            make((const double[]){ 0.1, 0.11, 0.12 }, (const int32_t[]){ 4, 1, 2 });
        world.tasks[0] = 8;
        world.tasks[1] = 2;
        for (int32_t w = 0; w < NWORKER; w++)
                assert_int_equal(most(&world, w, 5), 5);
        free(world.tail);
}

/* Whatever the workers have, one of them takes what is held, unless one has tasks and will ask
 * again. */
static void nobody(bool whole)
{
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_LOADS, 0);
        for (int round = 0; round < 2000; round++) {
                double task_s[NWORKER];
                int32_t cores[NWORKER];
                for (int32_t w = 0; w < NWORKER; w++) {
                        task_s[w] = 0.01 + lb_random_unit(&random);
                        cores[w] = 1 + (int32_t)lb_random_below(&random, 8);
                }
                struct world world = make(task_s, cores);
                world.tail->whole = whole;
                int64_t held = 1 + (int64_t)lb_random_below(&random, 50), taken = 0;
                for (int32_t w = 0; w < NWORKER; w++) {
                        world.tasks[w] = (int32_t)lb_random_below(&random, 4);
                        taken += world.tasks[w];
                }
                for (int32_t w = 0; w < NWORKER; w++) {
                        int64_t count = most(&world, w, held);
                        assert_true(count >= 0);
                        taken += count;
                }
                assert_true(taken > 0);
                free(world.tail);
        }
}

static void test_nobody(void **state)
{
        (void)state;
        nobody(false);
        nobody(true);
}

/* A task of which it is not known how long it took tells nothing. */
static void test_unknown(void **state)
{
        (void)state;
        struct world world = make((const double[]){ 0.1, 0.4, 0.1 }, (const int32_t[]){ 2, 2, 2 });
        struct tail_worker before = world.tail->worker[1];
        world.view.worker = 1;
        world.view.finished_ns = 0;
        tail_finished(world.tail, &world.view, 0);
        assert_memory_equal(&world.tail->worker[1], &before, sizeof(before));
        free(world.tail);
}

/* Tasks that are four times as dear for a while, most of which one worker has, make no slow
 * worker; where one is, they do not hide it. */
static void test_dear(void **state)
{
        (void)state;
        static const double slowness[] = { 1, 2 };
        for (int i = 0; i < 2; i++) {
                struct world world = make((const double[]){ 0.1, 0.1 * slowness[i], 0.1 },
                                          (const int32_t[]){ 1, 1, 1 });
                for (int task = 0; task < 4000; task++) {
                        bool dear = task / 1000 % 2 == 1;
                        int32_t w = task % 10 < 8 ? (dear ? 1 : 2) : task % 2;
                        world.view.worker = w;
                        world.view.finished_ns = dear ? 400000000 : 100000000;
                        world.view.finished_ns *= w == 1 ? (int64_t)slowness[i] : 1;
                        tail_finished(world.tail, &world.view, 0);
                }
                world.tasks[0] = world.tasks[2] = 1;
                assert_int_equal(most(&world, 1, 1), i == 0 ? 1 : 0);
                free(world.tail);
        }
}

/* ---- By whole tasks ---- */

/* Every core of a worker has begun a task so long ago. */
static void all_began(struct world *world, int32_t worker, double ago_s)
{
        world->view.time_ns = 1000000000000 - (int64_t)(ago_s * 1e9);
        world->view.tasks = world->tasks;
        world->tasks[worker] = 0;
        tail_assigned(world->tail, &world->view, worker, world->cores[worker],
                      2 * world->cores[worker]);
        world->tasks[worker] = world->cores[worker];
        world->view.time_ns = 1000000000000;
}

static struct world make_whole(int32_t slow_cores, double slow_ago_s)
{
        struct world world = make((const double[]){ 0.1, 0.1, 0.4 },
                                  (const int32_t[]){ slow_cores, slow_cores, slow_cores });
        world.tail->whole = true;
        all_began(&world, 0, 0);
        all_began(&world, 1, 0);
        all_began(&world, 2, slow_ago_s);
        return world;
}

/*
 * Eight fast cores end 33 tasks of 0.1 s within 0.6 s; four slow ones, of 0.4 s, end a second one
 * after 0.8 s if they have just begun one, and within 0.55 s if it began 0.25 s ago. Where tasks
 * could be divided one of the 33 would be theirs in either case.
 */
static void test_whole(void **state)
{
        (void)state;
        static const struct {
                double ago_s;
                int64_t held, most;
        } cases[] = {
                { 0, 33, 0 },    /* 0.6 s */
                { 0, 48, 0 },    /* 0.7 s */
                { 0, 49, 4 },    /* 0.8 s */
                { 0.25, 32, 0 }, /* 0.5 s */
                { 0.25, 33, 4 },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct world world = make_whole(4, cases[i].ago_s);
                assert_int_equal(most(&world, 2, cases[i].held), cases[i].most);
                world.tail->whole = false;
                assert_int_equal(most(&world, 2, 36), 1);
                free(world.tail);
        }
}

/* Of more cores than beginnings are kept, these stand for all. */
static void test_many_cores(void **state)
{
        (void)state;
        struct world world = make_whole(100, 0.25);
        assert_in_range(most(&world, 2, 850), 99, 100);
        free(world.tail);
}

/* What finishes while tasks are there that were sent ahead lets one of them begin. */
static void test_sent_ahead(void **state)
{
        (void)state;
        struct world world = make_whole(4, 0.25);
        world.view.worker = 2;
        world.view.finished_ns = 400000000;
        for (int i = 0; i < 4; i++)
                tail_finished(world.tail, &world.view, world.cores[2]);
        assert_int_equal(most(&world, 2, 33), 0); /* as if they had just begun */
        world.view.worker = 1;
        world.tasks[1] = 12; /* 8 of them sent ahead, which come before what is held */
        assert_true(most(&world, 1, 25) < 16);
        free(world.tail);
}

/* Near the end home is given none ahead: it is there when a core of its own ends one. */
static void test_home(void **state)
{
        (void)state;
        struct world world = make_whole(4, 0);
        assert_int_equal(most(&world, 0, 33), 0);
        world.tasks[0] = 1;
        assert_int_equal(most(&world, 0, 33), 3);
        world.view.held_tasks = 3300;
        assert_true(tail_most(world.tail, &world.view, world.cores, 4) > 100);
        free(world.tail);
}

/* ---- Costs that are said ---- */

/* A worker whose tasks last four times as long, and are said to cost that, is not slow; one whose
 * tasks are said to cost as much as others' is. */
static void test_said_dear(void **state)
{
        (void)state;
        for (int said = 0; said < 2; said++) {
                struct world world =
                    make((const double[]){ 0.1, 0.1, 0.1 }, (const int32_t[]){ 1, 1, 1 });
                const double assigned[NWORKER] = { 1, 1, 1 };
                struct place_costs costs = { .assigned = assigned };
                world.view.costs = &costs;
                for (int i = 0; i < 200 * NWORKER; i++) {
                        bool dear = i % NWORKER == 2;
                        world.view.worker = i % NWORKER;
                        world.view.finished_ns = dear ? 400000000 : 100000000;
                        costs.finished = dear && said ? 4 : 1;
                        tail_finished(world.tail, &world.view, 0);
                }
                assert_int_equal(tail_slow(world.tail, 2), !said);
                free(world.tail);
        }
}

/* Work counts, not the number of tasks: the slow worker has time for one of the held tasks where
 * they are said to cost enough, and for none where as many cost little. */
static void test_held_work(void **state)
{
        (void)state;
        static const struct {
                double held, next;
                int64_t most;
        } cases[] = { { 36, 1, 1 }, { 9, 0.25, 0 }, { 72, 2, 2 }, { 72, 8, 0 } };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct world world = make_whole(4, 0);
                const double assigned[NWORKER] = { 4, 4, 4 };
                struct place_costs costs = { assigned, cases[i].held, cases[i].next, 1 };
                world.tail->whole = false;
                world.view.costs = &costs;
                assert_int_equal(most(&world, 2, 36), cases[i].most);
                free(world.tail);
        }
}

/* By whole tasks, the end of all is no sooner than that of the dearest one: somebody takes it. */
static void test_dearest_is_taken(void **state)
{
        (void)state;
        struct world world = make_whole(4, 0);
        const double assigned[NWORKER] = { 4, 4, 4 };
        struct place_costs costs = { assigned, 12.1, 12, 1 };
        world.view.costs = &costs;
        int64_t taken = 0;
        for (int32_t w = 1; w < NWORKER; w++)
                taken += most(&world, w, 2);
        assert_true(taken >= 1);
        assert_int_equal(most(&world, 2, 2), 0); /* not the slow one */
        free(world.tail);
}

/* ---- What a slow worker is sent ahead ---- */

static void test_known_slow(void **state)
{
        (void)state;
        struct world world =
            make((const double[]){ 0.1, 0.15, 0.12 }, (const int32_t[]){ 2, 2, 2 });
        assert_false(tail_slow(world.tail, 0));
        assert_true(tail_slow(world.tail, 1));
        assert_false(tail_slow(world.tail, 2));
        world.tail->worker[1].count = 7; /* too few to tell */
        assert_false(tail_slow(world.tail, 1));
        world.tail->worker[1].count = 8;
        assert_true(tail_slow(world.tail, 1));
        world.tail->worker[0].count = world.tail->worker[2].count = 7;
        assert_false(tail_slow(world.tail, 1));
        free(world.tail);
}

/* So many tasks each, a third of which last `scatter` longer and a third shorter; 1.5 times as long
 * on the second. */
static struct world scattered(int ended, double scatter)
{
        struct world world = make((const double[]){ 0.1, 0.1, 0.1 }, (const int32_t[]){ 0, 0, 0 });
        for (int i = 0; i < ended * NWORKER; i++) {
                double task_s = 0.1 * (1 + scatter * (i / NWORKER % 3 - 1));
                world.view.worker = i % NWORKER;
                world.view.finished_ns =
                    (int64_t)(task_s * (world.view.worker == 1 ? 1.5 : 1) * 1e9);
                tail_finished(world.tail, &world.view, 0);
        }
        return world;
}

/* Where tasks last alike a few tell, where they scatter it takes more; the mean is the same. */
static void test_sure(void **state)
{
        (void)state;
        static const struct {
                int ended;
                double scatter;
                bool slow;
        } cases[] = {
                { 7, 0, false },    { 9, 0, true },     { 9, 0.6, false },
                { 60, 0.6, false }, { 250, 0.6, true }, { 60, 0.1, true },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct world world = scattered(cases[i].ended, cases[i].scatter);
                assert_int_equal(tail_slow(world.tail, 1), cases[i].slow);
                assert_false(tail_slow(world.tail, 0));
                assert_false(tail_slow(world.tail, 2));
                free(world.tail);
        }
}

/* 1 and 3 by turns: 1 off their mean. */
static void test_variance(void **state)
{
        (void)state;
        struct world world = make((const double[]){ 0.1, 0.1, 0.1 }, (const int32_t[]){ 0, 0, 0 });
        world.tail->cost_s = 1;
        world.tail->count = 1;
        world.view.worker = 1;
        for (int i = 0; i < 4; i++) {
                world.view.finished_ns = i % 2 ? 3000000000 : 1000000000;
                tail_finished(world.tail, &world.view, 0);
                world.tail->cost_s = 1;
        }
        assert_float_equal(world.tail->worker[1].slowness, 2, 1e-9);
        assert_float_equal(world.tail->worker[1].variance, 1, 1e-9);
        free(world.tail);
}

/* Only where tasks last long enough in the mean, here 27 and 18 ms. */
static void test_scatter_s(void **state)
{
        (void)state;
        for (int64_t part = 2; part <= 3; part++) {
                struct world world =
                    make((const double[]){ 0.1, 0.1, 0.1 }, (const int32_t[]){ 0, 0, 0 });
                world.tail->scatter_most = 0.3;
                world.tail->scatter_s = 0.02;
                for (int i = 0; i < 60; i++) {
                        world.view.worker = i / 2 % NWORKER;
                        world.view.finished_ns = (i % 2 ? 81000000 : 27000000) / part;
                        tail_finished(world.tail, &world.view, 0);
                }
                assert_int_equal(world.tail->scatters, part == 2);
                free(world.tail);
        }
}

/* A slow helper that is idle ends a task when two that are busy can have ended three more each: of
 * four held it gets none, of five one. With a margin of half a task more have to be held, except
 * where durations scatter. */
static void test_margin(void **state)
{
        (void)state;
        static const struct {
                double margin_tasks;
                int64_t held, most;
                bool scatters;
        } cases[] = { { 0, 4, 0, false },   { 0, 5, 1, false },    { 0.5, 5, 0, false },
                      { 0.5, 9, 0, false }, { 0.5, 13, 1, false }, { 1, 13, 0, false },
                      { 0.5, 5, 1, true } };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct world world =
                    make((const double[]){ 0.1, 0.4, 0.1 }, (const int32_t[]){ 1, 1, 1 });
                world.tail->whole = true;
                world.tail->margin_tasks = cases[i].margin_tasks;
                world.tail->scatters = cases[i].scatters;
                world.tasks[0] = world.tasks[2] = 1;
                assert_int_equal(most(&world, 1, cases[i].held), cases[i].most);
                free(world.tail);
        }
}

/* A slow home places its own tasks as ever: they are there, and others may be slow to come by. */
static void test_slow_home(void **state)
{
        (void)state;
        struct world world = make((const double[]){ 0.2, 0.1, 0.1 }, (const int32_t[]){ 2, 2, 2 });
        world.view.tasks = world.tasks;
        assert_true(tail_slow(world.tail, 0));
        assert_int_equal(tail_sooner(world.tail, &world.view, world.cores, 0), 0);
        free(world.tail);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_slow),       cmocka_unit_test(test_alike),
                cmocka_unit_test(test_nobody),     cmocka_unit_test(test_unknown),
                cmocka_unit_test(test_dear),       cmocka_unit_test(test_whole),
                cmocka_unit_test(test_many_cores), cmocka_unit_test(test_sent_ahead),
                cmocka_unit_test(test_home),       cmocka_unit_test(test_known_slow),
                cmocka_unit_test(test_slow_home),  cmocka_unit_test(test_sure),
                cmocka_unit_test(test_variance),   cmocka_unit_test(test_said_dear),
                cmocka_unit_test(test_held_work),  cmocka_unit_test(test_dearest_is_taken),
                cmocka_unit_test(test_scatter_s),  cmocka_unit_test(test_margin),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
