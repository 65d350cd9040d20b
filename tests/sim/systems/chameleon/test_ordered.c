/* SPDX-License-Identifier: BSD-3-Clause */
/* CHAMELEON with tasks that wait for each other: order, bounds, times worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "policies/host/ledger.h"
#include "sim/systems/chameleon/chameleon.h"
#include "tests/sim/task_graphs.h"

/* An exchange, and a turn, that ends a taskwait. */
static const double end_s = 100e-6;

/* As lbrun has it: the communication thread takes no core. */
static void begin(struct world *w, int32_t nnode, int32_t cores, const struct taskgraph *graph)
{
        world_init(w, nnode, cores, 1, "chameleon");
        world_set(w, "model", "graph");
        world_set(w, "comm_core", "shared");
        w->workload[WORKLOAD_ITERATIONS] = 2;
        w->runtime[RUNTIME_CREATE_US] = w->runtime[RUNTIME_TASK_US] = 0;
        w->host[CHAM_TABLE_HOST][CHAM_QUEUE_US] = 0;
        w->host[CHAM_TABLE_HOST][CHAM_QUEUE_CONTENTION_US] = 0;
        w->graph = graph;
}

static void assert_time(double found_s, double least_s)
{
        if (found_s < least_s - 1e-12 || found_s > least_s + end_s)
                fail_msg("an iteration of %.9g s, not %.9g s", found_s, least_s);
}

/* One core takes the sum of all tasks; with a core for every task it is the longest chain. */
static void one_core_takes_the_sum_and_many_the_longest_chain(void **unused)
{
        (void)unused;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 6);
        for (int i = 0; i < 60; i++) {
                struct taskgraph *graph = random_graph(1, 90, i % 6, &random);
                const struct taskgraph_part *part = taskgraph_part(graph, 0, 0);
                for (int32_t cores = 1; cores <= 91; cores += 90) {
                        struct world w;
                        begin(&w, 1, cores, graph);
                        struct sim_result result = world_result(&w);
                        int64_t ns = cores == 1 ? part->work_ns : part->path_ns;
                        assert_time(result.iteration_s[1], (double)ns * 1e-9);
                        sim_result_finish(&result);
                }
                taskgraph_destroy(graph);
        }
}

/* A rank of one core with six tasks of 100 ms and one that waits for all; the other rank has no
 * work, and the data of a task takes 30 ms there, and back. */
static double with_successor(int64_t last_ms, double *away)
{
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 2, &err);
        assert_non_null(graph);
        static const int32_t all[] = { 0, 1, 2, 3, 4, 5 };
        for (int32_t t = 0; t < 6; t++)
                add_task(graph, (struct place){ 0, 0 }, 100000000, 30000000, NULL, 0);
        if (last_ms > 0)
                add_task(graph, (struct place){ 0, 0 }, last_ms * 1000000, 0, all, 6);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        begin(&w, 2, 1, graph);
        w.network[NETWORK_BANDWIDTH_GBPS] = 1;
        double metric[METRIC_COUNT];
        world_metrics(&w, metric);
        *away = metric[METRIC_OFFLOADED_FRACTION] * metric[METRIC_TASKS];
        taskgraph_destroy(graph);
        return metric[METRIC_TIME_PER_ITERATION_S];
}

/* What waits for others is ready when their outputs are at home: it begins when the taskwait would
 * be over without it. */
static void a_successor_waits_for_outputs_at_home(void **unused)
{
        (void)unused;
        double away[3], without_s = with_successor(0, &away[0]);
        double short_s = with_successor(50, &away[1]), long_s = with_successor(250, &away[2]);
        assert_true(away[0] >= 4); /* of two iterations */
        assert_true(fabs(away[1] - away[0]) < 0.1 && fabs(away[2] - away[0]) < 0.1);
        assert_true(fabs(short_s - without_s - 0.05) < end_s);
        assert_true(fabs(long_s - without_s - 0.25) < end_s);
}

/* Only ready tasks are pushed: a chain stays at home, and the others of it have nothing to do. */
static void a_chain_is_not_pushed(void **unused)
{
        (void)unused;
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 3, &err);
        assert_non_null(graph);
        for (int32_t t = 0; t < 200; t++)
                add_task(graph, (struct place){ 0, 0 }, 10000000, 1000000, &(int32_t){ t - 1 },
                         t > 0);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 3, 4, graph);
        world_metrics(&w, metric);
        assert_true(metric[METRIC_OPTIMAL_S] == 2);
        assert_true(metric[METRIC_RATIO_TO_OPTIMAL] < 1.0001);
        assert_true(metric[METRIC_OFFLOADED_FRACTION] <= 0);
        taskgraph_destroy(graph);
}

