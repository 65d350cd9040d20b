/* SPDX-License-Identifier: BSD-3-Clause */
/* CHAMELEON's host: every task once, times that can be calculated by hand, the paper's effects. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sim/systems/chameleon/chameleon.h"
#include "tests/sim/sim_world.h"

enum { NODE_MAX = 64 };

/* Products of 150 x 150 matrices. */
static void begin(struct world *w, int32_t nnode, int32_t cores)
{
        world_init(w, nnode, cores, 1, "chameleon");
        world_set(w, "model", "matmul");
        w->workload[WORKLOAD_MATMUL_SIZE] = 150;
        w->workload[WORKLOAD_ITERATIONS] = 1;
}

static void run(struct world *w, double *metric)
{
        world_metrics(w, metric);
        double product = metric[METRIC_LOAD_BALANCE] * metric[METRIC_TRANSFER_EFFICIENCY] *
                         metric[METRIC_RUNTIME_EFFICIENCY];
        assert_float_equal(product, metric[METRIC_PARALLEL_EFFICIENCY], 1e-9);
}

/* One rank is OpenMP alone: 10 tasks on 2 threads beside the communication thread take 5 tasks. */
static void one_rank_works_alone(void **unused)
{
        (void)unused;
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 1, 3);
        w.workload[WORKLOAD_MATMUL_TASKS] = 10;
        run(&w, metric);
        double task_s = 2 * 150.0 * 150 * 150 / 2.6e9;
        assert_true(metric[METRIC_TOTAL_S] > 5 * task_s);
        assert_true(metric[METRIC_TOTAL_S] < 5 * task_s + 100e-6);
        assert_true(metric[METRIC_OFFLOADED_FRACTION] <= 0);
}

/* No tasks at all: the taskwait ends as soon as an exchange has said so, at either end of sizes. */
static void nothing_to_do_ends_at_once(void **unused)
{
        (void)unused;
        for (int32_t n = 1; n <= 33; n += 16) {
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, n, 2);
                w.workload[WORKLOAD_MATMUL_TASKS] = 0;
                w.workload[WORKLOAD_ITERATIONS] = 3;
                run(&w, metric);
                assert_true(metric[METRIC_TASKS] <= 0);
                assert_true(metric[METRIC_TOTAL_S] < 3 * 100e-6);
                assert_true(isnan(metric[METRIC_RATIO_TO_OPTIMAL])); /* there is no bound */
        }
}

/* Experiment 3: with 4 threads half of the tasks migrate and the time nearly halves. */
static void half_of_the_tasks_migrate_to_the_idle_rank(void **unused)
{
        (void)unused;
        struct world w;
        double alone[METRIC_COUNT], pushed[METRIC_COUNT];
        begin(&w, 2, 4);
        world_set(&w, "comm_core", "extra");
        world_set(&w, "transfer", "measured");
        w.workload[WORKLOAD_MATMUL_RANKS] = 1;
        world_set(&w, "migrate", "none");
        run(&w, alone);
        world_set(&w, "migrate", "pairs");
        run(&w, pushed);
        assert_true(alone[METRIC_OFFLOADED_FRACTION] <= 0);
        double speedup = alone[METRIC_TOTAL_S] / pushed[METRIC_TOTAL_S];
        assert_true(speedup > 1.9 && speedup <= 2);
        double migrated = 2400 * pushed[METRIC_OFFLOADED_FRACTION];
        assert_true(migrated > 1150 && migrated <= 1210);
        /* Inputs there, results home, and metadata. */
        assert_true(pushed[METRIC_OFFLOADED_BYTES] >= migrated * 24 * 150 * 150);
        assert_true(pushed[METRIC_OFFLOADED_BYTES] < migrated * (24 * 150 * 150 + 1000));
}

/* Equal ranks lose their communication core and nothing else, where threads do not fight for the
 * queue: 24 cores, 23 threads. If they do, all at once as they create tasks, that costs more. */
static void balanced_ranks_lose_one_core(void **unused)
{
        (void)unused;
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 4, 24);
        world_set(&w, "queue_contention_us", "0");
        run(&w, metric);
        assert_true(metric[METRIC_RATIO_TO_OPTIMAL] > 24 / 23.0);
        assert_true(metric[METRIC_RATIO_TO_OPTIMAL] < 1.06);
        assert_true(metric[METRIC_OFFLOADED_FRACTION] < 0.01);
        double free_s = metric[METRIC_TOTAL_S];
        world_set(&w, "queue_contention_us", "1");
        run(&w, metric);
        double creation_s = 2400 * 22 * 1e-6; /* each of the others waits */
        assert_true(fabs(metric[METRIC_TOTAL_S] - free_s - creation_s) < 0.1 * creation_s);
}

