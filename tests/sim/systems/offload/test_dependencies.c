/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit tasks with dependencies, simulated: order and work kept, bounds kept, known times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "policies/host/ledger.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/task_graphs.h"

static void begin_world(struct world *w, int32_t nnode, int32_t cores, int32_t degree,
                        const char *system, const struct taskgraph *graph)
{
        world_init(w, nnode, cores, degree, system);
        w->workload[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "graph");
        w->workload[WORKLOAD_ITERATIONS] = 2;
        w->graph = graph;
}

static void no_overheads(struct world *w)
{
        w->runtime[RUNTIME_CREATE_US] = w->runtime[RUNTIME_TASK_US] = 0;
}

static void run(struct world *w, struct sim_result *result)
{
        struct lb_error err;
        if (world_run(w, result, &err) < 0)
                fail_msg("%s: %s", w->system, err.text);
}

static double first_iteration_s(struct world *w)
{
        struct sim_result result;
        run(w, &result);
        double s = result.metric[METRIC_FIRST_ITERATION_S];
        sim_result_finish(&result);
        return s;
}

/* One core takes the sum of all tasks; with a core for every task it is the longest chain, to the
 * nanosecond, in any order of creation, and where tasks are within others. */
static void one_core_takes_the_sum_and_many_the_longest_chain(void **unused)
{
        (void)unused;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 4);
        for (int i = 0; i < 90; i++) {
                struct taskgraph *graph = i % 3 == 0 ? random_wholes(1, 1, 90, &random)
                                                     : random_graph(1, 90, i % 6, &random);
                const struct taskgraph_part *part = taskgraph_part(graph, 0, 0);
                struct world w;
                begin_world(&w, 1, 1, 1, "baseline", graph);
                no_overheads(&w);
                assert_true(fabs(first_iteration_s(&w) - (double)part->work_ns * 1e-9) < 1e-12);
                begin_world(&w, 1, 91, 1, "baseline", graph);
                no_overheads(&w);
                assert_true(fabs(first_iteration_s(&w) - (double)part->path_ns * 1e-9) < 1e-12);
                taskgraph_destroy(graph);
        }
}

/* What the metrics must say of a run, whoever balances. */
static void check_run(const struct world *w, const struct sim_result *result)
{
        const double *x = result->metric;
        check_bounds(w, result);
        assert_true(fabs(x[METRIC_TIME_PER_ITERATION_S] -
                         x[METRIC_OPTIMAL_S] * x[METRIC_RATIO_TO_OPTIMAL]) <
                    1e-9 * x[METRIC_TIME_PER_ITERATION_S]);
        double parts =
            x[METRIC_LOAD_BALANCE] * x[METRIC_TRANSFER_EFFICIENCY] * x[METRIC_RUNTIME_EFFICIENCY];
        assert_true(fabs(parts - x[METRIC_PARALLEL_EFFICIENCY]) < 1e-9);
}

/*
 * Over random graphs, machines and systems: every task runs once, no run beats the work or the
 * longest chain, and a second run is the same to the last bit. Builds with LB_CHECK also check that
 * no task starts before another that it waits for has finished.
 */