/* Explicit tasks that wait for nothing are the bag of as many alike ones of another model, to the
 * last bit, copies included. */
static void without_dependencies_it_is_a_bag_of_tasks(void **unused)
{
        (void)unused;
        static const double load_ms[] = { 3, 1, 1 };
        static const char *const shares[] = { "0", "0.2" };
        enum { BYTES = 4096, TASKS = 320 };
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 3, &err);
        assert_non_null(graph);
        for (int32_t t = 0; t < 3 * TASKS; t++)
                add_task(graph, (struct place){ 0, t / TASKS }, (int64_t)(load_ms[t / TASKS] * 1e6),
                         BYTES, NULL, 0);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        for (int i = 0; i < 2; i++) {
                struct world w;
                struct sim_result result[2];
                begin(&w, 3, 8, graph);
                world_set(&w, "replicate_share", shares[i]);
                result[0] = world_result(&w);
                world_set(&w, "model", "given");
                w.workload[WORKLOAD_TASKS_PER_CORE] = TASKS / 8;
                w.workload[WORKLOAD_TASK_BYTES] = BYTES;
                w.load_ms = load_ms;
                result[1] = world_result(&w);
                assert_true(result[0].metric[METRIC_OFFLOADED_FRACTION] > 0.1);
                for (int m = 0; m < METRIC_COUNT; m++) {
                        double x = result[0].metric[m], y = result[1].metric[m];
                        bool known = isfinite(x) && isfinite(y); /* floors are of bags alone */
                        if (known && fabs(x - y) > 1e-12 * fabs(x))
                                fail_msg("metric %d: %.17g, %.17g", m, x, y);
                }
                sim_result_finish(&result[0]);
                sim_result_finish(&result[1]);
        }
        taskgraph_destroy(graph);
}

/*
 * Over random graphs of one to three iterations, machines, policies and copies: every task runs
 * once, no iteration is shorter than its work or its longest chain, and a second run is the same to
 * the last bit.
 */
static void keep_work_order_and_bounds(bool wholes)
{
        static const char *const policies[] = { "pairs", "least", "none" };
        static const char *const shares[] = { "0", "0.1", "1" };
        struct lb_random random;
        lb_random_init(&random, 12, LB_RANDOM_TEST, 7);
        double away = 0;
        for (int i = 0; i < 100; i++) {
                int32_t nnode = 1 + (int32_t)lb_random_below(&random, 5);
                int32_t cores = 1 + (int32_t)lb_random_below(&random, 6);
                int32_t most = (int32_t)lb_random_below(&random, 6);
                struct taskgraph *graph =
                    wholes ? random_wholes(1 + i % 3, nnode, 400, &random)
                           : random_iterations(1 + i % 3, nnode, 400, most, &random);
                struct world w;
                begin(&w, nnode, cores, graph);
                world_set(&w, "migrate", policies[lb_random_below(&random, 3)]);
                world_set(&w, "replicate_share", shares[lb_random_below(&random, 3)]);
                w.host[CHAM_TABLE_HOST][CHAM_CANCEL] = (double)lb_random_below(&random, 2);
                w.host[CHAM_TABLE_HOST][CHAM_UNDER_WAY] = (double)lb_random_below(&random, 2);
                w.host[CHAM_TABLE_HOST][CHAM_QUEUE_US] = (double)lb_random_below(&random, 2);
                w.runtime[RUNTIME_CREATE_US] = (double)lb_random_below(&random, 3) * 2000;
                w.workload[WORKLOAD_ITERATIONS] = 2 + i / 20;
                w.speed[0] = 0.3 + lb_random_unit(&random);
                struct sim_result one = world_result(&w), two = world_result(&w);
                check_bounds(&w, &one);
                assert_memory_equal(one.metric, two.metric, sizeof(one.metric));
                away += one.metric[METRIC_OFFLOADED_FRACTION] > 0.02;
                sim_result_finish(&one);
                sim_result_finish(&two);
                taskgraph_destroy(graph);
        }
        assert_true(away > (wholes ? 15 : 20));
}

static void random_graphs_keep_work_order_and_bounds(void **unused)
{
        (void)unused;
        keep_work_order_and_bounds(false);
}

static void random_wholes_keep_work_order_and_bounds(void **unused)
{
        (void)unused;
        keep_work_order_and_bounds(true);
}

