/* SPDX-License-Identifier: BSD-3-Clause */
/* What a simulated run must do, whatever the policies: work conserved, bounds kept, known times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "tests/sim/sim_world.h"

static double run_metric(struct world *w, enum metric metric)
{
        double value[METRIC_COUNT];
        world_metrics(w, value);
        return value[metric];
}

static double ratio(struct world *w)
{
        return run_metric(w, METRIC_RATIO_TO_OPTIMAL);
}

/* The degree-1 curve is imbalance x bound (paper, 7.3): no more than a task and overheads above. */
static void without_offloading_time_is_imbalance_times_the_bound(void **unused)
{
        (void)unused;
        static const double imbalances[] = { 1, 1.37, 2, 3.2, 4 };
        for (size_t i = 0; i < 5; i++) {
                struct world w;
                world_init(&w, 4, 8, 1, "baseline");
                w.workload[WORKLOAD_IMBALANCE] = imbalances[i];
                double r = ratio(&w);
                assert_true(r >= imbalances[i]);
                assert_true(r < imbalances[i] * 1.005);
        }
}

/* With equal appranks on equal nodes nothing needs to move, and little does. */
static void balanced_work_stays_at_home(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 4, 16, 3, "global");
        w.workload[WORKLOAD_IMBALANCE] = 1;
        assert_true(run_metric(&w, METRIC_OFFLOADED_FRACTION) <
                    0.2); /* 2 of 16 cores are helpers' */
        assert_true(ratio(&w) < 1.05);
}

/*
 * Degree 2 suffices on 4 nodes up to imbalance 2, degree 3 up to 3 (paper, 7.3), where the others'
 * work is even; beyond, the worst apprank is short of cores.
 */
static void degree_as_large_as_the_imbalance_suffices_on_four_nodes(void **unused)
{
        (void)unused;
        static const double twice[] = { 100, 33, 34, 33 }, thrice[] = { 150, 17, 16, 17 };
        struct world w;
        world_init(&w, 4, 48, 2, "global");
        w.workload[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "given");
        w.load_ms = twice;
        assert_true(ratio(&w) < 1.1);
        w.load_ms = thrice;
        assert_true(ratio(&w) > 1.4);
        w.degree = 3;
        assert_true(ratio(&w) < 1.1);
}

/* LeWI alone leaves ownership alone; DROM changes it. */
static void switches_switch(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 2, 16, 2, "local");
        w.drom = false;
        assert_int_equal((int)run_metric(&w, METRIC_OWNERSHIP_CHANGES), 0);
        assert_true(run_metric(&w, METRIC_BORROWED_CORE_S) > 0);
        w.lewi = false;
        assert_int_equal((int)run_metric(&w, METRIC_BORROWED_CORE_S), 0);
        w.drom = true;
        assert_true(run_metric(&w, METRIC_OWNERSHIP_CHANGES) > 5);
        assert_int_equal((int)run_metric(&w, METRIC_BORROWED_CORE_S), 0);
}

/* Two appranks on one node, no offloading: DLB evens them out (paper, 3.3). */
static void dlb_balances_within_a_node(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 1, 16, 1, "dlb");
        w.appranks_per_node = 2;
        w.workload[WORKLOAD_IMBALANCE] = 1.8;
        assert_true(ratio(&w) < 1.05);
        w.lewi = w.drom = false;
        assert_true(ratio(&w) > 1.75);
}

/* A node of a third of the speed, by its cores or by its tasks: the bound is the same. */
static void slow_nodes_by_speed_and_by_task_agree(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 4, 8, 2, "global");
        w.workload[WORKLOAD_SLOW] = lb_param_choice(&workload_params[WORKLOAD_SLOW], "first");
        double emulated = run_metric(&w, METRIC_OPTIMAL_S);
        w.workload[WORKLOAD_SLOW] = 0;
        w.speed[0] = 1.0 / 3;
        double real = run_metric(&w, METRIC_OPTIMAL_S);
        assert_true(fabs(emulated - real) < 1e-6 * real);
        assert_true(fabs(real - 5.0 * 4 / (3 + 1.0 / 3)) < 1e-3);
}

/* The solver's processor time is charged to node 0. */
static void the_solver_costs_what_it_is_given(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 2, 4, 2, "global");
        w.runtime[RUNTIME_SOLVER_TIME] = SOLVER_TIME_NONE;
        double free_of_charge = run_metric(&w, METRIC_TIME_PER_ITERATION_S);
        w.runtime[RUNTIME_SOLVER_TIME] = SOLVER_TIME_GIVEN;
        w.runtime[RUNTIME_SOLVER_MS] = 1500;
        assert_true(run_metric(&w, METRIC_TIME_PER_ITERATION_S) > free_of_charge * 1.01);
}

