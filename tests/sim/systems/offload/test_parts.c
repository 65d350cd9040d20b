/* SPDX-License-Identifier: BSD-3-Clause */
/* One run on several threads: results are the same to the last bit, whatever is simulated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "tests/sim/sim_world.h"

enum { CASES = 12 };

static const char *const systems[] = { "baseline", "dlb", "local", "global", "dynamic", "tight" };
enum { NSYSTEM = sizeof(systems) / sizeof(systems[0]) };
static const char *const models[] = {
        "synthetic", "micropp", "nbody", "phases", "mesh", "multizone"
};
static const char *const jitters[] = { "none", "gaussian", "gamma" };

static int below(struct lb_random *random, int bound)
{
        return (int)lb_random_below(random, (uint64_t)bound);
}

static double one_of(struct lb_random *random, const double *values, int count)
{
        return values[below(random, count)];
}

static void draw(struct world *w, struct lb_random *random)
{
        static const double latencies_us[] = { 0, 1.5, 300, 5000 };
        static const double looks_us[] = { 300, 1000, 3000, 7000 };
        static const double polls_s[] = { 0.004, 0.05, 0.5 };
        static const double bytes[] = { 0, 1e5, 3e7 }, copied[] = { 0, 0, 8 };
        int nnode = 2 + below(random, 7);
        const char *system = systems[below(random, NSYSTEM)];
        bool offloads = system_find(system)->offloads;
        int degree = offloads ? 1 + below(random, nnode < 4 ? nnode : 4) : 1;
        world_init(w, nnode, 6 + below(random, 5), degree, system);
        w->appranks_per_node = 1 + below(random, 2);
        w->seed = lb_random_below(random, 1000);
        world_set(w, "model", models[below(random, 6)]);
        world_set(w, "jitter", jitters[below(random, 3)]);
        w->workload[WORKLOAD_JITTER_CV] = 0.3;
        w->workload[WORKLOAD_ITERATIONS] = 1 + below(random, 4);
        w->workload[WORKLOAD_TASKS_PER_CORE] = 1 + below(random, 20);
        w->workload[WORKLOAD_IMBALANCE] = 1 + 0.9 * lb_random_unit(random);
        w->workload[WORKLOAD_TASK_BYTES] = one_of(random, bytes, 3);
        w->network[NETWORK_COPY_GBPS] = one_of(random, copied, 3);
        w->workload[WORKLOAD_WRITEBACK] = below(random, 2);
        w->network[NETWORK_LATENCY_US] = one_of(random, latencies_us, 4);
        w->runtime[RUNTIME_LOOKS] = LOOKS_TOGETHER;
        w->runtime[RUNTIME_MESSAGE_POLL_US] = one_of(random, looks_us, 4);
        w->runtime[RUNTIME_POLL_S] = one_of(random, polls_s, 3);
        w->runtime[RUNTIME_POLL_CPU_US] = below(random, 2) * 10;
        w->runtime[RUNTIME_CREATE_US] = below(random, 3);
        w->runtime[RUNTIME_OWNERSHIP] = below(random, 2);
        w->runtime[RUNTIME_ASK] = below(random, 2);
        w->runtime[RUNTIME_ASK_WAITING] = w->runtime[RUNTIME_ASK] * below(random, 2);
        w->series_s = below(random, 2) * 0.07;
        w->speed[below(random, nnode)] = 0.5;
        w->grows_fast = below(random, 4) > 0;
}

static void check_same(const struct sim_result *one, const struct sim_result *several)
{
        assert_memory_equal(one->metric, several->metric, sizeof(one->metric));
        assert_int_equal(one->niteration, several->niteration);
        assert_memory_equal(one->iteration_s, several->iteration_s,
                            (size_t)one->niteration * sizeof(double));
        size_t values = (size_t)one->series.nsample * (size_t)one->series.nworker;
        assert_int_equal(one->series.nsample, several->series.nsample);
        if (values == 0)
                return;
        assert_memory_equal(one->series.busy_cores, several->series.busy_cores,
                            values * sizeof(float));
        assert_memory_equal(one->series.owned_cores, several->series.owned_cores,
                            values * sizeof(int32_t));
}

/* 2, 2 + step, .. most threads give what one does; returns how many helpers came meanwhile. */
static double check_threads(struct world *w, int32_t most, int32_t step)
{
        struct sim_result one = world_result(w);
        double starts = one.metric[METRIC_PROCESS_STARTS];
        for (w->threads = 2; w->threads <= most; w->threads += step) {
                struct sim_result several = world_result(w);
                assert_null(w->undivided);
                check_same(&one, &several);
                sim_result_finish(&several);
        }
        sim_result_finish(&one);
        return starts > 0 ? starts : 0; /* NaN: the system has none */
}

static void threads_change_nothing(void **unused)
{
        double starts = 0;
        (void)unused;
        for (int i = 0; i < CASES; i++) {
                struct world w;
                struct lb_random random;
                lb_random_init(&random, 20261127, 0, (uint64_t)i);
                draw(&w, &random);
                starts += check_threads(&w, 2 + i % 3, 1 + i % 2); /* 2, 3, and 4 in all */
        }
        assert_true(starts > 20);
}

/* Without latency and costs, tasks of whole milliseconds end when all look. */
static void what_is_sent_at_a_look_is_seen_at_the_next(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 6, 8, 3, "global");
        w.appranks_per_node = 2;
        w.workload[WORKLOAD_ITERATIONS] = 4;
        w.workload[WORKLOAD_IMBALANCE] = 1.9;
        w.network[NETWORK_LATENCY_US] = w.network[NETWORK_MESSAGE_CPU_US] = 0;
        w.runtime[RUNTIME_CREATE_US] = w.runtime[RUNTIME_TASK_US] = 0;
        w.runtime[RUNTIME_LOOKS] = LOOKS_TOGETHER;
        w.load_ms = (const double[]){ 90, 10, 20, 30, 100, 10, 50, 40, 10, 20, 20, 30 };
        world_set(&w, "model", "given");
        check_threads(&w, 3, 1);
}

/* What cannot be divided, or would be no faster, is simulated as ever, and it is said why. */
static void what_is_not_divided_is_said(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 4, 8, 2, "global");
        w.workload[WORKLOAD_ITERATIONS] = 2;
        w.threads = 2;
        struct sim_result result = world_result(&w);
        sim_result_finish(&result);
        assert_non_null(strstr(w.undivided, "times of their own"));

        w.runtime[RUNTIME_LOOKS] = LOOKS_TOGETHER;
        w.divides_when_faster = true;
        result = world_result(&w);
        sim_result_finish(&result);
        assert_non_null(strstr(w.undivided, "too little happens"));

        w.runtime[RUNTIME_MESSAGE_POLL_US] = 0;
        result = world_result(&w);
        sim_result_finish(&result);
        assert_non_null(strstr(w.undivided, "seen at once"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(threads_change_nothing),
                cmocka_unit_test(what_is_sent_at_a_look_is_seen_at_the_next),
                cmocka_unit_test(what_is_not_divided_is_said),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
