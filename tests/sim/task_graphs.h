/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_SIM_TASK_GRAPHS_H
#define LB_TESTS_SIM_TASK_GRAPHS_H

/* Tasks that wait for each other, for the tests of who simulates them; to be included behind
 * cmocka. */
#include "base/random.h"
#include "models/taskgraph.h"
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

/* Tasks that wait for up to `most` earlier ones each, the nearer the likelier. */
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

#endif