/* A slow node sheds work: one of four at 1.2 of 2.2 GHz. */
static void slow_node_sheds_work(void **unused)
{
        (void)unused;
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 4, 24);
        w.speed[2] = 1.2 / 2.2;
        run(&w, metric);
        assert_true(metric[METRIC_RATIO_TO_OPTIMAL] < 1.12); /* 1.63 without */
        assert_true(metric[METRIC_OFFLOADED_FRACTION] > 0.08);
}

/* A faster loop moves more small tasks in the same time. */
static void reactivity_counts(void **unused)
{
        (void)unused;
        double previous = 0;
        static const char *const turns[] = { "65", "20", "6.87", "2" };
        for (int i = 0; i < 4; i++) {
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, 2, 8);
                w.workload[WORKLOAD_MATMUL_RANKS] = 1;
                w.workload[WORKLOAD_MATMUL_SIZE] = 50;
                world_set(&w, "turn_us", turns[i]);
                run(&w, metric);
                assert_true(metric[METRIC_OFFLOADED_FRACTION] > previous);
                previous = metric[METRIC_OFFLOADED_FRACTION];
        }
}

/* A load that is known is an exchange old, and draws more tasks than are missing: where they are
 * long for who is left with them, to count what was sent is worth a tenth. */
static void what_is_under_way_draws_no_more(void **unused)
{
        (void)unused;
        double offloaded[2], total_s[2];
        for (int counts = 0; counts < 2; counts++) {
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, 4, 4);
                world_set(&w, "model", "synthetic");
                world_set(&w, "comm_core", "shared");
                w.workload[WORKLOAD_IMBALANCE] = 2;
                w.workload[WORKLOAD_TASKS_PER_CORE] = 10;
                w.workload[WORKLOAD_TASK_MS] = 8;
                w.workload[WORKLOAD_ITERATIONS] = 12;
                w.host[CHAM_TABLE_HOST][CHAM_UNDER_WAY] = counts;
                run(&w, metric);
                offloaded[counts] = metric[METRIC_OFFLOADED_FRACTION];
                total_s[counts] = metric[METRIC_TOTAL_S];
        }
        assert_true(offloaded[1] < offloaded[0]);
        assert_true(total_s[1] < 0.9 * total_s[0]);
}

/* Where the communication thread shares its core, data that processors copy takes their time from
 * tasks: as much as there was, spread over all threads. */
static void copies_take_time_from_tasks(void **unused)
{
        (void)unused;
        static const struct {
                const char *comm_core;
                double copy_GBps;
        } runs[] = { { "shared", 0 }, { "shared", 5 }, { "taken", 0 }, { "taken", 5 } };
        double total_s[4], copies_s[4];
        for (int i = 0; i < 4; i++) {
                struct world w;
                double metric[METRIC_COUNT];
                begin(&w, 2, 4);
                w.workload[WORKLOAD_MATMUL_RANKS] = 1;
                w.workload[WORKLOAD_MATMUL_TASKS] = 2000;
                world_set(&w, "comm_core", runs[i].comm_core);
                w.network[NETWORK_COPY_GBPS] = runs[i].copy_GBps;
                run(&w, metric);
                total_s[i] = metric[METRIC_TOTAL_S];
                copies_s[i] = metric[METRIC_OFFLOADED_BYTES] / 5e9;
        }
        assert_true(fabs(total_s[1] - total_s[0] - copies_s[1] / 8) < 0.2 * copies_s[1] / 8);
        assert_true(total_s[3] <= total_s[2] && total_s[2] <= total_s[3]);
}

/* As the authors' logs have it: 2 MiB take less than 1 MiB. Beyond the last size on at 1.2 GB/s. */
static void measured_times_are_those_of_the_logs(void **unused)
{
        (void)unused;
        static const struct {
                int64_t bytes, us;
        } logged[] = { { 1 << 15, 14 },    { 1 << 17, 104 },    { 1 << 18, 190 },
                       { 1 << 20, 799 },   { 1 << 21, 493 },    { 1 << 23, 2056 },
                       { 1 << 26, 54924 }, { 1 << 28, 222376 }, { 1 << 29, 448816 } };
        double param[CHAM_NPARAM] = { [CHAM_TRANSFER] = TRANSFER_MEASURED };
        struct cham c = { .param = param };
        for (int i = 0; i < 9; i++)
                assert_int_equal(cham_transfer_ns(&c, 0, 0, logged[i].bytes), logged[i].us * 1000);
}