/* A task that is pushed has all those within it with it, which are no tasks of the message; who
 * comes after one of them waits for all. */
static void what_is_within_another_runs_where_that_does(void **unused)
{
        (void)unused;
        enum { WHOLES = 40, CHILDREN = 8, EACH = CHILDREN + 2, ITERATIONS = 2 };
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 2, &err);
        assert_non_null(graph);
        for (int32_t n = 0; n < WHOLES; n++)
                add_whole(graph, (struct place){ 0, 0 }, CHILDREN, 10000000, 1000);
        static const int32_t within = EACH * (WHOLES - 1) + 1;
        add_task(graph, (struct place){ 0, 0 }, 200000000, 0, &within, 1);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 2, 4, graph);
        world_metrics(&w, metric);
        double away = metric[METRIC_OFFLOADED_FRACTION] * metric[METRIC_TASKS];
        assert_true(fabs(metric[METRIC_TASKS] - ITERATIONS * (WHOLES * EACH + 1)) < 0.5);
        double whole = away / EACH - floor(away / EACH); /* the last task may be elsewhere, too */
        assert_true(away > 100 && fmin(whole, fabs(whole - 0.2)) < 1e-6);
        assert_true(metric[METRIC_TIME_PER_ITERATION_S] > 0.4);
        taskgraph_destroy(graph);
}

/* Of one rank's tasks those that stay are not pushed, though the other rank has nothing to do; what
 * waits for one that was pushed has its output at home. */
static void what_stays_is_not_pushed(void **unused)
{
        (void)unused;
        for (int second = 0; second < 2; second++) {
                struct taskgraph *graph = staying_graph(200, second);
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, 2, 4, graph);
                world_metrics(&w, metric);
                double away = metric[METRIC_OFFLOADED_FRACTION];
                assert_true(second ? away > 0.1 && away <= 0.5 : away <= 0);
                taskgraph_destroy(graph);
        }
}

/* A chain that is created last is begun first, or last, as its priority says. */
static void the_urgent_go_first(void **unused)
{
        (void)unused;
        for (int first = 0; first < 2; first++) {
                struct taskgraph *graph = urgent_graph(1, 6, 2, first);
                struct world w;
                begin(&w, 1, 2, graph);
                struct sim_result result = world_result(&w);
                assert_time(result.iteration_s[1], first ? 0.03 : 0.04);
                sim_result_finish(&result);
                taskgraph_destroy(graph);
        }
}

/* A chain that is created before equals is begun before them. */
static void equals_go_as_they_come(void **unused)
{
        (void)unused;
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 1, &err);
        assert_non_null(graph);
        for (int32_t t = 0; t < 6; t++)
                add_task(graph, (struct place){ 0, 0 }, 10000000, 0, &(int32_t){ 0 }, t == 1);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        begin(&w, 1, 2, graph);
        struct sim_result result = world_result(&w);
        assert_time(result.iteration_s[1], 0.03);
        sim_result_finish(&result);
        taskgraph_destroy(graph);
}

/* Matrices of a few ranks are factored on all of them. */
static void a_factorisation_is_balanced(void **unused)
{
        (void)unused;
        double ratio[2];
        for (int i = 0; i < 2; i++) {
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, 4, 8, NULL);
                world_set(&w, "model", "cholesky");
                world_set(&w, "migrate", i ? "pairs" : "none");
                w.workload[WORKLOAD_CHOLESKY_SIZE] = 4096;
                w.workload[WORKLOAD_CHOLESKY_BLOCK] = 512;
                w.workload[WORKLOAD_CHOLESKY_MATRICES] = 16;
                world_metrics(&w, metric);
                ratio[i] = metric[METRIC_RATIO_TO_OPTIMAL];
        }
        assert_true(ratio[0] > 1.9);
        assert_true(ratio[1] < 1.3);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_core_takes_the_sum_and_many_the_longest_chain),
                cmocka_unit_test(a_successor_waits_for_outputs_at_home),
                cmocka_unit_test(a_chain_is_not_pushed),
                cmocka_unit_test(without_dependencies_it_is_a_bag_of_tasks),
                cmocka_unit_test(random_graphs_keep_work_order_and_bounds),
                cmocka_unit_test(random_wholes_keep_work_order_and_bounds),
                cmocka_unit_test(what_is_within_another_runs_where_that_does),
                cmocka_unit_test(what_stays_is_not_pushed),
                cmocka_unit_test(the_urgent_go_first),
                cmocka_unit_test(equals_go_as_they_come),
                cmocka_unit_test(a_factorisation_is_balanced),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