static void keep_work_order_and_bounds(bool wholes)
{
        static const char *const systems[] = { "baseline", "dlb", "local", "global", "dynamic" };
        struct lb_random random;
        lb_random_init(&random, 12, LB_RANDOM_TEST, 5);
        for (int i = 0; i < 100; i++) {
                int32_t nnode = 1 + (int32_t)lb_random_below(&random, 5);
                int32_t cores = nnode + (int32_t)lb_random_below(&random, 8);
                const char *system = systems[i % 5];
                bool offloads = strcmp(system, "local") == 0 || strcmp(system, "global") == 0;
                int32_t niteration = 1 + (i / 5) % 3, most = (int32_t)lb_random_below(&random, 6);
                struct taskgraph *graph =
                    wholes ? random_wholes(niteration, nnode, 400, &random)
                           : random_iterations(niteration, nnode, 400, most, &random);
                struct world w;
                begin_world(&w, nnode, cores, offloads ? nnode : 1, system, graph);
                w.workload[WORKLOAD_ITERATIONS] = 2 + i / 15;
                w.speed[0] = 0.3 + lb_random_unit(&random);
                w.original = lb_random_below(&random, 3) == 0;
                w.runtime[RUNTIME_MESSAGE_POLL_US] = (double)lb_random_below(&random, 2) * 1000;
                w.runtime[RUNTIME_CREATE_US] = (double)lb_random_below(&random, 3) * 2000;
                w.runtime[RUNTIME_POLL_S] = 0.02 + 0.2 * lb_random_unit(&random);
                w.workload[WORKLOAD_WRITEBACK] = (double)lb_random_below(&random, 2);
                w.runtime[RUNTIME_COST_HINTS] = wholes && i % 3 == 0;
                struct sim_result one, two;
                run(&w, &one);
                check_run(&w, &one);
                run(&w, &two);
                assert_memory_equal(one.metric, two.metric, sizeof(one.metric));
                sim_result_finish(&one);
                sim_result_finish(&two);
                taskgraph_destroy(graph);
        }
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

/* A part of `ntask` tasks of `ms` each, independent or a chain. */
static void add_row(struct taskgraph *graph, int32_t iteration, int32_t ntask, int64_t ms,
                    bool chain)
{
        for (int32_t t = 0; t < ntask; t++)
                add_task(graph, (struct place){ iteration, 0 }, ms * 1000000, 0,
                         &(int32_t){ t - 1 }, chain && t > 0);
}

/* Two cores: three in a chain and one beside it, then five apart, then nothing, and again. */
static void each_iteration_has_its_tasks(void **unused)
{
        (void)unused;
        static const double expected_ms[] = { 30, 24, 0 };
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(3, 1, &err);
        assert_non_null(graph);
        add_row(graph, 0, 3, 10, true);
        add_row(graph, 0, 1, 20, false);
        add_row(graph, 1, 5, 8, false);
        add_row(graph, 2, 1, 0, false);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        begin_world(&w, 1, 2, 1, "baseline", graph);
        no_overheads(&w);
        w.workload[WORKLOAD_ITERATIONS] = 11;
        struct sim_result result;
        run(&w, &result);
        for (int32_t i = 0; i < 11; i++)
                assert_true(fabs(result.iteration_s[i] - expected_ms[i % 3] * 1e-3) < 1e-12);
        /* iterations 8 to 10: nothing, the chain, the work of five over two cores */
        assert_int_equal(ledger_first_steady(11), 8);
        assert_true(fabs(result.metric[METRIC_OPTIMAL_S] - (0 + 30 + 20) * 1e-3 / 3) < 1e-12);
        assert_true(result.metric[METRIC_TASKS] == 4 * (4 + 5) + 3);
        sim_result_finish(&result);
        taskgraph_destroy(graph);
}

static double urgent_s(const char *system, int32_t degree, int32_t ntask, int32_t chain, bool first)
{
        struct taskgraph *graph = urgent_graph(degree, ntask, chain, first);
        struct world w;
        begin_world(&w, degree, 2, degree, system, graph);
        no_overheads(&w);
        w.runtime[RUNTIME_MESSAGE_POLL_US] = 0;
        double s = first_iteration_s(&w);
        taskgraph_destroy(graph);
        return s;
}

/* A chain that is created last is begun first, or last, as its priority says: at home, and of those
 * that are held, of which some go to a helper. */
static void the_urgent_go_first(void **unused)
{
        (void)unused;
        assert_true(fabs(urgent_s("baseline", 1, 6, 2, true) - 0.03) < 1e-12);
        assert_true(fabs(urgent_s("baseline", 1, 6, 2, false) - 0.04) < 1e-12);
        static const char *const systems[] = { "local", "global", "tight" };
        for (int i = 0; i < 3; i++) {
                double first_s = urgent_s(systems[i], 2, 40, 10, true);
                double last_s = urgent_s(systems[i], 2, 40, 10, false);
                if (first_s > 0.8 * last_s)
                        fail_msg("%s: %g s and %g s", systems[i], first_s, last_s);
        }
}

/* A file that has the same iteration several times is as good as one that has it once, under all
 * systems, where nodes are slow for a while, too. */
static void alike_iterations_are_as_good_as_one(void **unused)
{
        (void)unused;
        static const char *const systems[] = { "baseline", "dlb", "global", "tight", "dynamic" };
        struct taskgraph *graph[2];
        for (int g = 0; g < 2; g++) {
                struct lb_error err;
                graph[g] = taskgraph_create(g ? 4 : 1, 4, &err);
                assert_non_null(graph[g]);
                for (int32_t p = 0; p < (g ? 16 : 4); p++) {
                        struct lb_random random;
                        lb_random_init(&random, 13, LB_RANDOM_TEST, (uint64_t)p % 4);
                        add_tasks(graph[g], (struct place){ p / 4, p % 4 }, 100 * (p % 4), 2,
                                  &random);
                }
                assert_int_equal(taskgraph_close(graph[g], &err), 0);
        }
        for (int i = 0; i < 10; i++) {
                struct sim_result result[2];
                for (int g = 0; g < 2; g++) {
                        struct world w;
                        bool offloads = i % 5 == 2 || i % 5 == 3;
                        begin_world(&w, 4, 6, offloads ? 3 : 1, systems[i % 5], graph[g]);
                        w.workload[WORKLOAD_ITERATIONS] = 6;
                        w.runtime[RUNTIME_COST_HINTS] = i % 5 == 3;
                        w.workload[WORKLOAD_SLOW] = i >= 5;
                        w.workload[WORKLOAD_SLOW_ITERATIONS] = i >= 5;
                        run(&w, &result[g]);
                }
                for (int k = 0; k < METRIC_COUNT; k++) {
                        double x = result[0].metric[k], y = result[1].metric[k];
                        if (!(fabs(x - y) <= 1e-12 * fabs(x) || (isnan(x) && isnan(y))))
                                fail_msg("%s: metric %d: %.17g, %.17g", systems[i % 5], k, x, y);
                }
                sim_result_finish(&result[0]);
                sim_result_finish(&result[1]);
        }
        taskgraph_destroy(graph[0]);
        taskgraph_destroy(graph[1]);
}

/* Tasks in one chain gain nothing from other nodes, and their data stays where it is. */
static void a_chain_is_not_shortened(void **unused)
{
        (void)unused;
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 2, &err);
        assert_non_null(graph);
        for (int32_t t = 0; t < 200; t++)
                add_task(graph, (struct place){ 0, 0 }, 10000000, 1000000, &(int32_t){ t - 1 },
                         t > 0);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        begin_world(&w, 2, 4, 2, "global", graph);
        struct sim_result result;
        run(&w, &result);
        assert_true(result.metric[METRIC_OPTIMAL_S] == 2);
        assert_true(result.metric[METRIC_RATIO_TO_OPTIMAL] < 1.001);
        assert_int_equal((int)result.metric[METRIC_OFFLOADED_BYTES], 0);
        sim_result_finish(&result);
        taskgraph_destroy(graph);
}

