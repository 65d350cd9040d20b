/* SPDX-License-Identifier: BSD-3-Clause */
/* The host of system dpb: MPI + OpenMP processes whose processors move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/host/ledger.h"
#include "sim/systems/dpb/host.h"
#include "sim/systems/dpb/processors.h"

/* A run put together by hand: defaults, to be changed before run(). */
struct setting {
        int32_t nnode, ncore, per_node;
        double workload[WORKLOAD_NPARAM], network[NETWORK_NPARAM], host[SMP_NPARAM];
        double policy[3][16];
        double speed[8];
        const double *load_ms;
        double series_s;
};

static void setting_init(struct setting *s, int32_t nnode, int32_t ncore, int32_t per_node)
{
        memset(s, 0, sizeof(*s));
        s->nnode = nnode;
        s->ncore = ncore;
        s->per_node = per_node;
        lb_param_defaults(workload_params, s->workload);
        lb_param_defaults(network_params, s->network);
        lb_param_defaults(smp_params, s->host);
        for (int i = 0; dpb_types[i]; i++)
                lb_param_defaults(dpb_types[i]->params, s->policy[i]);
        for (int n = 0; n < 8; n++)
                s->speed[n] = 1;
        s->host[SMP_FORK_US] = 0;
        s->network[NETWORK_LATENCY_US] = 0;
        s->workload[WORKLOAD_ITERATIONS] = 60;
        s->workload[WORKLOAD_TASK_MS] = 1;
}

static void choose(struct setting *s, enum workload_param place, const char *word)
{
        struct lb_error err;
        assert_int_equal(lb_param_parse(&workload_params[place], word, &s->workload[place], &err),
                         0);
}

static struct sim_result run(const struct setting *s)
{
        struct lb_error err;
        struct sim_result result;
        struct workload_spec workload_spec = { .nnode = s->nnode,
                                               .cores_per_node = s->ncore,
                                               .appranks_per_node = s->per_node,
                                               .param = s->workload,
                                               .load_ms = s->load_ms,
                                               .nload = s->load_ms ? s->nnode * s->per_node : 0,
                                               .seed = 3 };
        struct workload *workload = workload_create(&workload_spec, &err);
        if (!workload)
                fail_msg("%s", err.text);
        const struct ledger_limits limits = { .floor = 1, .floor_blind = 1, .cut = NAN };
        const double *host_param[] = { s->host, s->policy[0], s->policy[1], s->policy[2] };
        struct sim_spec spec = { .system = system_find("dpb"),
                                 .appranks_per_node = s->per_node,
                                 .workload = workload,
                                 .cores_per_node = s->ncore,
                                 .node_speed = s->speed,
                                 .network = s->network,
                                 .host_param = host_param,
                                 .limits = &limits,
                                 .series_s = s->series_s,
                                 .seed = 3 };
        if (sim_run(&spec, &result, NULL, &err) < 0)
                fail_msg("%s", err.text);
        workload_destroy(workload);
        return result;
}

static double metric(const struct setting *s, enum metric which)
{
        struct sim_result result = run(s);
        double value = result.metric[which];
        sim_result_finish(&result);
        return value;
}

static void assert_near(double value, double expected, double tolerance)
{
        if (!(fabs(value - expected) <= tolerance * fabs(expected)))
                fail_msg("found %.10g, expected %.10g", value, expected);
}

/* Two processes of 8 processors, one of three times the work: 8 x 3 against 4 on 12 and 4. */
static void the_paper_s_example_is_balanced(void **state)
{
        (void)state;
        static const double load_ms[] = { 3, 1 };
        struct setting s;
        setting_init(&s, 1, 16, 2);
        choose(&s, WORKLOAD_MODEL, "given");
        s.load_ms = load_ms;
        struct sim_result result = run(&s);
        assert_near(result.iteration_s[0], 0.3, 1e-9);
        assert_near(result.metric[METRIC_TIME_PER_ITERATION_S], 0.2, 0.01);
        assert_near(result.metric[METRIC_OPTIMAL_S], 0.2, 1e-9);
        assert_true(result.metric[METRIC_OWNERSHIP_CHANGES] == 4);
        assert_true(isnan(result.metric[METRIC_OFFLOADED_BYTES])); /* no task moves */
        sim_result_finish(&result);
        s.host[SMP_POLICY] = 1;
        assert_near(metric(&s, METRIC_TIME_PER_ITERATION_S), 0.3, 1e-9);
}

/* With processors by known work from the start there is nothing to move. */
static void a_start_by_work_is_balanced_at_once(void **state)
{
        (void)state;
        static const double load_ms[] = { 3, 1 };
        struct setting s;
        setting_init(&s, 1, 16, 2);
        choose(&s, WORKLOAD_MODEL, "given");
        s.load_ms = load_ms;
        s.host[SMP_START] = SMP_START_WORK;
        struct sim_result result = run(&s);
        assert_near(result.iteration_s[0], 0.2, 0.01);
        assert_true(result.metric[METRIC_OWNERSHIP_CHANGES] == 0);
        sim_result_finish(&result);
}

