/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/workload.h"

/* 4 nodes, 48 cores each, defaults, and room to change them. */
struct setting {
        double param[WORKLOAD_NPARAM];
        struct workload_spec spec;
};

static void setting_init(struct setting *s)
{
        lb_param_defaults(workload_params, s->param);
        s->spec = (struct workload_spec){ .nnode = 4,
                                          .cores_per_node = 48,
                                          .appranks_per_node = 1,
                                          .param = s->param,
                                          .seed = 42 };
}

static void choose(struct setting *s, enum workload_param place, const char *word)
{
        struct lb_error err;
        assert_int_equal(lb_param_parse(&workload_params[place], word, &s->param[place], &err), 0);
}

static struct workload *create(const struct setting *s)
{
        struct lb_error err;
        struct workload *workload = workload_create(&s->spec, &err);
        assert_non_null(workload);
        return workload;
}

/* The paper's benchmark: 100 tasks per core of 50 ms on average, the worst apprank at imbalance x.
 */
static void test_synthetic(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s);
        struct workload *workload = create(&s);
        struct work work[4], again[4];
        assert_int_equal(workload_napprank(workload), 4);
        assert_int_equal(workload_niteration(workload), 10);
        assert_false(workload_writeback(workload));
        assert_true(workload_alike(workload));
        workload_iteration(workload, 0, work);
        int64_t sum = 0, max = 0;
        for (int i = 0; i < 4; i++) {
                assert_int_equal(work[i].ntask, 4800);
                assert_int_equal(work[i].task_bytes, 1);
                assert_int_equal(workload_task_ns(workload, i, 3, 17), work[i].task_ns);
                sum += work[i].task_ns;
                max = work[i].task_ns > max ? work[i].task_ns : max;
        }
        assert_int_equal(max, 100000000);
        assert_true(llabs(sum - 200000000) <= 4);
        workload_iteration(workload, 9, again);
        assert_memory_equal(work, again, sizeof(work));
        workload_destroy(workload);
}

/* A node's tasks are shared by its appranks. */
static void test_appranks_per_node(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s);
        s.spec.appranks_per_node = 3;
        struct workload *workload = create(&s);
        struct work work[12];
        assert_int_equal(workload_napprank(workload), 12);
        workload_iteration(workload, 0, work);
        assert_int_equal(work[11].ntask, 1600);
        workload_destroy(workload);
}

/* Given loads are taken as they are. */
static void test_given(void **state)
{
        (void)state;
        static const double load_ms[] = { 10, 0, 3600000, 0.0000015 };
        struct setting s;
        setting_init(&s);
        choose(&s, WORKLOAD_MODEL, "given");
        s.spec.load_ms = load_ms;
        s.spec.nload = 4;
        struct workload *workload = create(&s);
        struct work work[4];
        workload_iteration(workload, 0, work);
        assert_int_equal(work[0].task_ns, 10000000);
        assert_int_equal(work[1].task_ns, 0);
        assert_int_equal(work[2].task_ns, INT64_C(3600000000000));
        assert_int_equal(work[3].task_ns, 2);
        workload_destroy(workload);
}

/* The worst apprank is where it is asked to be, whatever the seed. */
static void test_worst(void **state)
{
        (void)state;
        static const struct {
                const char *word;
                int apprank;
        } cases[] = { { "first", 0 }, { "last", 3 } };
        for (int i = 0; i < 20; i++) {
                struct setting s;
                setting_init(&s);
                s.spec.seed = (uint64_t)i;
                choose(&s, WORKLOAD_WORST, cases[i % 2].word);
                struct workload *workload = create(&s);
                struct work work[4];
                workload_iteration(workload, 0, work);
                assert_int_equal(work[cases[i % 2].apprank].task_ns, 100000000);
                workload_destroy(workload);
        }
}

/* The slow node is the home of the apprank with most or least work, or the first; others are not.
 */
static void test_slow(void **state)
{
        (void)state;
        static const double load_ms[] = { 5, 3, 4, 9, 2, 6 }; /* two on each of three nodes */
        static const struct {
                const char *word;
                int32_t node;
        } cases[] = { { "none", -1 }, { "most", 1 }, { "least", 2 }, { "first", 0 } };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct setting s;
                setting_init(&s);
                choose(&s, WORKLOAD_MODEL, "given");
                choose(&s, WORKLOAD_SLOW, cases[i].word);
                s.param[WORKLOAD_SLOW_FACTOR] = 2.5;
                s.spec.nnode = 3;
                s.spec.appranks_per_node = 2;
                s.spec.load_ms = load_ms;
                s.spec.nload = 6;
                struct workload *workload = create(&s);
                for (int32_t node = 0; node < 3; node++)
                        assert_true(workload_node_factor(workload, node, 0) ==
                                    (node == cases[i].node ? 2.5 : 1));
                workload_destroy(workload);
        }
}