/* When nodes poll has a seed of its own: 0 is the run's, and loads do not depend on it. */
static void phases_have_a_seed_of_their_own(void **unused)
{
        (void)unused;
        double time[4], bound[4];
        for (int i = 0; i < 4; i++) {
                struct world w;
                world_init(&w, 4, 8, 2, "local");
                w.seed = 2;
                w.runtime[RUNTIME_PHASE_SEED] = i;
                time[i] = run_metric(&w, METRIC_TOTAL_S);
                bound[i] = run_metric(&w, METRIC_OPTIMAL_S);
        }
        assert_true(time[0] == time[2] && time[1] != time[2] && time[3] != time[2]);
        assert_true(bound[1] == bound[2] && bound[3] == bound[2]);
}

/* Data that has to travel takes time; a taskwait with write-back brings it home. */
static void data_moves_only_where_it_must(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 2, 8, 2, "global");
        w.workload[WORKLOAD_TASK_BYTES] = 1e6;
        double sticky = run_metric(&w, METRIC_OFFLOADED_BYTES);
        w.workload[WORKLOAD_WRITEBACK] = 1;
        double written_back = run_metric(&w, METRIC_OFFLOADED_BYTES);
        assert_true(sticky > 0);
        assert_true(written_back > 3 * sticky);
        world_init(&w, 2, 8, 1, "baseline");
        w.workload[WORKLOAD_TASK_BYTES] = 1e6;
        assert_int_equal((int)run_metric(&w, METRIC_OFFLOADED_BYTES), 0);
}

/* Where processors copy data, a core of who executes a task does it: there, and, where it has to be
 * home at the taskwait, back. */
static void copies_take_time_of_cores(void **unused)
{
        (void)unused;
        static const double home[] = { 400, 0 };
        double total_s[2][2];
        for (int back = 0; back < 2; back++)
                for (int copied = 0; copied < 2; copied++) {
                        struct world w;
                        world_init(&w, 2, 1, 2, "global");
                        w.workload[WORKLOAD_MODEL] =
                            lb_param_choice(&workload_params[WORKLOAD_MODEL], "given");
                        w.load_ms = home;
                        w.workload[WORKLOAD_TASKS_PER_CORE] = 40;
                        w.workload[WORKLOAD_ITERATIONS] = 4;
                        w.workload[WORKLOAD_TASK_BYTES] = 1e6;
                        w.workload[WORKLOAD_WRITEBACK] = back;
                        w.network[NETWORK_COPY_GBPS] = copied ? 0.2 : 0; /* 5 ms of 400 */
                        total_s[back][copied] = run_metric(&w, METRIC_TOTAL_S);
                }
        /* 20 tasks leave in each of 4 iterations; data that stays does so once. */
        double once_s = total_s[0][1] - total_s[0][0], each_s = total_s[1][1] - total_s[1][0];
        assert_true(once_s > 0.05 && once_s < 0.25);
        assert_true(each_s > 4 * 2 * 19 * 0.005 && each_s < 4 * 2 * 21 * 0.005);
}

/* 2^16 event slots: memory is asked ahead. */
static void a_machine_beyond_caches_is_simulated_like_others(void **unused)
{
        (void)unused;
        const char *const systems[] = { "baseline", "global" };
        for (int i = 0; i < 2; i++) {
                struct world w;
                world_init(&w, 4096, 8, i == 0 ? 1 : 4, systems[i]);
                w.workload[WORKLOAD_ITERATIONS] = 2;
                w.workload[WORKLOAD_TASKS_PER_CORE] = 4;
                w.workload[WORKLOAD_JITTER] =
                    lb_param_choice(&workload_params[WORKLOAD_JITTER], "gaussian");
                w.workload[WORKLOAD_JITTER_CV] = 0.1;
                double metric[METRIC_COUNT];
                world_metrics(&w, metric);
                assert_int_equal((int)metric[METRIC_TASKS], 2 * 4096 * 8 * 4);
                assert_true(metric[METRIC_RATIO_TO_OPTIMAL] > 1);
                assert_true(metric[METRIC_RATIO_TO_OPTIMAL] < 2.5); /* the imbalance is 2 */
                assert_true((metric[METRIC_OFFLOADED_FRACTION] > 0) == (i > 0));
        }
}

