/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of an iteration: a slow worker refuses what it would end last, equal ones are left alone,
 * and no task is left to nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

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

/* A state of the policy, with the tail rule and another parameter. */
static void *policy_with(const char *name, double value, double tasks_per_core)
{
        const struct place_type *type = place_find("locality");
        double param[16];
        struct lb_error err;
        assert_true(lb_param_count(type->params) <= 16);
        lb_param_defaults(type->params, param);
        param[lb_param_find(type->params, "place_tail")] = 1;
        param[lb_param_find(type->params, "place_tasks_per_core")] = tasks_per_core;
        param[lb_param_find(type->params, name)] = value;
        void *state = calloc(1, type->state_size(NWORKER, param));
        assert_non_null(state);
        assert_int_equal(type->init(state, NWORKER, param, &err), 0);
        return state;
}

static struct place_view view_of(const int32_t tasks[NWORKER], const int32_t cores[NWORKER])
{
        return (struct place_view){ .nworker = NWORKER,
                                    .occasion = PLACE_FINISHED,
                                    .tasks = tasks,
                                    .owned_cores = cores,
                                    .target_cores = cores,
                                    .usable_cores = cores };
}

/* One where tasks last twice as long on the second worker of three, each with two cores, after so
 * many have ended on each. */
static void *ended_on(struct place_view *view, const char *name, double value, int ended)
{
        const struct place_type *type = place_find("locality");
        void *state = policy_with(name, value, 2);
        view->occasion = PLACE_FINISHED;
        for (int i = 0; i < ended * NWORKER; i++) {
                view->worker = i % NWORKER;
                view->finished_ns = view->worker == 1 ? 200000000 : 100000000;
                type->refill(state, view);
        }
        return state;
}

/* How many of a hundred held tasks a worker is sent. */
static int64_t sent(double slow_tasks, int32_t worker, int ended)
{
        const struct place_type *type = place_find("locality");
        int32_t tasks[NWORKER] = { 2, 2, 2 }, cores[NWORKER] = { 2, 2, 2 };
        struct place_view view = view_of(tasks, cores);
        void *state = ended_on(&view, "place_slow_tasks_per_core", slow_tasks, ended);
        tasks[worker] = 0;
        view.occasion = PLACE_REFRESHED;
        view.worker = worker;
        view.held_tasks = 100;
        int64_t count = type->refill(state, &view);
        free(state);
        return count;
}

static void test_fewer_ahead(void **state)
{
        (void)state;
        assert_int_equal(sent(1, 1, 80), 2);
        assert_int_equal(sent(1, 0, 80), 4);
        assert_int_equal(sent(1.5, 1, 80), 3);
        assert_int_equal(sent(0, 1, 80), 4);
        assert_int_equal(sent(1, 1, 7), 4);
}

/* Where durations scatter by more than place_scatter a helper is sent one task less ahead, but
 * never fewer than it has cores; home is not. */
static void test_scattered(void **state)
{
        (void)state;
        static const struct {
                double most, off; /* durations are 1 - off and 1 + off by turns */
                double tasks_per_core;
                int32_t worker;
                int64_t sent;
        } cases[] = {
                { 0.3, 0.5, 2, 1, 3 }, { 0.3, 0.5, 2, 2, 3 }, { 0.3, 0.5, 2, 0, 4 },
                { 0.3, 0.2, 2, 1, 4 }, { 0.6, 0.5, 2, 1, 4 }, { 0, 0.5, 2, 1, 4 },
                { 0.3, 0.5, 1, 1, 2 },
        };
        const struct place_type *type = place_find("locality");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int32_t tasks[NWORKER] = { 2, 2, 2 }, cores[NWORKER] = { 2, 2, 2 };
                struct place_view view = view_of(tasks, cores);
                void *policy = policy_with("place_scatter", cases[i].most, cases[i].tasks_per_core);
                for (int k = 0; k < 40 * NWORKER; k++) {
                        double s = 0.1 * (1 + (k / NWORKER % 2 ? cases[i].off : -cases[i].off));
                        view.worker = k % NWORKER;
                        view.finished_ns = (int64_t)(s * 1e9);
                        type->refill(policy, &view);
                }
                tasks[cases[i].worker] = 0;
                view.occasion = PLACE_REFRESHED;
                view.worker = cases[i].worker;
                view.held_tasks = 100;
                assert_int_equal(type->refill(policy, &view), cases[i].sent);
                free(policy);
        }
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

/* A helper that had no task was sent one so often, and home heard each time that it had ended a
 * trip later than it executed: so many tasks more for each of two cores, at home as well. */
