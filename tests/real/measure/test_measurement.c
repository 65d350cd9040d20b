/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
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
#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

/*
 * Files as ranks leave them: each was outside MPI for load_ms, then waited in it, and all met. The
 * second half of the ranks is on another node.
 */
static const int64_t MS = 1000000, EPOCH_NS = 1700000000000000000;

static int64_t other_calls; /* of the ranks that are put; and: */
static int32_t end_state = RANK_FINALIZED;
static double loop_s; /* that a loop takes whose iterations have loads of 3 and 1 s in turns, the
                         ranks against each other; 0: there is none */

static double
    waits_s; /* so long rank 1 waits for rank 0 before its iterations, which are shorter */
enum { ITERATIONS = 8 };
static int32_t regions, meets; /* parallel ones of a rank, of 3 and 1 s in turns; and how often it
                                  meets the others beside the one time */
static bool has_inner;         /* loop, that all go through together */

static struct alike pairs(int32_t count)
{
        struct alike all = { 0 };
        for (int32_t i = 0; i < count; i++)
                alike_add(&all, 1, i % 2 ? 1 : 3);
        return all;
}

static void put_loop(struct loop_record *loop, int32_t rank)
{
        *loop = (struct loop_record){ .mark = 7,
                                      .every = 1,
                                      .marks = ITERATIONS + 1,
                                      .start_ns = EPOCH_NS,
                                      .end_ns = EPOCH_NS + (int64_t)(1e9 * loop_s),
                                      .series = { .count = ITERATIONS, .room = LOOP_ROOM },
                                      .times = { .count = ITERATIONS, .room = LOOP_TIMES },
                                      .regions = 0.8 * regions };
        double late_ns = rank == 1 ? 1e9 * waits_s : 0;
        loop->start_ns += (int64_t)late_ns;
        for (int32_t i = 0; i < ITERATIONS; i++) {
                loop->load_ns[i] = (i + rank) % 2 ? 3e9 : 1e9;
                loop->time_ns[i] = (1e9 * loop_s - late_ns) / ITERATIONS;
        }
}

/* Two of its iterations are one of the other's. */
static void put_inner(struct loop_record *loop, int32_t rank)
{
        double waited_s = waits_s;
        waits_s = 0;
        put_loop(loop, rank);
        waits_s = waited_s;
        loop->mark = 8;
        loop->marks = 2 * ITERATIONS + 1;
        loop->series.count = loop->times.count = 2 * (int64_t)ITERATIONS;
        for (int32_t i = 2 * ITERATIONS - 1; i >= 0; i--) {
                loop->load_ns[i] = loop->load_ns[i / 2] / 2;
                loop->time_ns[i] = loop->time_ns[i / 2] / 2;
        }
}

static void put_rank(int32_t rank, int32_t size, int32_t expected, int64_t load_ms)
{
        struct rank_file *file = calloc(1, sizeof(*file));
        struct meter_reading now = { .wall_ns = EPOCH_NS };
        char path[64];
        assert_non_null(file);
        file->rank = rank;
        file->size = size;
        file->expected = expected;
        memcpy(file->magic, RANK_FILE_MAGIC, sizeof(RANK_FILE_MAGIC));
        file->state = end_state;
        file->other_calls = other_calls;
        snprintf(file->host, sizeof(file->host), "node%d", rank >= size / 2);
        snprintf(file->program, sizeof(file->program), "./app");
        meter_start(&file->meter, &now, 500 * MS);
        now.wall_ns = EPOCH_NS + load_ms * MS;
        now.cpu_ns = load_ms * MS;
        if (meter_enter(&file->meter, now.wall_ns))
                meter_cpu(&file->meter, now.wall_ns, now.cpu_ns);
        for (int32_t i = 0; i <= meets; i++)
                meter_synchronised(&file->meter);
        file->parallel = pairs(regions);
        file->before_window = pairs(regions / 2);
        file->window_regions = alike_since(&(struct alike){ 0 }, &file->before_window);
        now.wall_ns = EPOCH_NS + 2000 * MS;
        meter_end(&file->meter, &now);
        if (loop_s > 0)
                put_loop(&file->loop[0], rank);
        if (has_inner)
                put_inner(&file->loop[1], rank);
        snprintf(path, sizeof(path), "ranks/host-%d-%d.rank", (int)rank, rand());
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        assert_int_equal(fwrite(file, sizeof(*file), 1, out), 1);
        fclose(out);
        free(file);
}

static void fresh(void)
{
        assert_int_equal(system("rm -rf ranks out && mkdir ranks out"), 0);
}

static void refused(const char *what)
{
        struct measurement m;
        struct lb_error err = { 0 };
        assert_int_equal(measurement_read(&m, "ranks", &err), -1);
        if (!strstr(err.text, what))
                fail_msg("no '%s' in '%s'", what, err.text);
}

