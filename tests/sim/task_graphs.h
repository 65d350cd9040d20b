/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_SIM_TASK_GRAPHS_H
#define LB_TESTS_SIM_TASK_GRAPHS_H

/* Tasks that wait for each other, for the tests of who simulates them; to be included behind
 * cmocka. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "models/taskgraph.h"
#include "policies/host/ledger.h"
#include "tests/sim/sim_world.h"

struct place {
        int32_t iteration, apprank;
};

static inline void add_task(struct taskgraph *graph, struct place to, int64_t ns, int64_t bytes,
                            const int32_t *after, int32_t nafter)
{
        struct lb_error err;
        struct taskgraph_task task = {
                .task_ns = ns, .bytes = bytes, .after = after, .nafter = nafter
        };
        assert_int_equal(taskgraph_add(graph, to.iteration, to.apprank, &task, &err), 0);
}

/* Tasks that wait for up to `most` earlier ones each, the nearer the likelier; with priorities
 * where `most` is odd. */
static inline void add_tasks(struct taskgraph *graph, struct place to, int32_t ntask, int32_t most,
                             struct lb_random *random)
{
        for (int32_t t = 0; t < ntask; t++) {
                int32_t after[16], nafter = (int32_t)lb_random_below(random, (uint64_t)most + 1);
                for (int32_t i = 0; i < nafter && t > 0; i++) {
                        int32_t back = 1 + (int32_t)lb_random_below(random, 20);
                        after[i] = back > t ? 0 : t - back;
                }
                int64_t ns = 1000 + (int64_t)lb_random_below(random, 50000000);
                struct lb_error err;
                struct taskgraph_task task = { .task_ns = ns,
                                               .bytes = (int64_t)lb_random_below(random, 2000000),
                                               .stays = ns % 4 == 0,
                                               .priority = most % 2 ? (int32_t)(ns % 7) - 3 : 0,
                                               .after = after,
                                               .nafter = t > 0 ? nafter : 0 };
                assert_int_equal(taskgraph_add(graph, to.iteration, to.apprank, &task, &err), 0);
        }
}

static inline struct taskgraph *random_iterations(int32_t niteration, int32_t napprank,
                                                  int32_t ntask, int32_t most,
                                                  struct lb_random *random)
{
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(niteration, napprank, &err);
        assert_non_null(graph);
        for (int32_t p = 0; p < niteration * napprank; p++)
                add_tasks(graph, (struct place){ p / napprank, p % napprank },
                          (int32_t)lb_random_below(random, (uint64_t)ntask + 1), most, random);
        add_tasks(graph, (struct place){ 0, 0 }, 1, 0, random); /* there is work */
        assert_int_equal(taskgraph_close(graph, &err), 0);
        return graph;
}

static inline struct taskgraph *random_graph(int32_t napprank, int32_t ntask, int32_t most,
                                             struct lb_random *random)
{
        return random_iterations(1, napprank, ntask, most, random);
}

/* A task with `children` within it that come after it, and an end after these, at most 15. */
static inline void add_whole(struct taskgraph *graph, struct place to, int32_t children, int64_t ns,
                             int64_t bytes)
{
        struct lb_error err;
        int32_t first = taskgraph_part(graph, to.iteration, to.apprank)->ntask, all[16];
        struct taskgraph_task task = { .bytes = bytes };
        assert_int_equal(taskgraph_add(graph, to.iteration, to.apprank, &task, &err), 0);
        task = (struct taskgraph_task){
                .task_ns = ns, .within = first + 1, .after = &first, .nafter = 1
        };
        for (int32_t i = 0; i < children; i++) {
                all[i] = first + 1 + i;
                assert_int_equal(taskgraph_add(graph, to.iteration, to.apprank, &task, &err), 0);
        }
        task = (struct taskgraph_task){ .within = first + 1, .after = all, .nafter = children };
        assert_int_equal(taskgraph_add(graph, to.iteration, to.apprank, &task, &err), 0);
}

/* Some tasks of a part are within one of the last few that are not, and come after it and others
 * within it; all others are as above. */
static inline void add_tasks_within(struct taskgraph *graph, struct place to, int32_t ntask,
                                    struct lb_random *random)
{
        enum { OPEN = 4, ROOM = 4 };
        int32_t inside[OPEN][ROOM] = { { 0 } };
        for (int32_t t = 0; t < ntask; t++) {
                int32_t which = (int32_t)lb_random_below(random, OPEN), after[2];
                int32_t *of = inside[which], any = (int32_t)lb_random_below(random, ROOM);
                bool is_within = t >= OPEN && lb_random_below(random, 3) > 0;
                after[0] = is_within ? of[0] : t - 1 - (int32_t)lb_random_below(random, OPEN);
                after[1] = of[any];
                struct lb_error err;
                struct taskgraph_task task = {
                        .task_ns = (int64_t)lb_random_below(random, 20000000),
                        .bytes = (int64_t)lb_random_below(random, 2000000),
                        .stays = lb_random_below(random, 8) == 0,
                        .priority = (int32_t)lb_random_below(random, 3) * (to.apprank % 2),
                        .within = is_within ? of[0] + 1 : 0,
                        .after = after,
                        .nafter = t < 2 * OPEN ? is_within : 2,
                };
                assert_int_equal(taskgraph_add(graph, to.iteration, to.apprank, &task, &err), 0);
                for (int32_t i = 0; i < ROOM && !is_within; i++)
                        of[i] = t;
                if (is_within && any > 0)
                        of[any] = t;
        }
}