static void test_trips(void **state)
{
        (void)state;
        static const struct {
                double trips;
                int64_t trip_us, longest_us; /* other tasks last 1 ms */
                int heard, usable_cores;
                int64_t more;
        } cases[] = {
                { 1, 4500, 1000, 16, 1, 4 }, { 0, 4500, 1000, 16, 1, 0 },
                { 1, 4500, 1000, 15, 1, 0 }, /* not known yet */
                { 1, 4500, 1000, 16, 0, 0 }, /* it waits for a core */
                { 1, 1900, 1000, 16, 1, 0 }, /* less than two tasks */
                { 1, 4500, 2000, 16, 1, 2 }, { 1, 4500, 2500, 16, 1, 0 },
        };
        const struct place_type *type = place_find("locality");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int32_t tasks[NWORKER] = { 0 }, cores[NWORKER] = { 2, 2, 2 };
                int32_t usable[NWORKER] = { 2, cases[i].usable_cores, 2 };
                struct place_view view = view_of(tasks, cores);
                view.usable_cores = usable;
                void *policy = policy_with("place_trips", cases[i].trips, 2);
                for (int k = 0; k < cases[i].heard; k++) {
                        int64_t took_us = k == cases[i].heard - 1 ? cases[i].longest_us : 1000;
                        view.occasion = PLACE_READY;
                        view.data_worker = 1;
                        view.time_ns += 1000000;
                        assert_int_equal(type->place(policy, &view), 1);
                        /* the other trips take longer */
                        view.time_ns += 1000 * (took_us + cases[i].trip_us + 1000 * (k % 4));
                        view.occasion = PLACE_FINISHED;
                        view.worker = 1;
                        view.finished_ns = 1000 * took_us;
                        type->refill(policy, &view);
                }
                view.occasion = PLACE_REFRESHED;
                view.held_tasks = 100;
                for (view.worker = 0; view.worker < NWORKER; view.worker++)
                        assert_int_equal(type->refill(policy, &view), 4 + 2 * cases[i].more);
                free(policy);
        }
}

/* Where a ready task goes whose data is on the slow second worker, by the tasks that each has. */
static void test_sooner(void **state)
{
        (void)state;
        static const struct {
                double sooner;
                int32_t data_worker, tasks[NWORKER], to;
        } cases[] = {
                { 1, 1, { 1, 0, 2 }, 0 }, /* 1 task's time there, 2 on the slow one */
                { 1, 1, { 2, 0, 1 }, 2 },
                { 1, 1, { 3, 0, 3 }, 1 },          /* 2 both: it is no sooner elsewhere */
                { 1, 1, { 4, 3, 4 }, PLACE_HOLD }, /* 2.5 to 4: sooner, but full */
                { 1, 0, { 1, 0, 0 }, 0 },          /* whose data is elsewhere goes there */
                { 0, 1, { 1, 0, 2 }, 1 },          /* the parameter off */
        };
        const struct place_type *type = place_find("locality");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int32_t tasks[NWORKER] = { 0 }, cores[NWORKER] = { 2, 2, 2 };
                struct place_view view = { .nworker = NWORKER,
                                           .tasks = tasks,
                                           .owned_cores = cores,
                                           .target_cores = cores,
                                           .usable_cores = cores };
                void *policy = ended_on(&view, "place_slow_sooner", cases[i].sooner, 20);
                memcpy(tasks, cases[i].tasks, sizeof(tasks));
                view.occasion = PLACE_READY;
                view.data_worker = cases[i].data_worker;
                assert_int_equal(type->place(policy, &view), cases[i].to);
                free(policy);
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
                cmocka_unit_test(test_slow),        cmocka_unit_test(test_alike),
                cmocka_unit_test(test_nobody),      cmocka_unit_test(test_unknown),
                cmocka_unit_test(test_dear),        cmocka_unit_test(test_whole),
                cmocka_unit_test(test_many_cores),  cmocka_unit_test(test_sent_ahead),
                cmocka_unit_test(test_home),        cmocka_unit_test(test_known_slow),
                cmocka_unit_test(test_sooner),      cmocka_unit_test(test_slow_home),
                cmocka_unit_test(test_sure),        cmocka_unit_test(test_variance),
                cmocka_unit_test(test_fewer_ahead), cmocka_unit_test(test_said_dear),
                cmocka_unit_test(test_held_work),   cmocka_unit_test(test_dearest_is_taken),
                cmocka_unit_test(test_scattered),   cmocka_unit_test(test_scatter_s),
                cmocka_unit_test(test_margin),      cmocka_unit_test(test_trips),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
