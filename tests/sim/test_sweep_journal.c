/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "sim/sweep/journal.h"

/* Numbers of all sizes and kinds that a metric can take. */
static double any_number(struct lb_random *random)
{
        static const double special[] = { 0, -0.0, NAN, INFINITY, -INFINITY, 0x1p-1074, 1e308 };
        uint64_t kind = lb_random_below(random, 20);
        if (kind < sizeof(special) / sizeof(special[0]))
                return special[kind];
        return ldexp(lb_random_unit(random) - 0.5, (int)lb_random_below(random, 200) - 100);
}

static bool same_number(double a, double b)
{
        return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

static struct record any_record(struct lb_random *random)
{
        struct record record = {
                .point = (int64_t)lb_random_below(random, 1u << 31),
                .replicate = (int32_t)lb_random_below(random, 1000),
                .series = lb_random_below(random, 2) == 1,
        };
        for (int m = 0; m < METRIC_COUNT; m++)
                record.result.metric[m] = any_number(random);
        record.result.niteration = (int32_t)lb_random_below(random, 30);
        record.result.iteration_s = calloc((size_t)record.result.niteration + 1, sizeof(double));
        assert_non_null(record.result.iteration_s);
        for (int32_t i = 0; i < record.result.niteration; i++)
                record.result.iteration_s[i] = any_number(random);
        return record;
}

/* What is kept of a run is read back bit for bit, whatever its numbers. */
static void test_round_trip(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 2, LB_RANDOM_TEST, 0);
        for (int round = 0; round < 500; round++) {
                struct record wrote = any_record(&random), read;
                char *line = record_write(&wrote);
                assert_non_null(line);
                assert_null(strchr(line, '\n'));
                assert_int_equal(record_read(&read, line, strlen(line)), 0);
                assert_int_equal(read.point, wrote.point);
                assert_int_equal(read.replicate, wrote.replicate);
                assert_int_equal(read.series, wrote.series);
                assert_int_equal(read.result.niteration, wrote.result.niteration);
                for (int m = 0; m < METRIC_COUNT; m++)
                        assert_true(same_number(read.result.metric[m], wrote.result.metric[m]));
                for (int32_t i = 0; i < read.result.niteration; i++)
                        assert_true(
                            same_number(read.result.iteration_s[i], wrote.result.iteration_s[i]));
                free(line);
                sim_result_finish(&read.result);
                sim_result_finish(&wrote.result);
        }
}

/* No beginning of a line passes for a line, nor does a line with a byte lost from its head. */
static void test_cut_lines(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_TEST, 0);
        struct record wrote = any_record(&random), read;
        char *line = record_write(&wrote);
        assert_non_null(line);
        for (size_t size = 0; size < strlen(line); size++)
                assert_int_equal(record_read(&read, line, size), -1);
        assert_int_equal(record_read(&read, line + 1, strlen(line) - 1), -1);
        free(line);
        sim_result_finish(&wrote.result);
}

/* JSON that is not a record is refused. */
static void test_foreign_lines(void **state)
{
        (void)state;
        static const char *const lines[] = {
                "",
                "{}",
                "[]",
                "3",
                "null",
                "{\"point\":-1,\"replicate\":0,\"series\":false,\"metric\":[],\"iteration_s\":[]}",
                "{\"point\":0.5,\"replicate\":0,\"series\":false,\"metric\":[],\"iteration_s\":[]}",
                "{\"point\":0,\"replicate\":1e10,\"series\":false,\"metric\":[],\"iteration_s\":[]"
                "}",
                "{\"point\":0,\"replicate\":0,\"series\":0,\"metric\":[],\"iteration_s\":[]}",
                "{\"point\":0,\"replicate\":0,\"series\":false,\"metric\":[1,2],\"iteration_s\":[]"
                "}",
                "{\"point\":0,\"replicate\":0,\"series\":false,\"metric\":[]}",
        };
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
                struct record record;
                assert_int_equal(record_read(&record, lines[i], strlen(lines[i])), -1);
        }
}

static struct sim_series any_series(struct lb_random *random, bool workers)
{
        struct sim_series series = { .nsample = 17, .nworker = 6, .nnode = 3, .interval_s = 0.5 };
        size_t ncell = (size_t)series.nsample * (size_t)series.nworker;
        series.node_imbalance = calloc((size_t)series.nsample, sizeof(double));
        assert_non_null(series.node_imbalance);
        for (int32_t s = 0; s < series.nsample; s++)
                series.node_imbalance[s] = lb_random_unit(random);
        if (!workers)
                return series;
        series.busy_cores = calloc(ncell, sizeof(float));
        series.owned_cores = calloc(ncell, sizeof(int32_t));
        assert_true(series.busy_cores && series.owned_cores);
        for (size_t i = 0; i < ncell; i++) {
                series.busy_cores[i] = (float)lb_random_unit(random);
                series.owned_cores[i] = (int32_t)lb_random_below(random, 48);
        }
        return series;
}

static void finish_series(struct sim_series *series)
{
        free(series->node_imbalance);
        free(series->busy_cores);
        free(series->owned_cores);
}

/* A time series comes back from its file as it was, with the workers' part or without. */
static void test_series(void **state)
{
        (void)state;
        struct lb_random random;
        struct lb_error err;
        lb_random_init(&random, 4, LB_RANDOM_TEST, 0);
        for (int workers = 0; workers < 2; workers++) {
                struct sim_series wrote = any_series(&random, workers), read;
                assert_int_equal(series_write(&wrote, "series.bin", &err), 0);
                assert_int_equal(series_read(&read, "series.bin"), 0);
                assert_int_equal(read.nsample, wrote.nsample);
                assert_int_equal(read.nworker, wrote.nworker);
                assert_int_equal(read.nnode, wrote.nnode);
                assert_true(same_number(read.interval_s, wrote.interval_s));
                assert_memory_equal(read.node_imbalance, wrote.node_imbalance, 17 * sizeof(double));
                assert_int_equal(read.busy_cores != NULL, workers);
                if (workers) {
                        assert_memory_equal(read.busy_cores, wrote.busy_cores, 17 * 6 * 4);
                        assert_memory_equal(read.owned_cores, wrote.owned_cores, 17 * 6 * 4);
                }
                finish_series(&read);
                finish_series(&wrote);
        }
}

/* A series file that is missing, cut short or longer than it says is not used. */
static void test_damaged_series(void **state)
{
        (void)state;
        struct lb_random random;
        struct lb_error err;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        struct sim_series series = any_series(&random, true), read;
        assert_int_equal(series_write(&series, "whole.bin", &err), 0);
        finish_series(&series);

        char bytes[4096];
        FILE *in = fopen("whole.bin", "rb");
        assert_non_null(in);
        size_t size = fread(bytes, 1, sizeof(bytes) - 1, in);
        fclose(in);
        const size_t sizes[] = { 0, 1, 39, 40, size / 2, size - 1, size + 1 };
        bytes[size] = 0;
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                FILE *out = fopen("damaged.bin", "wb");
                assert_non_null(out);
                assert_int_equal(fwrite(bytes, 1, sizes[i], out), sizes[i]);
                fclose(out);
                assert_int_equal(series_read(&read, "damaged.bin"), -1);
        }
        assert_int_equal(series_read(&read, "missing.bin"), -1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_cut_lines),
                cmocka_unit_test(test_foreign_lines),  cmocka_unit_test(test_series),
                cmocka_unit_test(test_damaged_series),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