/* It is slow in every other stretch of iterations, from the second on. */
static void test_slow_comes_and_goes(void **state)
{
        (void)state;
        static const double expected[] = { 1, 1, 1, 2.5, 2.5, 2.5, 1, 1, 1, 2.5 };
        struct setting s;
        setting_init(&s);
        choose(&s, WORKLOAD_SLOW, "first");
        s.param[WORKLOAD_SLOW_FACTOR] = 2.5;
        for (int32_t stretch = 0; stretch <= 3; stretch += 3) {
                s.param[WORKLOAD_SLOW_ITERATIONS] = stretch;
                struct workload *workload = create(&s);
                assert_int_equal(workload_nodes_vary(workload), stretch > 0);
                assert_true(workload_node_most(workload, 0) == 2.5);
                for (int32_t i = 0; i < 10; i++) {
                        assert_true(workload_node_factor(workload, 0, i) ==
                                    (stretch ? expected[i] : 2.5));
                        assert_true(workload_node_factor(workload, 1, i) == 1);
                        assert_int_equal(workload_nodes_change(workload, i),
                                         stretch > 0 && i % 3 == 0);
                }
                workload_destroy(workload);
        }
}

enum { NTASK = 40000 };

/* Mean and coefficient of variation of the durations of one apprank's tasks. */
static void measure(const char *jitter, double cv, double *mean, double *deviation)
{
        static double factor[NTASK];
        struct setting s;
        setting_init(&s);
        choose(&s, WORKLOAD_JITTER, jitter);
        s.param[WORKLOAD_JITTER_CV] = cv;
        s.param[WORKLOAD_IMBALANCE] = 1;
        struct workload *workload = create(&s);
        *mean = 0;
        for (int i = 0; i < NTASK; i++) {
                int64_t ns = workload_task_ns(workload, 2, 1, i);
                assert_true(ns >= 0);
                factor[i] = (double)ns / 50e6;
                *mean += factor[i] / NTASK;
        }
        double square = 0;
        for (int i = 0; i < NTASK; i++)
                square += (factor[i] - *mean) * (factor[i] - *mean) / NTASK;
        *deviation = sqrt(square) / *mean;
        assert_int_equal(workload_alike(workload), cv == 0);
        workload_destroy(workload);
}

/* Jitter keeps the mean duration, has the coefficient of variation asked for, is never negative. */
static void test_jitter(void **state)
{
        (void)state;
        static const struct {
                const char *jitter;
                double cv;
        } cases[] = {
                { "uniform", 0.1 },     { "uniform", 0.577 }, { "gaussian", 0.1 },
                { "gaussian", 0.3 },    { "gaussian", 0.5 },  { "lognormal", 0.1 },
                { "lognormal", 1 },     { "gamma", 0.1 },     { "gamma", 1 },
                { "exponential", 0.1 }, { "exponential", 1 }, { "gamma", 0.0385 },
                { "gamma", 0.002 },     { "gamma", 0 },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                double mean, deviation;
                measure(cases[i].jitter, cases[i].cv, &mean, &deviation);
                assert_true(fabs(mean - 1) <= 4.5 * cases[i].cv / sqrt(NTASK) + 1e-9);
                assert_true(fabs(deviation - cases[i].cv) <= 0.06 * cases[i].cv + 1e-9);
        }
}

/* The widest jitter there is gives durations between 0 and an hour, with a mean near the one asked.
 */
static void test_wide_jitter(void **state)
{
        (void)state;
        double mean, deviation;
        measure("gamma", 10, &mean, &deviation);
        assert_true(fabs(mean - 1) < 4.5 * 10 / sqrt(NTASK));
        measure("lognormal", 10, &mean, &deviation);
        assert_true(mean > 0.7 && mean < 1.3);
        struct setting s;
        setting_init(&s);
        choose(&s, WORKLOAD_JITTER, "lognormal");
        s.param[WORKLOAD_JITTER_CV] = 10;
        s.param[WORKLOAD_TASK_MS] = 3.6e6;
        s.param[WORKLOAD_IMBALANCE] = 1;
        struct workload *workload = create(&s);
        for (int i = 0; i < 1000; i++)
                assert_true(workload_task_ns(workload, 0, 0, i) <= INT64_C(3600000000000));
        workload_destroy(workload);
}