/* Of one apprank's tasks those that stay are at home, though its other node has nothing to do; what
 * they wait for may be elsewhere, and comes home. */
static void what_stays_is_at_home(void **unused)
{
        (void)unused;
        for (int second = 0; second < 2; second++) {
                struct taskgraph *graph = staying_graph(200, second);
                struct world w;
                begin_world(&w, 2, 4, 2, "global", graph);
                w.workload[WORKLOAD_ITERATIONS] = 6;
                struct sim_result result;
                run(&w, &result);
                double offloaded = result.metric[METRIC_OFFLOADED_FRACTION];
                if (second == 0)
                        assert_true(offloaded == 0 && result.metric[METRIC_OFFLOADED_BYTES] == 0);
                else
                        assert_true(offloaded > 0.1 && offloaded <= 0.5);
                sim_result_finish(&result);
                taskgraph_destroy(graph);
        }
}

/* Of many tasks that stay, and a few without data that may run elsewhere, helpers that ask get the
 * latter alone, with priorities and without. */
static void of_those_that_wait_some_stay(void **unused)
{
        (void)unused;
        for (int32_t urgent = 0; urgent < 2; urgent++) {
                struct lb_error err;
                struct taskgraph *graph = taskgraph_create(1, 2, &err);
                assert_non_null(graph);
                for (int32_t t = 0; t < 32; t++) {
                        struct taskgraph_task task = { .task_ns = 10000000,
                                                       .bytes = t < 8 ? 0 : 1000,
                                                       .stays = t >= 8,
                                                       .priority = -urgent * t };
                        assert_int_equal(taskgraph_add(graph, 0, 0, &task, &err), 0);
                }
                assert_int_equal(taskgraph_close(graph, &err), 0);
                struct world w;
                begin_world(&w, 2, 4, 2, "tight", graph);
                w.runtime[RUNTIME_ASK] = w.runtime[RUNTIME_ASK_WAITING] = 1;
                w.workload[WORKLOAD_ITERATIONS] = 8;
                w.runtime[RUNTIME_MESSAGE_POLL_US] = 0;
                struct sim_result result;
                run(&w, &result);
                double offloaded = result.metric[METRIC_OFFLOADED_FRACTION];
                assert_true(offloaded > 0 && result.metric[METRIC_OFFLOADED_BYTES] <= 0);
                sim_result_finish(&result);
                taskgraph_destroy(graph);
        }
}

