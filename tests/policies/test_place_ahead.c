/* SPDX-License-Identifier: BSD-3-Clause */
/* How many tasks the policy that knows the end of an iteration sends ahead, and where to: fewer to
 * who is slow or scatters, more where they last shorter than their trip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "policies/place.h"

enum { NWORKER = 3 };

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

/* Tasks of 100 ms wait at home; a helper with idle cores gets so many, where a message to a helper
 * and its answer are known to last less than a twentieth of one. */
static void test_waiting(void **state)
{
        (void)state;
        static const struct {
                double trips;
                int64_t trip_us, waiting;
                int heard;
                int32_t cores;
                int64_t given;
        } cases[] = {
                { 1, 4900, 5, 1, 3, 3 }, { 1, 4900, 2, 1, 3, 2 },
                { 1, 5100, 5, 1, 3, 0 }, { 1, 4900, 5, 0, 3, 0 }, /* not known yet */
                { 0, 4900, 5, 1, 3, 0 },                          /* never */
        };
        const struct place_type *type = place_find("locality");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int32_t tasks[NWORKER] = { 0 }, cores[NWORKER] = { 2, 2, 2 };
                struct place_view view = view_of(tasks, cores);
                void *policy = policy_with("place_trips", cases[i].trips, 2);
                for (int k = 0; k < cases[i].heard; k++) {
                        view.occasion = PLACE_READY;
                        view.data_worker = 1;
                        view.time_ns += 1000000;
                        assert_int_equal(type->place(policy, &view), 1);
                        view.time_ns += 1000 * (100000 + cases[i].trip_us);
                        view.occasion = PLACE_FINISHED;
                        view.worker = 1;
                        view.finished_ns = 100000000;
                        type->refill(policy, &view);
                }
                tasks[0] = 2;
                view.occasion = PLACE_WAITING;
                view.worker = 2;
                view.held_tasks = cases[i].waiting;
                view.asked_cores = cases[i].cores;
                assert_int_equal(type->refill(policy, &view), cases[i].given);
                view.occasion = PLACE_ASKED; /* of those that are held it gets its part */
                assert_int_equal(type->refill(policy, &view),
                                 cases[i].waiting < 3 ? cases[i].waiting : 3);
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

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_fewer_ahead), cmocka_unit_test(test_scattered),
                cmocka_unit_test(test_trips),       cmocka_unit_test(test_waiting),
                cmocka_unit_test(test_sooner),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