/* Three messages of 10 us at once: the second waits for its receiver's thread, but not its sender's
 * for that; without contention nothing waits. */
static void nobody_is_held_up_by_another_receiver(void **unused)
{
        (void)unused;
        struct cham_rank rank[4] = { 0 };
        struct cham c = { .rank = rank, .network = { .contention = true } };
        assert_int_equal(cham_move(&c, 0, 2, 10000, 5), 10005);
        assert_int_equal(cham_move(&c, 1, 2, 10000, 5), 20005);
        assert_int_equal(cham_move(&c, 1, 3, 10000, 5), 20005);
        assert_int_equal(cham_move(&c, 3, 0, 10000, 5),
                         30005); /* in and out are the same thread's */
        c.network.contention = false;
        assert_int_equal(cham_move(&c, 1, 2, 10000, 5), 10005);
}

static void random_world(struct world *w, struct lb_random *random)
{
        static const char *const models[] = { "matmul", "synthetic", "mesh", "limiter", "micropp" };
        static const char *const policies[] = { "pairs", "least", "none" };
        static const char *const jitters[] = { "none", "lognormal" };
        static const char *const shares[] = { "0", "0.1", "1" };
        begin(w, 1 + (int32_t)lb_random_below(random, 6), 4 + (int32_t)lb_random_below(random, 5));
        w->appranks_per_node = 1 + (int32_t)lb_random_below(random, 2);
        w->seed = lb_random_next(random);
        world_set(w, "model", models[lb_random_below(random, 5)]);
        world_set(w, "jitter", jitters[lb_random_below(random, 2)]);
        world_set(w, "migrate", policies[lb_random_below(random, 3)]);
        world_set(w, "replicate_share", shares[lb_random_below(random, 3)]);
        w->host[CHAM_TABLE_HOST][CHAM_CANCEL] = (double)lb_random_below(random, 2);
        w->host[CHAM_TABLE_HOST][CHAM_TRANSFER] = (double)lb_random_below(random, 2);
        w->host[CHAM_TABLE_HOST][CHAM_UNDER_WAY] = (double)lb_random_below(random, 2);
        w->host[CHAM_TABLE_HOST][CHAM_COMM_CORE] = (double)lb_random_below(random, COMM_CORE_N);
        w->workload[WORKLOAD_MATMUL_TASKS] = (double)lb_random_below(random, 200);
        w->workload[WORKLOAD_MATMUL_RANKS] = (double)lb_random_below(random, 3);
        w->workload[WORKLOAD_MATMUL_SIZE] = 20 + (double)lb_random_below(random, 100);
        w->workload[WORKLOAD_IMBALANCE] = 1;
        w->workload[WORKLOAD_TASKS_PER_CORE] = 1 + (double)lb_random_below(random, 20);
        w->workload[WORKLOAD_TASK_MS] = 3 * lb_random_unit(random);
        w->workload[WORKLOAD_ITERATIONS] = 1 + (double)lb_random_below(random, 4);
        w->speed[0] = 0.3 + lb_random_unit(random);
}

static double ntask(const struct world *w)
{
        struct workload_spec spec = { .nnode = w->nnode,
                                      .cores_per_node = w->cores,
                                      .appranks_per_node = w->appranks_per_node,
                                      .param = w->workload,
                                      .seed = w->seed };
        struct lb_error err;
        struct workload *workload = workload_create(&spec, &err);
        struct work work[NODE_MAX];
        int64_t sum = 0;
        for (int32_t i = 0; i < workload_niteration(workload); i++) {
                workload_iteration(workload, i, work);
                for (int32_t a = 0; a < workload_napprank(workload); a++)
                        sum += work[a].ntask;
        }
        workload_destroy(workload);
        return (double)sum;
}

/* Whatever the workload, the policy and the replicas: every task is counted once, time is above the
 * bound, and the same again gives the same. (That nothing is outstanding at the end fails the run
 * itself.) */