/* A task with all that are within it runs at one place, and counts there as one. */
static void what_is_within_another_runs_where_that_does(void **unused)
{
        (void)unused;
        enum { WHOLES = 40, CHILDREN = 8, EACH = CHILDREN + 2, ITERATIONS = 6 };
        static const char *const systems[] = { "local", "global", "tight", "dynamic" };
        for (int32_t i = 0; i < 4; i++) {
                struct lb_error err;
                struct taskgraph *graph = taskgraph_create(1, 2, &err);
                assert_non_null(graph);
                for (int32_t n = 0; n < WHOLES; n++)
                        add_whole(graph, (struct place){ 0, 0 }, CHILDREN, 10000000, 1000);
                assert_int_equal(taskgraph_close(graph, &err), 0);
                struct world w;
                begin_world(&w, 2, 4, i == 3 ? 1 : 2, systems[i], graph);
                w.workload[WORKLOAD_ITERATIONS] = ITERATIONS;
                w.workload[WORKLOAD_WRITEBACK] = 1;
                struct sim_result result;
                run(&w, &result);
                double away =
                    result.metric[METRIC_OFFLOADED_FRACTION] * result.metric[METRIC_TASKS];
                assert_true(fabs(result.metric[METRIC_TASKS] - ITERATIONS * WHOLES * EACH) < 0.5);
                if (away < 100 || fabs(away / EACH - round(away / EACH)) > 1e-6)
                        fail_msg("%s: %g tasks elsewhere", systems[i], away);
                /* its own data alone moves, there and back nothing: nobody waits for the first */
                assert_true(fabs(result.metric[METRIC_OFFLOADED_BYTES] - away / EACH * 1000) < 1);
                sim_result_finish(&result);
                taskgraph_destroy(graph);
        }
}

/* Who comes after one of a whole waits for all of it; those within it are not created by the main
 * program, which goes on when the last is over. */
static void a_whole_is_over_when_all_of_it_is(void **unused)
{
        (void)unused;
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 1, &err);
        assert_non_null(graph);
        static const int32_t within = 1;
        add_task(graph, (struct place){ 0, 0 }, 1000000, 0, NULL, 0);
        struct taskgraph_task task = {
                .task_ns = 2000000, .within = 1, .after = &(int32_t){ 0 }, .nafter = 1
        };
        assert_int_equal(taskgraph_add(graph, 0, 0, &task, &err), 0);
        add_task(graph, (struct place){ 0, 0 }, 4000000, 0, &within, 1);
        task.task_ns = 30000000;
        assert_int_equal(taskgraph_add(graph, 0, 0, &task, &err), 0);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        begin_world(&w, 1, 3, 1, "baseline", graph);
        no_overheads(&w);
        assert_true(fabs(first_iteration_s(&w) - 0.035) < 1e-12);
        w.runtime[RUNTIME_CREATE_US] = 100; /* of two */
        assert_true(fabs(first_iteration_s(&w) - 0.0352) < 1e-12);
        taskgraph_destroy(graph);
}

/* Independent explicit tasks take as long as as many alike ones of another model, wherever tasks
 * are created in the same order from the same place. */
static void without_dependencies_it_is_a_bag_of_tasks(void **unused)
{
        (void)unused;
        static const double load_ms[] = { 30, 10 };
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 2, &err);
        assert_non_null(graph);
        for (int32_t a = 0; a < 2; a++)
                for (int32_t t = 0; t < 800; t++)
                        add_task(graph, (struct place){ 0, a }, (int64_t)(load_ms[a] * 1e6), 1,
                                 NULL, 0);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        begin_world(&w, 2, 8, 2, "global", graph);
        struct sim_result one, two;
        run(&w, &one);
        w.workload[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "given");
        w.load_ms = load_ms;
        run(&w, &two);
        assert_true(one.iteration_s[0] == two.iteration_s[0]);
        assert_true(one.metric[METRIC_OPTIMAL_S] == two.metric[METRIC_OPTIMAL_S]);
        sim_result_finish(&one);
        sim_result_finish(&two);
        taskgraph_destroy(graph);
}