/* A task's duration depends on seed, apprank, iteration and task, and on nothing else. */
static void test_deterministic(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s);
        choose(&s, WORKLOAD_JITTER, "lognormal");
        s.param[WORKLOAD_IMBALANCE] = 1;
        struct workload *a = create(&s), *b = create(&s);
        s.spec.seed++;
        struct workload *c = create(&s);
        int64_t ns = workload_task_ns(a, 1, 2, 3);
        for (int i = 100; i >= 0; i--)
                assert_int_equal(workload_task_ns(a, 1, 2, i), workload_task_ns(b, 1, 2, i));
        assert_int_equal(workload_task_ns(a, 1, 2, 3), ns);
        assert_int_not_equal(workload_task_ns(a, 0, 2, 3), ns);
        assert_int_not_equal(workload_task_ns(a, 1, 1, 3), ns);
        assert_int_not_equal(workload_task_ns(a, 1, 2, 4), ns);
        assert_int_not_equal(workload_task_ns(c, 1, 2, 3), ns);
        workload_destroy(a);
        workload_destroy(b);
        workload_destroy(c);
}

static void refuse(const struct setting *s, const char *text)
{
        struct lb_error err = { 0 };
        assert_null(workload_create(&s->spec, &err));
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, text));
}

/* One value out of its range, alone or for its fellows: the message says found and allowed. */
static void test_refused_values(void **state)
{
        (void)state;
        static const struct {
                const char *jitter;
                enum workload_param place;
                double value;
                const char *text;
        } cases[] = {
                { "none", WORKLOAD_IMBALANCE, 4.5, "imbalance: found 4.5, allowed is 1 to 4" },
                { "none", WORKLOAD_IMBALANCE, 0.5, "imbalance: found 0.5" },
                { "none", WORKLOAD_TASK_MS, 2e6, "apprank" },
                { "none", WORKLOAD_ITERATIONS, 1.5, "iterations: found 1.5" },
                { "none", WORKLOAD_MODEL, 99, "model: found 99" },
                { "uniform", WORKLOAD_JITTER_CV, 0.6,
                  "allowed with jitter \"uniform\" is 0 to 0.577" },
                { "gaussian", WORKLOAD_JITTER_CV, 0.6,
                  "allowed with jitter \"gaussian\" is 0 to 0.5" },
                { "exponential", WORKLOAD_JITTER_CV, 2, "found 2, allowed with jitter" },
                { "gamma", WORKLOAD_JITTER_CV, NAN, "jitter_cv: found nan" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct setting s;
                setting_init(&s);
                choose(&s, WORKLOAD_JITTER, cases[i].jitter);
                s.param[cases[i].place] = cases[i].value;
                refuse(&s, cases[i].text);
        }
}

/* Given loads must be there, one for each apprank, and between 0 and an hour. */
static void test_refused_loads(void **state)
{
        (void)state;
        double load_ms[] = { 1, 2, 3, -4 };
        struct setting s;
        setting_init(&s);
        choose(&s, WORKLOAD_MODEL, "given");
        refuse(&s, "found 0 loads, allowed is 4");
        s.spec.load_ms = load_ms;
        s.spec.nload = 3;
        refuse(&s, "found 3 loads, allowed is 4");
        s.spec.nload = 4;
        refuse(&s, "apprank 3: found tasks of -4 ms");
        load_ms[3] = NAN;
        refuse(&s, "apprank 3: found tasks of nan ms");
        load_ms[3] = 3600001;
        refuse(&s, "allowed is 0 to 3600000 ms");
        s.spec.nnode = 0;
        refuse(&s, "found 0 nodes");
}

/* Every default is one that its table allows, and the table is as long as its enum. */
static void test_table(void **state)
{
        (void)state;
        struct lb_error err;
        assert_int_equal(lb_param_count(workload_params), WORKLOAD_NPARAM);
        for (int i = 0; i < WORKLOAD_NPARAM; i++)
                assert_int_equal(
                    lb_param_check(&workload_params[i], workload_params[i].fallback, &err), 0);
        assert_int_equal(lb_param_find(workload_params, "slow_factor"), WORKLOAD_SLOW_FACTOR);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_synthetic),     cmocka_unit_test(test_appranks_per_node),
                cmocka_unit_test(test_given),         cmocka_unit_test(test_worst),
                cmocka_unit_test(test_slow),          cmocka_unit_test(test_slow_comes_and_goes),
                cmocka_unit_test(test_jitter),        cmocka_unit_test(test_wide_jitter),
                cmocka_unit_test(test_deterministic), cmocka_unit_test(test_refused_values),
                cmocka_unit_test(test_refused_loads), cmocka_unit_test(test_table),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