static void assert_near(double value, double expected)
{
        assert_true(fabs(value - expected) < 1e-6);
}

/* Loads 1:2:3:4 in two seconds, on two nodes. */
static void test_figures(void **state)
{
        (void)state;
        struct measurement m;
        struct lb_error err = { 0 };
        struct stat status;
        fresh();
        for (int32_t i = 3; i >= 0; i--)
                put_rank(i, 4, 4, 400 * (i + 1));
        assert_int_equal(measurement_read(&m, "ranks", &err), 0);
        assert_int_equal(m.nrank, 4);
        assert_int_equal(m.nnode, 2);
        assert_int_equal(m.calls, 4);
        assert_int_equal(m.synchronisations, 1);
        assert_near(m.wall_s, 2.0);
        assert_near(m.run, 1.6);
        assert_near(m.intervals, 1.6);
        assert_near(m.transfer_s, 0.4);        /* of rank 3, which came last */
        assert_near(m.windows, 4 * 1.6 / 4.0); /* the largest is rank 3's in each */
        assert_near(m.pop.parallel_efficiency, 0.5);
        assert_near(m.pop.load_balance, 1 / 1.6);
        assert_near(m.pop.load_balance_between, 1000.0 / 1400.0);
        assert_near(m.pop.load_balance_within, 1400.0 / 1600.0);
        assert_near(m.pop.communication_efficiency, 0.8);
        assert_int_equal(measurement_write(&m, "out", &err), 0);
        assert_int_equal(stat("out/measured.json", &status), 0);
        assert_int_equal(stat("out/loads.csv", &status), 0);
        measurement_finish(&m);
}

/* What is no whole job is refused, and why is said. */
static void test_refused(void **state)
{
        (void)state;
        fresh();
        refused("no MPI call was seen");
        put_rank(0, 3, 3, 400);
        put_rank(2, 3, 3, 400);
        refused("rank 1 of 3 did not report");
        fresh();
        put_rank(0, 2, 2, 400);
        refused("rank 1 of 2 did not report");
        put_rank(1, 2, 2, 400);
        put_rank(1, 2, 2, 400);
        refused("more than one MPI program ran");
        fresh();
        put_rank(0, 2, 2, 400);
        put_rank(1, 3, 3, 400);
        refused("more than one MPI program ran");
        fresh();
        put_rank(0, 1, 4, 400);
        refused("'./app' ran as 1 programs of one rank each, not as one of 4");
        put_rank(0, 1, 0, 400);
        refused("ran as 2 programs of one rank each");
        fresh();
        FILE *out = fopen("ranks/h-1.wrong", "w");
        fputs("'./app' is built with MPICH, its launcher is that of Open MPI\n", out);
        fclose(out);
        refused("'./app' is built with MPICH, its launcher is that of Open MPI");
        fresh();
        out = fopen("ranks/h-1.rank", "w");
        fputs("short\n", out);
        fclose(out);
        refused("h-1.rank' cannot be read, or is not of this version");

        fresh(); /* the disk was so full that there was no room for the reason */
        out = fopen("ranks/h-1.wrong", "w");
        assert_non_null(out);
        fclose(out);
        refused("'ranks/h-1.wrong' cannot be written: No space left on device");
}

/* One that was really started as one rank is measured. */
static void test_alone(void **state)
{
        (void)state;
        struct measurement m;
        struct lb_error err = { 0 };
        fresh();
        put_rank(0, 1, 1, 400);
        assert_int_equal(measurement_read(&m, "ranks", &err), 0);
        assert_near(m.run, 1);
        measurement_finish(&m);
}

/* Whose calls were other threads' has load that may be waiting for these: that is said. */
static void test_other_threads(void **state)
{
        (void)state;
        for (other_calls = 3; other_calls >= 0; other_calls -= 3) {
                struct measurement m;
                struct lb_error err;
                char *text = NULL;
                size_t size;
                fresh();
                put_rank(0, 2, 2, 300);
                put_rank(1, 2, 2, 100);
                FILE *out = open_memstream(&text, &size);
                assert_non_null(out);
                assert_int_equal(measurement_read(&m, "ranks", &err), 0);
                measurement_print(&m, "out", out);
                fclose(out);
                assert_int_equal(strstr(text, "6 of the MPI calls were other threads'") != NULL,
                                 other_calls > 0);
                free(text);
                measurement_finish(&m);
        }
        other_calls = 0;
}

/* Eight times the larger of 3 and 1 is 24 s. Ranks that had 16 s did not wait for each other in
 * each iteration: their loads are not compared by it. */
