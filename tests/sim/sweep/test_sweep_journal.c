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
#include "sim/sweep/blocks.h"
#include "sim/sweep/record.h"

/* Numbers of all sizes that a metric can take. */
static double any_number(struct lb_random *random)
{
        static const double special[] = { 0, NAN, 0x1p-1074, 1, 1e308 };
        uint64_t kind = lb_random_below(random, 20);
        if (kind < sizeof(special) / sizeof(special[0]))
                return special[kind];
        return ldexp(lb_random_unit(random), (int)lb_random_below(random, 200) - 100);
}

static bool is_fraction(int metric)
{
        return strstr(metric_table[metric].name, "_fraction") != NULL;
}

/* Empty only where some system has no such metric. */
static double any_metric(struct lb_random *random, int metric)
{
        double number = is_fraction(metric) ? lb_random_unit(random) : any_number(random);
        return isnan(number) && metric_always(&metric_table[metric]) ? 1 : number;
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
                .build = lb_random_below(random, UINT64_MAX),
                .series = lb_random_below(random, 2),
        };
        for (int m = 0; m < METRIC_COUNT; m++)
                record.result.metric[m] = any_metric(random, m);
        record.result.niteration = (int32_t)lb_random_below(random, 30);
        record.result.iteration_s = calloc((size_t)record.result.niteration + 1, sizeof(double));
        assert_non_null(record.result.iteration_s);
        for (int32_t i = 0; i < record.result.niteration; i++)
                record.result.iteration_s[i] = lb_random_unit(random);
        return record;
}

/* What is kept of a run is read back bit for bit, whatever its numbers. */
static void test_round_trip(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 2, LB_RANDOM_TEST, 0);
        for (int round = 0; round < 500; round++) {
                uint32_t size;
                struct record wrote = any_record(&random), read;
                unsigned char *content = record_write(&wrote, &size);
                assert_non_null(content);
                assert_int_equal(record_read(&read, content, size), 0);
                assert_int_equal(read.point, wrote.point);
                assert_int_equal(read.replicate, wrote.replicate);
                assert_true(read.series == wrote.series && read.build == wrote.build);
                assert_int_equal(read.result.niteration, wrote.result.niteration);
                for (int m = 0; m < METRIC_COUNT; m++)
                        assert_true(same_number(read.result.metric[m], wrote.result.metric[m]));
                for (int32_t i = 0; i < read.result.niteration; i++)
                        assert_true(
                            same_number(read.result.iteration_s[i], wrote.result.iteration_s[i]));
                free(content);
                sim_result_finish(&read.result);
                sim_result_finish(&wrote.result);
        }
}

/* Nothing shorter or longer passes for a run. */
static void test_cut_records(void **state)
{
        (void)state;
        uint32_t size;
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_TEST, 0);
        struct record wrote = any_record(&random), read;
        unsigned char *content = record_write(&wrote, &size);
        assert_non_null(content);
        for (size_t cut = 0; cut < size; cut++)
                assert_int_equal(record_read(&read, content, cut), -1);
        unsigned char *longer = calloc(1, size + 8);
        assert_non_null(longer);
        memcpy(longer, content, size);
        assert_int_equal(record_read(&read, longer, size + 8), -1);
        free(longer);
        free(content);
        sim_result_finish(&wrote.result);
}

/* Numbers that no run can have are refused, even where nothing is damaged. */
static void test_impossible_numbers(void **state)
{
        (void)state;
        static const struct {
                enum metric metric;
                double value;
        } cases[] = {
                { METRIC_TIME_PER_ITERATION_S, NAN },
                { METRIC_TIME_PER_ITERATION_S, -5 },
                { METRIC_TIME_PER_ITERATION_S, INFINITY },
                { METRIC_OPTIMAL_S, -1e-3 },
                { METRIC_OFFLOADED_FRACTION, 1.001 },
                { METRIC_OFFLOADED_FRACTION, -0.5 },
                { METRIC_TASKS, -1 },
                { METRIC_TASKS, -INFINITY },
                { METRIC_TOTAL_S, NAN },
        };
        uint32_t size;
        struct lb_random random;
        lb_random_init(&random, 6, LB_RANDOM_TEST, 0);
        struct record record = any_record(&random), read;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct record strange = record;
                strange.result.metric[cases[i].metric] = cases[i].value;
                unsigned char *content = record_write(&strange, &size);
                assert_non_null(content);
                assert_int_equal(record_read(&read, content, size), -1);
                assert_null(read.result.iteration_s);
                free(content);
        }
        sim_result_finish(&record.result);
        static const double times[] = { -1, NAN, INFINITY };
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
                record = any_record(&random);
                free(record.result.iteration_s);
                double time = times[i];
                record.result.iteration_s = &time;
                record.result.niteration = 1;
                unsigned char *content = record_write(&record, &size);
                assert_int_equal(record_read(&read, content, size), -1);
                free(content);
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

/* ---- Blocks ---- */

enum { BLOCKS = 6, FILE_MAX = 1024 };