/* 10 chunks on 4 threads: 3 rounds in blocks, 2.5 if they could be cut; a serial tenth adds its
 * own. */
static void chunks_serial_part_and_fork_take_their_time(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s, 1, 4, 1);
        s.workload[WORKLOAD_IMBALANCE] = 1;
        s.workload[WORKLOAD_TASKS_PER_CORE] = 5;
        s.workload[WORKLOAD_REGIONS] = 2; /* of 10 chunks each */
        assert_near(metric(&s, METRIC_TIME_PER_ITERATION_S), 2 * 3e-3, 1e-9);
        s.host[SMP_SCHEDULE] = SMP_IDEAL;
        assert_near(metric(&s, METRIC_TIME_PER_ITERATION_S), 2 * 2.5e-3, 1e-9);
        s.host[SMP_SERIAL] = 0.1;
        assert_near(metric(&s, METRIC_TIME_PER_ITERATION_S), 0.9 * 5e-3 + 2e-3, 1e-9);
        assert_near(metric(&s, METRIC_PARALLEL_EFFICIENCY), 20e-3 / 4 / (0.9 * 5e-3 + 2e-3), 1e-6);
        s.host[SMP_FORK_US] = 50;
        assert_near(metric(&s, METRIC_TIME_PER_ITERATION_S), 0.9 * 5e-3 + 2e-3 + 1e-4, 1e-9);
}

/* Where chunks differ, handing them out one by one beats blocks, and nothing beats ideal division.
 */
static void schedules_are_ordered(void **state)
{
        (void)state;
        struct setting s;
        double time_s[3];
        setting_init(&s, 1, 8, 1);
        s.workload[WORKLOAD_IMBALANCE] = 1;
        choose(&s, WORKLOAD_JITTER, "exponential");
        s.workload[WORKLOAD_JITTER_CV] = 1;
        for (int schedule = 0; schedule < 3; schedule++) {
                s.host[SMP_SCHEDULE] = schedule;
                time_s[schedule] = metric(&s, METRIC_TIME_PER_ITERATION_S);
        }
        assert_true(time_s[SMP_STATIC] > time_s[SMP_DYNAMIC]);
        assert_true(time_s[SMP_DYNAMIC] > time_s[SMP_IDEAL]);
}

/* A decision that comes in the middle of a region: at once, or at its edge, later. Every chunk is
 * executed either way. */
static void changes_take_effect_at_once_or_at_the_edge(void **state)
{
        (void)state;
        static const double load_ms[] = { 3, 1 };
        double total_s[2];
        for (int mode = 0; mode < 2; mode++) {
                struct setting s;
                setting_init(&s, 1, 16, 2);
                choose(&s, WORKLOAD_MODEL, "given");
                s.load_ms = load_ms;
                s.host[SMP_DELAY_MS] = 10; /* of the 100 and 300 ms of a region */
                s.host[SMP_MODE] = mode;
                struct sim_result result = run(&s);
                total_s[mode] = result.metric[METRIC_TOTAL_S];
                assert_true(result.metric[METRIC_OWNERSHIP_CHANGES] >= 4);
                assert_near(result.metric[METRIC_TASKS], 60 * 1600, 0);
                assert_near(result.metric[METRIC_TIME_PER_ITERATION_S], 0.2, 0.01);
                sim_result_finish(&result);
        }
        assert_true(total_s[SMP_ASYNCHRONOUS] < total_s[SMP_SYNCHRONOUS]);
}

/* The series shows who has which processors, and they add up at every sample. */
static void processors_add_up_in_the_series(void **state)
{
        (void)state;
        static const double load_ms[] = { 3, 1 };
        struct setting s;
        setting_init(&s, 1, 16, 2);
        choose(&s, WORKLOAD_MODEL, "given");
        s.load_ms = load_ms;
        s.series_s = 0.1;
        struct sim_result result = run(&s);
        const struct sim_series *series = &result.series;
        double busy = 0;
        assert_true(series->nsample > 100 && series->nworker == 2);
        for (int32_t i = 0; i < series->nsample; i++) {
                assert_int_equal(series->owned_cores[2 * i] + series->owned_cores[2 * i + 1], 16);
                for (int w = 0; w < 2; w++) {
                        assert_true((double)series->busy_cores[2 * i + w] <= 12.01);
                        busy += (double)series->busy_cores[2 * i + w] * series->interval_s;
                }
        }
        assert_int_equal(series->owned_cores[0], 8);
        assert_int_equal(series->owned_cores[2 * (series->nsample - 1)], 12);
        assert_true(fabs(busy - 60 * 3.2) < 3.3); /* but for the last interval */
        sim_result_finish(&result);
}

