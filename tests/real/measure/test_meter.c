/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/measure/story.h"

/* Load is processor and blocked time outside MPI; neither delay nor what is spent in MPI. */
static void test_parts(void **state)
{
        (void)state;
        struct story story = begin(7 * MS);
        for (int i = 0; i < 10; i++) {
                pass(&story, 30 * MS, 20 * MS, 0);
                enter(&story);
                pass(&story, 11 * MS, 13 * MS, 0); /* spins, and is preempted */
                leave(&story);
                pass(&story, 0, 0, 5 * MS); /* asleep */
                enter(&story);
                pass(&story, 1 * MS, 0, 2 * MS);
                leave(&story);
        }
        end(&story);
        assert_int_equal(story.meter->calls, 20);
        assert_ms(story.meter->cpu_out_ns, 300, 0.001);
        assert_ms(story.meter->cpu_in_ns, 120, 0.001);
        assert_ms(story.meter->blocked_ns, 50, 0.001);
        assert_ms(story.meter->delayed_ns, 200, 0.001);
        assert_ms(meter_load_ns(story.meter), 350, 0.001);
        assert_ms((double)story.meter->out_ns, 550, 0.001);
        assert_ms((double)story.meter->in_ns, 270, 0.001);
        free(story.meter);
}

/* A CPU that is lost between two readings of clocks: the delay is known before the wall time is. It
 * is not blocked time later. */
static void test_delay_ahead(void **state)
{
        (void)state;
        struct story story = begin(0);
        for (int i = 0; i < 10; i++) {
                pass(&story, 30 * MS, 20 * MS, 0);
                bool wanted = meter_enter(story.meter, story.now.wall_ns);
                pass(&story, 0, 15 * MS, 0);
                story.now.sleeps++;
                if (wanted)
                        meter_cpu(story.meter, story.now.wall_ns - 15 * MS, story.now.cpu_ns);
                if (wanted && meter_wants_delay(story.meter))
                        meter_delay(story.meter, &story.now);
                leave(&story);
        }
        end(&story);
        assert_ms(story.meter->cpu_out_ns, 300, 0.001);
        assert_ms(story.meter->blocked_ns, 0, 0.001);
        free(story.meter);
}

/* What an interrupt or another system takes is no load: the thread never slept. */
static void test_stolen(void **state)
{
        (void)state;
        struct story story = begin(0);
        for (int i = 0; i < 10; i++) {
                pass(&story, 30 * MS, 20 * MS, 0);
                story.now.wall_ns += 2 * MS;
                enter(&story);
                leave(&story);
        }
        end(&story);
        assert_ms(meter_load_ns(story.meter), 300, 0.001);
        assert_ms(story.meter->delayed_ns, 220, 0.001);
        free(story.meter);
}

/* Where the delay is not known, load is processor time, and nothing is said to be blocked. */
static void test_no_delay(void **state)
{
        (void)state;
        struct story story = begin(-1);
        pass(&story, 30 * MS, 20 * MS, 10 * MS);
        enter(&story);
        pass(&story, 11 * MS, 13 * MS, 0);
        leave(&story);
        end(&story);
        assert_ms(meter_load_ns(story.meter), 30, 0.001);
        assert_true(story.meter->blocked_ns == 0 && story.meter->delayed_ns == 0);
        free(story.meter);
}

/* Of very many short calls only so many are read; what is divided is right on
 * average, and known. */
static void test_budget(void **state)
{
        (void)state;
        struct story story = begin(0);
        for (int i = 0; i < 40000; i++) { /* in a second */
                pass(&story, 20000, 0, 0);
                enter(&story);
                pass(&story, 5000, 0, 0);
                leave(&story);
        }
        end(&story);
        assert_true(story.reads > METER_READS_PER_S / 2);
        assert_true(story.reads <= METER_READS_PER_S + METER_READS_SPARE + 3);
        assert_ms(story.meter->cpu_out_ns, 800, 1);
        assert_ms(story.meter->cpu_in_ns, 200, 1);
        assert_true(story.meter->divided_ns > 0.5 * story.meter->cpu_out_ns);
        free(story.meter);
}

/*
 * More calls than are read, on CPUs that others have, too: work of 20 us between calls that wait,
 * each as long as they like and mostly without a CPU, and every fiftieth piece of work is
 * interrupted for 4 ms. Time in MPI that was no processor time takes none from the load.
 */
static void test_shared_cpus(void **state)
{
        enum { TIMES = 40000, WORK_NS = 20000, CALL_NS = 3000, BUSY_WAIT_NS = 9000 };
        (void)state;
        struct story story = begin(0);
        uint32_t random = 1;
        for (int i = 0; i < TIMES; i++) {
                random = random * 1664525 + 1013904223;
                pass(&story, WORK_NS, random >> 16 & 63 ? 0 : 4 * MS, 0);
                enter(&story);
                bool waits = random >> 8 & 1;
                pass(&story, waits ? BUSY_WAIT_NS : CALL_NS, waits ? 90000 + random % 50000 : 0, 0);
                leave(&story);
        }
        end(&story);
        double work_ms = (double)TIMES * WORK_NS / (double)MS;
        assert_ms(story.meter->cpu_out_ns, work_ms, 0.01 * work_ms);
        assert_true(story.meter->divided_ns > 0.3 * story.meter->cpu_out_ns);
        assert_ms(story.meter->blocked_ns, 0, 0.01 * work_ms);
        free(story.meter);
}