static inline struct taskgraph *random_wholes(int32_t niteration, int32_t napprank, int32_t ntask,
                                              struct lb_random *random)
{
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(niteration, napprank, &err);
        assert_non_null(graph);
        for (int32_t p = 0; p < niteration * napprank; p++)
                add_tasks_within(graph, (struct place){ p / napprank, p % napprank },
                                 (int32_t)lb_random_below(random, (uint64_t)ntask + 1), random);
        add_tasks(graph, (struct place){ 0, 0 }, 1, 0, random); /* there is work */
        assert_int_equal(taskgraph_close(graph, &err), 0);
        return graph;
}

/* So many tasks of apprank 0, and, for `second`, as many again, each after one of the first; the
 * last ones stay. */
static inline struct taskgraph *staying_graph(int32_t each, int second)
{
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 2, &err);
        assert_non_null(graph);
        for (int32_t t = 0; t < each * (second + 1); t++) {
                int32_t before = t - each;
                struct taskgraph_task task = { .task_ns = 10000000,
                                               .bytes = 1000,
                                               .stays = t >= each * second,
                                               .after = &before,
                                               .nafter = before >= 0 };
                assert_int_equal(taskgraph_add(graph, 0, 0, &task, &err), 0);
        }
        assert_int_equal(taskgraph_close(graph, &err), 0);
        return graph;
}

/* Tasks of 10 ms of apprank 0, the last ones a chain of so many, which is to begin first or last.
 */
static inline struct taskgraph *urgent_graph(int32_t napprank, int32_t ntask, int32_t chain,
                                             bool first)
{
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, napprank, &err);
        assert_non_null(graph);
        for (int32_t t = 0; t < ntask; t++) {
                int32_t before = t - 1;
                bool in_chain = t >= ntask - chain;
                struct taskgraph_task task = { .task_ns = 10000000,
                                               .priority = !in_chain ? -1 : (first ? 2 : -2),
                                               .after = &before,
                                               .nafter = t > ntask - chain };
                assert_int_equal(taskgraph_add(graph, 0, 0, &task, &err), 0);
        }
        assert_int_equal(taskgraph_close(graph, &err), 0);
        return graph;
}

/* May apprank 0's tasks run on other nodes than its own? */
static inline bool reaches_others(const struct world *w)
{
        return w->degree > 1 || w->nnode == 1 || strcmp(w->system, "dynamic") == 0 ||
               strcmp(w->system, "chameleon") == 0;
}

/* The work or the longest chain of an iteration, whose tasks are counted. */
static inline double least_of_iteration(const struct world *w, int32_t iteration, double *tasks)
{
        double work_s = 0, longest_s = 0, speed = w->nnode - 1 + w->speed[0];
        for (int32_t a = 0; a < taskgraph_napprank(w->graph); a++) {
                const struct taskgraph_part *part = taskgraph_part(w->graph, iteration, a);
                double fastest = a == 0 ? w->speed[0] : 1;
                if (reaches_others(w))
                        fastest = w->nnode > 1 ? fmax(w->speed[0], 1) : w->speed[0];
                work_s += (double)part->work_ns * 1e-9;
                longest_s = fmax(longest_s, (double)part->path_ns * 1e-9 / fastest);
                *tasks += part->ntask;
        }
        return fmax(work_s / speed / w->cores, longest_s);
}

/* Every task ran, no iteration was shorter than it can be, and the bound is that. */
static inline void check_bounds(const struct world *w, const struct sim_result *result)
{
        int32_t count = (int32_t)w->workload[WORKLOAD_ITERATIONS];
        int32_t first = ledger_first_steady(count);
        double least_s = 0, tasks = 0;
        for (int32_t i = 0; i < count; i++) {
                double its_s = least_of_iteration(w, i, &tasks);
                least_s += i < first ? 0 : its_s / (count - first);
                assert_true(result->iteration_s[i] >= its_s * (1 - 1e-9));
        }
        const double *x = result->metric;
        assert_true(x[METRIC_TASKS] == tasks);
        assert_true(fabs(x[METRIC_OPTIMAL_S] - least_s) <= 1e-9 * least_s);
        assert_true(x[METRIC_RATIO_TO_OPTIMAL] >= 1 - 1e-9);
}

#endif