/* A file of a head and runs of different sizes; returns its length. */
static size_t make_file(unsigned char *file, size_t place[static BLOCKS + 1])
{
        unsigned char content[BLOCKS * 8];
        size_t size = 0;
        uint64_t seed = 0;
        for (uint32_t b = 0; b < BLOCKS; b++) {
                memset(content, (int)b + 1, sizeof(content));
                const struct block block = { .kind = b == 0 ? BLOCK_HEAD : BLOCK_RUN,
                                             .content = content,
                                             .size = 8 * b + 1,
                                             .number = b };
                struct block_text text = block_write(&block, seed);
                assert_non_null(text.bytes);
                if (b == 0)
                        seed = block_hash(&text);
                place[b] = size;
                memcpy(file + size, text.bytes, text.size);
                size += text.size;
                free(text.bytes);
        }
        place[BLOCKS] = size;
        return size;
}

/* Every block that is given out is as it was written; which ones are: a bit for each. */
static unsigned read_file(const unsigned char *file, size_t size, struct blocks *blocks)
{
        struct block block;
        unsigned good = 0;
        bool more = blocks_begin(blocks, file, size, &block);
        for (; more; more = blocks_next(blocks, &block)) {
                assert_true(block.number < BLOCKS && block.size == 8 * block.number + 1);
                for (uint32_t i = 0; i < block.size; i++)
                        assert_int_equal(block.content[i], block.number + 1);
                good |= 1u << block.number;
        }
        return good;
}

static const unsigned every = (1u << BLOCKS) - 1;

/* A flipped bit costs its own block, and is told by its place; in the first block, all. */
static void test_flipped_bits(void **state)
{
        (void)state;
        unsigned char file[FILE_MAX];
        size_t place[BLOCKS + 1], size = make_file(file, place);
        struct blocks blocks;
        assert_int_equal(read_file(file, size, &blocks), every);
        assert_int_equal(blocks.ndamaged, 0);
        for (size_t bit = 0; bit < 8 * size; bit++) {
                unsigned b = 0;
                while (bit / 8 >= place[b + 1])
                        b++;
                file[bit / 8] ^= (unsigned char)(1u << bit % 8);
                unsigned good = read_file(file, size, &blocks);
                file[bit / 8] ^= (unsigned char)(1u << bit % 8);
                assert_int_equal(good, b == 0 ? 0 : every & ~(1u << b));
                if (b == 0)
                        continue;
                bool torn = b == BLOCKS - 1 && blocks.ndamaged == 0; /* its size seems larger */
                assert_true(torn || (blocks.ndamaged == 1 && blocks.damage_number == b));
                assert_true(torn || blocks.damage_begin == place[b]);
                assert_true(torn || blocks.damage_end == place[b + 1]);
        }
}

/* A file that was cut off holds what is whole before that, and a part of a block is no damage. */
static void test_torn_files(void **state)
{
        (void)state;
        unsigned char file[FILE_MAX];
        size_t place[BLOCKS + 1], size = make_file(file, place);
        for (size_t cut = 0; cut < size; cut++) {
                struct blocks blocks;
                unsigned b = 0;
                while (place[b + 1] <= cut)
                        b++;
                assert_int_equal(read_file(file, cut, &blocks), (1u << b) - 1);
                assert_int_equal(blocks.ndamaged, 0);
                if (b > 0)
                        assert_true(blocks.end == place[b]);
        }
}

/* Blocks in another order, twice, left out, or from another file. */
static void test_moved_blocks(void **state)
{
        (void)state;
        unsigned char file[FILE_MAX], moved[2 * FILE_MAX];
        size_t place[BLOCKS + 1], size = make_file(file, place);
        struct blocks blocks;
        size_t three = place[4] - place[3], four = place[5] - place[4];
        memcpy(moved, file, size);
        memcpy(moved + place[3], file + place[4], four);
        memcpy(moved + place[3] + four, file + place[3], three);
        assert_int_equal(read_file(moved, size, &blocks), every & ~(1u << 3));
        assert_true(blocks.ndamaged > 0);

        memcpy(moved, file, place[4]);
        memcpy(moved + place[4], file + place[3], size - place[3]);
        assert_int_equal(read_file(moved, size + three, &blocks), every);
        assert_int_equal(blocks.ndamaged, 1);

        memcpy(moved + place[3], file + place[4], size - place[4]);
        assert_int_equal(read_file(moved, size - three, &blocks), every & ~(1u << 3));
        assert_int_equal(blocks.ndamaged, 1);

        const struct block strange = { .kind = BLOCK_RUN,
                                       .content = file,
                                       .size = 8 * (BLOCKS - 1) + 1,
                                       .number = BLOCKS - 1 };
        struct block_text text = block_write(&strange, 12345);
        memcpy(moved, file, place[BLOCKS - 1]);
        memcpy(moved + place[BLOCKS - 1], text.bytes, text.size);
        free(text.bytes);
        assert_int_equal(read_file(moved, size, &blocks), every & ~(1u << (BLOCKS - 1)));
        assert_int_equal(blocks.ndamaged, 1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_round_trip),         cmocka_unit_test(test_cut_records),
                cmocka_unit_test(test_impossible_numbers), cmocka_unit_test(test_series),
                cmocka_unit_test(test_damaged_series),     cmocka_unit_test(test_flipped_bits),
                cmocka_unit_test(test_torn_files),         cmocka_unit_test(test_moved_blocks),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