/* Each node's manager moves its own processors only: an imbalance between nodes stays. */
static void nodes_are_apart(void **state)
{
        (void)state;
        static const double load_ms[] = { 3, 3, 1, 1 };
        struct setting s;
        setting_init(&s, 2, 8, 2);
        choose(&s, WORKLOAD_MODEL, "given");
        s.load_ms = load_ms;
        struct sim_result result = run(&s);
        assert_true(result.metric[METRIC_OWNERSHIP_CHANGES] == 0);
        assert_near(result.metric[METRIC_NODE_IMBALANCE], 1.5, 1e-9);
        assert_near(result.metric[METRIC_TIME_PER_ITERATION_S], 0.3, 1e-9);
        sim_result_finish(&result);
}

/* Random loads, any policy: never faster than the bound, all work done, the same again. */
static void random_runs_keep_their_invariants(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 77, LB_RANDOM_TEST, 7);
        for (int trial = 0; trial < 60; trial++) {
                struct setting s;
                double load_ms[16];
                setting_init(&s, 1 + (int32_t)lb_random_below(&random, 2),
                             8 + (int32_t)lb_random_below(&random, 9),
                             1 + (int32_t)lb_random_below(&random, 8));
                choose(&s, WORKLOAD_MODEL, "given");
                choose(&s, WORKLOAD_JITTER, "gamma");
                s.workload[WORKLOAD_TASKS_PER_CORE] = 1 + (double)lb_random_below(&random, 20);
                s.workload[WORKLOAD_REGIONS] = 1 + (double)lb_random_below(&random, 4);
                s.host[SMP_POLICY] = (double)lb_random_below(&random, 3);
                s.host[SMP_MODE] = (double)lb_random_below(&random, 2);
                s.host[SMP_SCHEDULE] = (double)lb_random_below(&random, 3);
                s.host[SMP_DELAY_MS] = lb_random_unit(&random) * 3;
                s.speed[0] = 0.5 + lb_random_unit(&random);
                for (int a = 0; a < 16; a++)
                        load_ms[a] = lb_random_unit(&random) < 0.2 ? 0 : lb_random_unit(&random);
                s.load_ms = load_ms;
                struct sim_result one = run(&s), two = run(&s);
                assert_memory_equal(one.metric, two.metric, sizeof(one.metric));
                bool works = one.metric[METRIC_OPTIMAL_S] > 0;
                assert_true(!works || one.metric[METRIC_RATIO_TO_OPTIMAL] > 1 - 1e-6);
                assert_true(one.metric[METRIC_PARALLEL_EFFICIENCY] < 1 + 1e-6);
                for (int m = 0; m < METRIC_COUNT; m++)
                        assert_true(isfinite(one.metric[m]) ==
                                    ((metric_table[m].hosts & METRIC_OF_DPB) != 0 &&
                                     (works || (m != METRIC_RATIO_TO_OPTIMAL &&
                                                m != METRIC_RATIO_TO_POSSIBLE))));
                sim_result_finish(&one);
                sim_result_finish(&two);
        }
}

/* One process, no work at all, iterations of hours: no division by zero, no end of the clock. */
static void extremes_are_survived(void **state)
{
        (void)state;
        static const double none[] = { 0, 0 }, hours[] = { 3.6e6, 1.8e6 };
        struct setting s;
        setting_init(&s, 1, 4, 1);
        s.workload[WORKLOAD_IMBALANCE] = 1;
        assert_near(metric(&s, METRIC_RATIO_TO_OPTIMAL), 1, 1e-9);
        setting_init(&s, 1, 4, 2);
        choose(&s, WORKLOAD_MODEL, "given");
        s.load_ms = none;
        assert_true(metric(&s, METRIC_TOTAL_S) < 1e-9);
        s.load_ms = hours;
        s.workload[WORKLOAD_ITERATIONS] = 4;
        s.series_s = 3600;
        assert_near(metric(&s, METRIC_TOTAL_S), 4 * 3600.0 * 100, 1e-9);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_paper_s_example_is_balanced),
                cmocka_unit_test(a_start_by_work_is_balanced_at_once),
                cmocka_unit_test(chunks_serial_part_and_fork_take_their_time),
                cmocka_unit_test(schedules_are_ordered),
                cmocka_unit_test(changes_take_effect_at_once_or_at_the_edge),
                cmocka_unit_test(processors_add_up_in_the_series),
                cmocka_unit_test(nodes_are_apart),
                cmocka_unit_test(random_runs_keep_their_invariants),
                cmocka_unit_test(extremes_are_survived),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