static double sum(const double *value, int64_t count)
{
        double all = 0;
        for (int64_t i = 0; i < count; i++)
                all += value[i];
        return all;
}

/* Load belongs to the window in which it was spent, however long there was no call. */
static void test_windows(void **state)
{
        (void)state;
        struct story story = begin(0);
        pass(&story, 0, 100 * MS, 0);
        enter(&story);
        leave(&story);
        pass(&story, 1800 * MS, 0, 0); /* from 0.1 s to 1.9 s */
        enter(&story);
        pass(&story, 700 * MS, 0, 0);
        leave(&story);
        end(&story);
        const struct meter *meter = story.meter;
        assert_int_equal(meter->windows.first, EPOCH_NS / WINDOW_NS);
        assert_true(meter->windows.count >= 4);
        static const double expected_ms[] = { 400, 500, 500, 400 };
        for (int i = 0; i < 4; i++)
                assert_ms(meter->window_load_ns[i], expected_ms[i], 0.01);
        assert_ms(sum(meter->window_load_ns, meter->windows.count), 1800, 0.001);
        free(story.meter);
}

/* Intervals end at synchronisations; the last one at the end. The time in a synchronisation is of
 * the interval after it. */
static void test_intervals(void **state)
{
        (void)state;
        static const int64_t load_ms[] = { 10, 40, 25 };
        struct story story = begin(0);
        for (int i = 0; i < 3; i++) {
                pass(&story, load_ms[i] * MS, 3 * MS, 0);
                enter(&story);
                if (i < 2)
                        meter_synchronised(story.meter);
                pass(&story, 4 * MS, 0, 0);
                leave(&story);
        }
        end(&story);
        assert_int_equal(story.meter->synchronisations, 3);
        assert_int_equal(story.meter->intervals.count, 3);
        for (int i = 0; i < 3; i++)
                assert_ms(story.meter->interval[i].load_ns, (double)load_ms[i], 0.001);
        assert_ms(story.meter->interval[0].mpi_ns, 0, 0.001);
        assert_ms(story.meter->interval[1].mpi_ns, 4, 0.001);
        assert_ms(story.meter->interval[2].mpi_ns, 8, 0.001); /* and of one that is none */
        free(story.meter);
}

/* What does not fit is folded, and nothing is lost; series that start anywhere fold alike. */
static void test_folding(void **state)
{
        (void)state;
        for (int64_t first = 1000; first < 1004; first++) {
                double value[8] = { 0 };
                struct meter_series series = { .room = 8 };
                for (int64_t at = first; at < first + 50; at++)
                        meter_series_add(&series, value, at, (double)at);
                assert_true(series.count <= 8);
                for (int64_t i = 0; i < series.count; i++) {
                        double expected = 0;
                        for (int64_t at = first; at < first + 50; at++)
                                expected += at >> series.shift == series.first + i ? (double)at : 0;
                        assert_true(value[i] == expected);
                }
                assert_int_equal(series.first, first >> series.shift);
        }
}

/* A program that polls: what the meter's own readings take between two polls is no load. */
static void test_polls(void **state)
{
        enum { POLLS = 100000 };
        (void)state;
        struct story story = begin(0);
        story.meter->clock_ns = 30;
        for (int i = 0; i < POLLS; i++) {
                pass(&story, 40, 0, 0);
                enter(&story);
                pass(&story, 100, 0, 0);
                leave(&story);
        }
        end(&story);
        assert_ms(meter_load_ns(story.meter), 1, 0.01);
        assert_ms((double)story.meter->out_ns, 1, 0.001);
        assert_ms((double)story.meter->in_ns, 13, 0.001);
        free(story.meter);
}

/* A program that polls and naps between two polls: it waits, and works again only after it. */
static void test_stays(void **state)
{
        (void)state;
        struct story story = begin(0);
        pass(&story, 10 * MS, 0, 0);
        enter(&story);
        for (int i = 0; i < 100; i++) {
                leave(&story);
                pass(&story, 2000, 0, 100000);
                read_clocks(&story, meter_stay(story.meter, story.now.wall_ns));
        }
        leave(&story);
        pass(&story, 5 * MS, 0, 0);
        end(&story);
        assert_ms(meter_load_ns(story.meter), 15, 0.1);
        assert_ms((double)story.meter->out_ns, 15, 0.001);
        assert_int_equal(story.meter->calls, 101);
        free(story.meter);
}

/* It ends in a call as well as outside. */
static void test_end_inside(void **state)
{
        (void)state;
        struct story story = begin(0);
        pass(&story, 6 * MS, 0, 0);
        enter(&story);
        pass(&story, 9 * MS, 0, 0);
        end(&story);
        assert_ms(meter_load_ns(story.meter), 6, 0.001);
        assert_ms((double)story.meter->in_ns, 9, 0.001);
        assert_int_equal(story.meter->calls, 1);
        free(story.meter);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_parts),      cmocka_unit_test(test_no_delay),
                cmocka_unit_test(test_stolen),     cmocka_unit_test(test_delay_ahead),
                cmocka_unit_test(test_budget),     cmocka_unit_test(test_windows),
                cmocka_unit_test(test_intervals),  cmocka_unit_test(test_folding),
                cmocka_unit_test(test_end_inside), cmocka_unit_test(test_polls),
                cmocka_unit_test(test_stays),      cmocka_unit_test(test_shared_cpus),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
