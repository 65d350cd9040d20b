/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "sim/sweep/sweep.h"

static const char text[] =
    "{ \"name\": \"tiny\", \"description\": \"two systems, two degrees, two imbalances\",\n"
    "  \"platform\": { \"nodes\": 4, \"cores_per_node\": 4 },\n"
    "  \"workload\": { \"iterations\": 5, \"tasks_per_core\": 8 },\n"
    "  \"output\": { \"series_s\": 0.25, \"workers\": true },\n"
    "  \"sweep\": { \"graph.degree\": [2, 3], \"workload.imbalance\": [1.25, 2.5],\n"
    "             \"system.name\": [\"local\", \"global\"] },\n"
    "  \"replicates\": 2, \"seed\": 7 }\n";

static void open_scenario(struct scenario *scenario, const char *set)
{
        struct lb_error err = { .kind = LB_ERROR_NONE };
        const char *const sets[] = { set };
        struct scenario_options options = { .set = sets, .nset = set ? 1 : 0 };
        FILE *out = fopen("tiny.json", "w");
        assert_non_null(out);
        fputs(text, out);
        fclose(out);
        if (scenario_open(scenario, "tiny.json", &options, &err) < 0)
                fail_msg("%s", err.text);
}

/* An empty directory of this name. */
static void make_empty(const char *directory)
{
        char command[256];
        struct lb_error err;
        snprintf(command, sizeof(command), "rm -rf '%s'", directory);
        assert_int_equal(system(command), 0);
        assert_int_equal(lb_make_directory(directory, &err), 0);
}

static struct sweep run(const struct scenario *scenario, const char *directory, int32_t jobs)
{
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct sweep_options options = { .directory = directory, .jobs = jobs };
        if (sweep_run(&sweep, scenario, &options, &err) < 0)
                fail_msg("%s", err.text);
        return sweep;
}

static void assert_same_series(const struct sim_series *a, const struct sim_series *b)
{
        assert_int_equal(a->nsample, b->nsample);
        assert_int_equal(a->nworker, b->nworker);
        assert_true(a->nsample > 0);
        size_t nsample = (size_t)a->nsample, ncell = nsample * (size_t)a->nworker;
        assert_memory_equal(a->node_imbalance, b->node_imbalance, nsample * sizeof(double));
        assert_memory_equal(a->busy_cores, b->busy_cores, ncell * sizeof(float));
        assert_memory_equal(a->owned_cores, b->owned_cores, ncell * sizeof(int32_t));
}

static void assert_same(const struct sweep *a, const struct sweep *b)
{
        assert_int_equal(a->nrun, b->nrun);
        assert_int_equal(a->ndone, a->nrun);
        assert_int_equal(b->ndone, b->nrun);
        for (int64_t r = 0; r < a->nrun; r++) {
                const struct sim_result *x = &a->result[r], *y = &b->result[r];
                assert_memory_equal(x->metric, y->metric, sizeof(x->metric));
                assert_int_equal(x->niteration, y->niteration);
                assert_memory_equal(x->iteration_s, y->iteration_s,
                                    (size_t)x->niteration * sizeof(double));
                assert_same_series(&x->series, &y->series);
        }
}

/* Results do not depend on the number of threads, nor on being kept on disk. */
static void test_jobs(void **state)
{
        (void)state;
        struct scenario scenario;
        open_scenario(&scenario, NULL);
        make_empty("jobs");
        struct sweep one = run(&scenario, NULL, 1);
        struct sweep many = run(&scenario, "jobs", 5);
        assert_int_equal(one.nrun, 16);
        assert_same(&one, &many);
        sweep_finish(&one);
        sweep_finish(&many);
        scenario_close(&scenario);
}

/* A second sweep takes everything from disk, time series included, bit for bit. */
static void test_reuse(void **state)
{
        (void)state;
        struct scenario scenario;
        open_scenario(&scenario, NULL);
        make_empty("reuse");
        struct sweep first = run(&scenario, "reuse", 2);
        assert_int_equal(first.nreused, 0);
        struct sweep whole = run(&scenario, NULL, 2);
        sweep_finish(&first);
        struct sweep second = run(&scenario, "reuse", 2);
        assert_int_equal(second.nreused, second.nrun);
        assert_same(&whole, &second);
        sweep_finish(&whole);
        sweep_finish(&second);
        scenario_close(&scenario);
}

/* What is missing from the disk, a line or a series, is run again; the rest is not. */
static void test_missing(void **state)
{
        (void)state;
        struct scenario scenario;
        open_scenario(&scenario, NULL);
        make_empty("missing");
        struct sweep whole = run(&scenario, NULL, 2);
        struct sweep sweep = run(&scenario, "missing", 2);
        sweep_finish(&sweep);
        assert_int_equal(unlink("missing/series/3-1.bin"), 0);
        assert_int_equal(truncate("missing/series/5-0.bin", 100), 0);
        struct stat status;
        assert_int_equal(stat("missing/runs.jsonl", &status), 0);
        assert_int_equal(truncate("missing/runs.jsonl", status.st_size - 3), 0);
        sweep = run(&scenario, "missing", 2);
        assert_in_range(sweep.nreused, sweep.nrun - 3, sweep.nrun - 2);
        assert_same(&whole, &sweep);
        sweep_finish(&sweep);
        sweep_finish(&whole);
        scenario_close(&scenario);
}

/* A directory of another scenario is refused as the user's mistake, and left as it is. */
static void test_other_scenario(void **state)
{
        (void)state;
        struct scenario scenario, other;
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        open_scenario(&scenario, NULL);
        open_scenario(&other, "workload.tasks_per_core=9");
        make_empty("other");
        sweep = run(&scenario, "other", 2);
        sweep_finish(&sweep);
        struct sweep_options options = { .directory = "other", .jobs = 1 };
        assert_int_equal(sweep_run(&sweep, &other, &options, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "another scenario"));
        assert_null(sweep.result);
        sweep = run(&scenario, "other", 2);
        assert_int_equal(sweep.nreused, sweep.nrun);
        sweep_finish(&sweep);
        scenario_close(&scenario);
        scenario_close(&other);
}

/* A request to stop that is there from the start: nothing is run, and that is no failure. */
static void test_stop(void **state)
{
        (void)state;
        struct scenario scenario;
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        volatile int stop = 1;
        open_scenario(&scenario, NULL);
        struct sweep_options options = { .jobs = 2, .stop = &stop };
        assert_int_equal(sweep_run(&sweep, &scenario, &options, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_STOPPED);
        assert_int_equal(sweep.nrun, 16);
        assert_int_equal(sweep.ndone, 0);
        sweep_finish(&sweep);
        scenario_close(&scenario);
}

int main(void)
{
        setenv("LBSIM_CACHE", "cache", 1);
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_jobs),           cmocka_unit_test(test_reuse),
                cmocka_unit_test(test_missing),        cmocka_unit_test(test_stop),
                cmocka_unit_test(test_other_scenario),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