/* A factorisation that offloads moves tiles; balancing helps where matrices are unequally many. */
static void a_factorisation_is_balanced(void **unused)
{
        (void)unused;
        double ratio[2];
        for (int i = 0; i < 2; i++) {
                struct world w;
                world_init(&w, 4, 8, i ? 3 : 1, i ? "global" : "baseline");
                w.workload[WORKLOAD_MODEL] =
                    lb_param_choice(&workload_params[WORKLOAD_MODEL], "cholesky");
                w.workload[WORKLOAD_CHOLESKY_SIZE] = 4096;
                w.workload[WORKLOAD_CHOLESKY_BLOCK] = 512;
                w.workload[WORKLOAD_CHOLESKY_MATRICES] = 16;
                struct sim_result result;
                run(&w, &result);
                ratio[i] = result.metric[METRIC_RATIO_TO_OPTIMAL];
                assert_true((result.metric[METRIC_OFFLOADED_BYTES] > 1e8) == (i == 1));
                sim_result_finish(&result);
        }
        assert_true(ratio[0] > 1.9);
        assert_true(ratio[1] < 1.2);
}

/* A task goes to where what it waits for has run, if there is room: half of the tasks begin a pair
 * and have no data, those that end it take it over, mostly where it is. */
static void tasks_follow_their_data(void **unused)
{
        (void)unused;
        enum { NPAIR = 1000, BYTES = 1000000 };
        struct lb_error err;
        struct taskgraph *graph = taskgraph_create(1, 2, &err);
        assert_non_null(graph);
        for (int32_t t = 0; t < 2 * NPAIR; t++)
                add_task(graph, (struct place){ 0, 0 }, 20000000, t < NPAIR ? 0 : BYTES,
                         &(int32_t){ t - NPAIR }, t >= NPAIR);
        assert_int_equal(taskgraph_close(graph, &err), 0);
        struct world w;
        begin_world(&w, 2, 8, 2, "local", graph);
        w.workload[WORKLOAD_ITERATIONS] = 6;
        struct sim_result result;
        run(&w, &result);
        double away = result.metric[METRIC_OFFLOADED_FRACTION];
        double moved = result.metric[METRIC_OFFLOADED_BYTES] / (6.0 * NPAIR * BYTES);
        assert_true(away > 0.3);
        assert_true(moved < 0.8 * away);
        sim_result_finish(&result);
        taskgraph_destroy(graph);
}

/* Helpers that come and go do not lose a task, nor run one twice or too early. */
static void helpers_come_and_go(void **unused)
{
        (void)unused;
        double left = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
                struct world w;
                world_init(&w, 4, 8, 1, "dynamic");
                w.workload[WORKLOAD_MODEL] =
                    lb_param_choice(&workload_params[WORKLOAD_MODEL], "cholesky");
                w.workload[WORKLOAD_CHOLESKY_SIZE] = 3072;
                w.workload[WORKLOAD_CHOLESKY_BLOCK] = 512;
                w.workload[WORKLOAD_CHOLESKY_MATRICES] = 24;
                w.workload[WORKLOAD_ITERATIONS] = 30;
                w.grow_idle_s = 0.5;
                w.seed = seed;
                struct sim_result result;
                run(&w, &result);
                assert_int_equal((int)result.metric[METRIC_TASKS], 30 * 4 * 24 * (21 + 56));
                assert_true(result.metric[METRIC_RATIO_TO_OPTIMAL] >= 1);
                left += result.metric[METRIC_PROCESS_STARTS] - result.metric[METRIC_HELPER_RANKS];
                sim_result_finish(&result);
        }
        assert_true(left >= 3); /* started, and not there at the end */
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_core_takes_the_sum_and_many_the_longest_chain),
                cmocka_unit_test(random_graphs_keep_work_order_and_bounds),
                cmocka_unit_test(each_iteration_has_its_tasks),
                cmocka_unit_test(the_urgent_go_first),
                cmocka_unit_test(alike_iterations_are_as_good_as_one),
                cmocka_unit_test(a_chain_is_not_shortened),
                cmocka_unit_test(what_stays_is_at_home),
                cmocka_unit_test(of_those_that_wait_some_stay),
                cmocka_unit_test(random_wholes_keep_work_order_and_bounds),
                cmocka_unit_test(what_is_within_another_runs_where_that_does),
                cmocka_unit_test(a_whole_is_over_when_all_of_it_is),
                cmocka_unit_test(without_dependencies_it_is_a_bag_of_tasks),
                cmocka_unit_test(a_factorisation_is_balanced),
                cmocka_unit_test(tasks_follow_their_data),
                cmocka_unit_test(helpers_come_and_go),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