static void random_world(struct world *w, struct lb_random *random)
{
        static const char *const systems[] = { "baseline", "dlb", "local", "global" };
        int32_t nnode = 1 + (int32_t)lb_random_below(random, 6);
        const char *system = systems[lb_random_below(random, 4)];
        int32_t degree = system_find(system)->offloads
                             ? 1 + (int32_t)lb_random_below(random, (uint64_t)nnode)
                             : 1;
        world_init(w, nnode, 0, degree, system);
        w->appranks_per_node = 1 + (int32_t)lb_random_below(random, 3);
        w->cores = w->appranks_per_node * degree + (int32_t)lb_random_below(random, 12);
        w->lewi = w->lewi && lb_random_below(random, 4);
        if (w->lewi && lb_random_below(random, 3) == 0) /* for homes alone, or a few more */
                w->cores = w->appranks_per_node + (int32_t)lb_random_below(random, 3);
        w->runtime[RUNTIME_TALK_ONLY] = (double)lb_random_below(random, 2);
        w->drom = w->drom && lb_random_below(random, 4);
        w->original = lb_random_below(random, 3) == 0;
        w->seed = lb_random_next(random) >> 12;
        w->workload[WORKLOAD_IMBALANCE] =
            1 + lb_random_unit(random) * (nnode * w->appranks_per_node - 1);
        w->workload[WORKLOAD_ITERATIONS] = 1 + (double)lb_random_below(random, 5);
        w->workload[WORKLOAD_TASKS_PER_CORE] = 1 + (double)lb_random_below(random, 30);
        w->workload[WORKLOAD_TASK_MS] = 100 * lb_random_unit(random);
        w->workload[WORKLOAD_TASK_BYTES] = (double)lb_random_below(random, 1000000);
        w->workload[WORKLOAD_WRITEBACK] = (double)lb_random_below(random, 2);
        w->workload[WORKLOAD_JITTER] = (double)lb_random_below(random, 6);
        w->runtime[RUNTIME_OWNERSHIP] = (double)lb_random_below(random, 2);
        w->runtime[RUNTIME_MESSAGE_POLL_US] = (double)lb_random_below(random, 2) * 1000;
        w->runtime[RUNTIME_ASK] = (double)lb_random_below(random, 2);
        w->runtime[RUNTIME_POLL_S] = 0.05 + lb_random_unit(random);
        w->speed[0] = 0.3 + lb_random_unit(random);
        w->runtime[RUNTIME_TARGETS] = (double)lb_random_below(random, 2);
        w->runtime[RUNTIME_COST_HINTS] = (double)lb_random_below(random, 2);
}

/*
 * Over random machines, systems and costs: every task runs once, no run beats the bound,
 * efficiencies multiply, and a second run is the same to the last bit. Builds with LB_CHECK also
 * check every invariant after every event.
 */
static void random_runs_keep_every_invariant(void **unused)
{
        (void)unused;
        struct lb_random random;
        lb_random_init(&random, 7, LB_RANDOM_TEST, 3);
        for (int i = 0; i < 150; i++) {
                struct world w;
                random_world(&w, &random);
                struct sim_result one, two;
                struct lb_error err;
                if (world_run(&w, &one, &err) < 0)
                        fail_msg("run %d (%s): %s", i, w.system, err.text);
                assert_int_equal(world_run(&w, &two, &err), 0);
                assert_memory_equal(one.metric, two.metric, sizeof(one.metric));
                const double *x = one.metric;
                double per_apprank =
                    floor(w.workload[WORKLOAD_TASKS_PER_CORE] * w.cores / w.appranks_per_node);
                double napprank = w.nnode * w.appranks_per_node;
                double expected = per_apprank * napprank * w.workload[WORKLOAD_ITERATIONS];
                assert_true(fabs(x[METRIC_TASKS] - expected) <= napprank * one.niteration);
                assert_true(x[METRIC_RATIO_TO_OPTIMAL] > 1 - 1e-9);
                double product = x[METRIC_LOAD_BALANCE] * x[METRIC_TRANSFER_EFFICIENCY] *
                                 x[METRIC_RUNTIME_EFFICIENCY];
                assert_true(fabs(product - x[METRIC_PARALLEL_EFFICIENCY]) < 1e-9);
                double sum = 0;
                for (int32_t k = 0; k < one.niteration; k++)
                        sum += one.iteration_s[k];
                assert_true(fabs(sum - x[METRIC_TOTAL_S]) < 1e-6 * (1 + sum));
                sim_result_finish(&one);
                sim_result_finish(&two);
        }
}

/* Where polls are further apart than iterations, cores that are idle elsewhere get tasks since they
 * ask, and the time comes near the bound; a run without polls worth the name shows it alone. */
static void asking_replaces_polls(void **unused)
{
        (void)unused;
        double time[2];
        for (int asks = 0; asks < 2; asks++) {
                struct world w;
                world_init(&w, 4, 8, 3, "global");
                w.drom = false;
                w.runtime[RUNTIME_POLL_S] = 1000;
                w.runtime[RUNTIME_ASK] = asks;
                struct sim_result result;
                struct lb_error err;
                assert_int_equal(world_run(&w, &result, &err), 0);
                time[asks] = result.metric[METRIC_RATIO_TO_OPTIMAL];
                sim_result_finish(&result);
        }
        assert_true(time[1] < 0.8 * time[0]);
        assert_true(time[1] < 1.15);
}