static void test_together(void **state)
{
        (void)state;
        static const struct {
                double loop_s;
                int64_t niteration;
        } cases[] = { { 30, ITERATIONS }, { 24, ITERATIONS }, { 16.5, 0 } };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct measurement m;
                struct lb_error err;
                fresh();
                loop_s = cases[i].loop_s;
                put_rank(0, 2, 2, 400);
                put_rank(1, 2, 2, 400);
                assert_int_equal(measurement_read(&m, "ranks", &err), 0);
                assert_int_equal(m.niteration, cases[i].niteration);
                if (m.niteration > 0)
                        assert_near(m.iterations, 1.5);
                else
                        assert_string_equal(m.why_none,
                                            "its ranks had no time to wait for each other in each");
                measurement_finish(&m);
        }
        loop_s = 0;
}

/* Iterations last 4 s, and rank 1 begins the first one later, and ends with the others. Up to one
 * that may be; on another machine it is not known. */
static void test_in_step(void **state)
{
        (void)state;
        static const struct {
                double waits_s;
                int32_t size;
                int64_t niteration;
        } cases[] = {
                { 0, 4, ITERATIONS }, { 4, 4, ITERATIONS }, { 20, 4, 0 }, { 20, 2, ITERATIONS }
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct measurement m;
                struct lb_error err;
                fresh();
                loop_s = 32;
                waits_s = cases[i].waits_s;
                for (int32_t rank = 0; rank < cases[i].size; rank++)
                        put_rank(rank, cases[i].size, cases[i].size, 400);
                assert_int_equal(measurement_read(&m, "ranks", &err), 0);
                assert_int_equal(m.niteration, cases[i].niteration);
                if (m.niteration == 0)
                        assert_non_null(strstr(m.why_none, "at other times"));
                measurement_finish(&m);
        }
        loop_s = waits_s = 0;
}

/* Through the best loop ranks do not go together, but through the next. */
static void test_next_best(void **state)
{
        (void)state;
        struct measurement m;
        struct lb_error err;
        fresh();
        loop_s = 32;
        waits_s = 20;
        has_inner = true;
        for (int32_t rank = 0; rank < 4; rank++)
                put_rank(rank, 4, 4, 400);
        assert_int_equal(measurement_read(&m, "ranks", &err), 0);
        assert_int_equal(m.niteration, 2 * ITERATIONS);
        assert_near(m.iterations, 1.5);
        measurement_finish(&m);
        loop_s = waits_s = 0;
        has_inner = false;
}

static double regions_of_rank(int32_t rank)
{
        struct measurement m;
        struct lb_error err;
        fresh();
        for (int32_t i = 0; i < 2; i++)
                put_rank(i, 2, 2, 400);
        assert_int_equal(measurement_read(&m, "ranks", &err), 0);
        double number = m.regions[rank];
        measurement_finish(&m);
        return number;
}

/* Of 3 and 1 s two are as 1.6 alike: in a window, between two synchronisations where these are
 * more, in an iteration. */
static void test_regions(void **state)
{
        (void)state;
        assert_near(regions_of_rank(0), 0);
        regions = 4 * ITERATIONS;
        assert_near(regions_of_rank(0), 0.8 * regions); /* all computed in the first window */
        meets = 7;
        assert_near(regions_of_rank(1), 0.8 * 4);
        loop_s = 32;
        regions = 2 * ITERATIONS;
        assert_near(regions_of_rank(1), 1.6);
        loop_s = 0;
        regions = meets = 0;
}

static bool peek(struct measurement *m)
{
        bool known = measurement_peek(m, "ranks");
        int32_t running = 0;
        for (int32_t i = 0; known && i < m->nrank; i++)
                running += m->rank[i]->state == RANK_RUNS;
        measurement_finish(m);
        return known && running == 1;
}

/* While it runs all ranks of one world are seen, and which of them run, or nothing is known. */
static void test_peek(void **state)
{
        (void)state;
        struct measurement m;
        fresh();
        assert_false(peek(&m));
        put_rank(0, 4, 4, 100);
        put_rank(1, 4, 4, 100);
        put_rank(2, 4, 4, 100);
        end_state = RANK_RUNS;
        assert_false(peek(&m));
        put_rank(3, 4, 4, 100);
        end_state = RANK_FINALIZED;
        assert_true(peek(&m));
        put_rank(0, 1, 1, 100); /* another world's */
        assert_false(peek(&m));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_figures),   cmocka_unit_test(test_refused),
                cmocka_unit_test(test_regions),   cmocka_unit_test(test_peek),
                cmocka_unit_test(test_together),  cmocka_unit_test(test_in_step),
                cmocka_unit_test(test_alone),     cmocka_unit_test(test_other_threads),
                cmocka_unit_test(test_next_best),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