static void every_task_runs_once(void **unused)
{
        (void)unused;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 150; i++) {
                struct world w;
                double one[METRIC_COUNT], two[METRIC_COUNT];
                random_world(&w, &random);
                run(&w, one);
                run(&w, two);
                assert_memory_equal(one, two, sizeof(one));
                double expected = ntask(&w);
                assert_true(one[METRIC_TASKS] >= expected && one[METRIC_TASKS] <= expected);
                if (w.host[CHAM_TABLE_HOST][CHAM_COMM_CORE] == COMM_CORE_TAKEN)
                        assert_true(one[METRIC_RATIO_TO_OPTIMAL] >= 1);
        }
}

/* Copies at the neighbours help a slow rank even where nothing may migrate; with cancelling less of
 * the work is done twice. */
static void replicas_help_a_slow_rank(void **unused)
{
        (void)unused;
        struct world w;
        double plain[METRIC_COUNT], copied[METRIC_COUNT], kept[METRIC_COUNT];
        begin(&w, 3, 5);
        w.speed[1] = 0.5;
        w.workload[WORKLOAD_MATMUL_TASKS] = 400;
        world_set(&w, "migrate", "none");
        run(&w, plain);
        world_set(&w, "replicate_share", "0.4");
        run(&w, copied);
        assert_true(copied[METRIC_TOTAL_S] < 0.8 * plain[METRIC_TOTAL_S]);
        assert_true(copied[METRIC_OFFLOADED_FRACTION] > 0.05);
        w.host[CHAM_TABLE_HOST][CHAM_CANCEL] = 0;
        run(&w, kept);
        assert_true(copied[METRIC_RUNTIME_EFFICIENCY] > kept[METRIC_RUNTIME_EFFICIENCY]);
}

/* The loop of 10^6 exchanges costs nothing while nothing changes: events follow the tasks. */
static void silent_exchanges_are_not_simulated(void **unused)
{
        (void)unused;
        struct world w;
        double metric[METRIC_COUNT];
        begin(&w, 4, 24);
        w.workload[WORKLOAD_MATMUL_SIZE] = 600;
        run(&w, metric); /* 17 s: 1.27 million exchanges */
        assert_true(metric[METRIC_TOTAL_S] > 15);
        assert_true(metric[METRIC_EVENTS] < 10 * metric[METRIC_TASKS]);
}

/* Node imbalance over time, one value an interval, of ranks that own their threads. */
static void series_are_filled(void **unused)
{
        (void)unused;
        struct world w;
        struct sim_result result;
        struct lb_error err;
        begin(&w, 2, 4);
        w.series_s = 0.01;
        assert_int_equal(world_run(&w, &result, &err), 0);
        const struct sim_series *s = &result.series;
        assert_int_equal(s->nworker, 2);
        assert_int_equal(s->nsample, (int32_t)(result.metric[METRIC_TOTAL_S] / 0.01));
        assert_int_equal(s->owned_cores[0], 3);
        assert_true(s->busy_cores[2] > 2.9f && s->busy_cores[2] <= 3.0f);
        assert_true(s->node_imbalance[1] >= 1 && s->node_imbalance[1] < 1.01);
        sim_result_finish(&result);
}

/* A rank without a core for work is refused, and says what would do. */
static void a_core_for_communication_is_needed(void **unused)
{
        (void)unused;
        struct world w;
        struct sim_result result;
        struct lb_error err;
        begin(&w, 2, 3);
        w.appranks_per_node = 2;
        assert_int_equal(world_run(&w, &result, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "found 1 cores for an apprank, allowed are at least 2"));
        world_set(&w, "comm_core", "extra");
        assert_int_equal(world_run(&w, &result, &err), 0);
        sim_result_finish(&result);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_rank_works_alone),
                cmocka_unit_test(nothing_to_do_ends_at_once),
                cmocka_unit_test(half_of_the_tasks_migrate_to_the_idle_rank),
                cmocka_unit_test(balanced_ranks_lose_one_core),
                cmocka_unit_test(slow_node_sheds_work),
                cmocka_unit_test(reactivity_counts),
                cmocka_unit_test(what_is_under_way_draws_no_more),
                cmocka_unit_test(copies_take_time_from_tasks),
                cmocka_unit_test(measured_times_are_those_of_the_logs),
                cmocka_unit_test(nobody_is_held_up_by_another_receiver),
                cmocka_unit_test(every_task_runs_once),
                cmocka_unit_test(replicas_help_a_slow_rank),
                cmocka_unit_test(silent_exchanges_are_not_simulated),
                cmocka_unit_test(series_are_filled),
                cmocka_unit_test(a_core_for_communication_is_needed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