/* Where tasks differ much and a program says what each costs, the last ones are the cheap ones. The
 * tasks are the same. */
static void costs_that_are_said_shorten_the_end(void **unused)
{
        (void)unused;
        double time[2], optimal[2];
        for (int said = 0; said < 2; said++) {
                struct world w;
                world_init(&w, 4, 8, 3, "global");
                w.workload[WORKLOAD_JITTER] = 5; /* gamma */
                w.workload[WORKLOAD_JITTER_CV] = 1;
                w.workload[WORKLOAD_IMBALANCE] = 2;
                w.workload[WORKLOAD_TASKS_PER_CORE] = 10;
                w.runtime[RUNTIME_COST_HINTS] = said;
                struct sim_result result;
                struct lb_error err;
                assert_int_equal(world_run(&w, &result, &err), 0);
                time[said] = result.metric[METRIC_TOTAL_S];
                optimal[said] = result.metric[METRIC_OPTIMAL_S];
                sim_result_finish(&result);
        }
        assert_true(fabs(optimal[0] - optimal[1]) < 1e-12);
        assert_true(time[1] < 0.95 * time[0]);
}

/* A series has a row per interval, and its owned cores always add up to the machine's. */
static void series_add_up(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 3, 8, 2, "local");
        w.series_s = 0.25;
        struct sim_result result;
        struct lb_error err;
        assert_int_equal(world_run(&w, &result, &err), 0);
        const struct sim_series *s = &result.series;
        assert_int_equal(s->nworker, 6);
        assert_int_equal(s->nsample, (int32_t)(result.metric[METRIC_TOTAL_S] / 0.25));
        for (int32_t i = 0; i < s->nsample; i++) {
                int32_t owned = 0;
                double busy = 0;
                for (int32_t k = 0; k < s->nworker; k++) {
                        owned += s->owned_cores[i * s->nworker + k];
                        busy += (double)s->busy_cores[i * s->nworker + k];
                }
                assert_int_equal(owned, 24);
                assert_true(busy >= 0 && busy <= 24.001);
                assert_true(s->node_imbalance[i] >= 1 - 1e-9 && s->node_imbalance[i] <= 3 + 1e-9);
        }
        sim_result_finish(&result);
}

/* ---- When the lending policy is asked ---- */

static int32_t asked[LEND_POLLED + 1], in_vain;

static void decide_and_count(void *state, const struct lend_view *view, struct lend_decision *out)
{
        bool idle = view->occasion == LEND_BORROWED_IDLE;
        bool ahead = view->occasion == LEND_TOOK_TASK || view->occasion == LEND_POLLED;
        asked[view->occasion]++;
        if (idle || ahead)
                in_vain += view->held_tasks_known[view->worker] == 0;
        if (ahead || view->occasion == LEND_CORE_LENT)
                in_vain += view->pool == 0;
        lend_at(0)->decide(state, view, out);
}

/* As policies/lend.h says it is, and live hosts do: a policy may count on it. */
static void lending_is_asked_where_it_is_said(void **unused)
{
        (void)unused;
        struct lend_type counts = *lend_at(0);
        counts.decide = decide_and_count;
        struct world w;
        world_init(&w, 4, 12, 3, "local");
        w.lend_by = &counts;
        w.lend[lb_param_find(counts.params, "borrow_ahead")] = 1;
        w.workload[WORKLOAD_ITERATIONS] = 5;
        w.workload[WORKLOAD_TASKS_PER_CORE] = 20;
        ratio(&w);
        for (int occasion = LEND_OWNED_IDLE; occasion <= LEND_POLLED; occasion++)
                assert_true(asked[occasion] > 0);
        assert_int_equal(in_vain, 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(without_offloading_time_is_imbalance_times_the_bound),
                cmocka_unit_test(balanced_work_stays_at_home),
                cmocka_unit_test(degree_as_large_as_the_imbalance_suffices_on_four_nodes),
                cmocka_unit_test(switches_switch),
                cmocka_unit_test(dlb_balances_within_a_node),
                cmocka_unit_test(slow_nodes_by_speed_and_by_task_agree),
                cmocka_unit_test(the_solver_costs_what_it_is_given),
                cmocka_unit_test(phases_have_a_seed_of_their_own),
                cmocka_unit_test(data_moves_only_where_it_must),
                cmocka_unit_test(copies_take_time_of_cores),
                cmocka_unit_test(a_machine_beyond_caches_is_simulated_like_others),
                cmocka_unit_test(random_runs_keep_every_invariant),
                cmocka_unit_test(asking_replaces_polls),
                cmocka_unit_test(costs_that_are_said_shorten_the_end),
                cmocka_unit_test(series_add_up),
                cmocka_unit_test(lending_is_asked_where_it_is_said),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
