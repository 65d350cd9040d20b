/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank's load is beside its own thread's time: help, children, others; and what is known of
 * what was not read. */
#include "tests/real/measure/story.h"

/* A reading of the CPU clock takes time itself, half of it before it shows the time and half after;
 * one of the delay takes more. Neither is load, however short the work between two is. */
static void test_own_time(void **state)
{
        enum { TIMES = 1000, HALF_NS = 250, DELAY_NS = 6000, WORK_NS = 4000 };
        (void)state;
        struct story story = begin(0);
        story.meter->reading_ns = 2 * HALF_NS;
        for (int i = 0; i < 2 * TIMES; i++) {
                bool enters = i % 2 == 0;
                pass(&story, enters ? WORK_NS : 1000, enters ? 0 : 2 * MS, 0);
                int64_t wall_ns = story.now.wall_ns;
                if (!(enters ? meter_enter : meter_leave)(story.meter, wall_ns))
                        continue;
                pass(&story, HALF_NS, 0, 0);
                meter_cpu(story.meter, wall_ns, story.now.cpu_ns);
                pass(&story, HALF_NS, 0, 0);
                if (!meter_wants_delay(story.meter))
                        continue;
                meter_delay(story.meter, &story.now);
                pass(&story, DELAY_NS + HALF_NS, 0, 0);
                meter_own(story.meter, DELAY_NS, story.now.cpu_ns);
                pass(&story, HALF_NS, 0, 0);
        }
        end(&story);
        const struct meter *meter = story.meter;
        assert_true(meter->divided_ns == 0);
        assert_ms(meter_load_ns(meter), 4, 0.001);
        assert_ms((double)meter->out_ns, 4, 0.002);
        assert_ms(meter->cpu_in_ns, 1 + 6 + 1.5, 0.002);
        assert_ms((double)(meter->out_ns + meter->in_ns),
                  (double)(story.now.wall_ns - EPOCH_NS) / (double)MS, 0.001);
        free(story.meter);
}

/* Another thread of the rank, which calls MPI itself, computes 5 ms while the first computes, and 5
 * ms of the 8 in which that waits for it: all of it is load once, and the 3 ms in which neither had
 * anything to do are blocked. */
static void test_help(void **state)
{
        (void)state;
        struct story story = begin(0);
        for (int i = 0; i < 10; i++) {
                pass(&story, 5 * MS, 0, 0);
                enter(&story);
                meter_help(story.meter, story.now.wall_ns - 5 * MS, story.now.wall_ns, 5 * MS);
                leave(&story);
                pass(&story, 0, 0, 8 * MS);
                bool wanted = meter_enter(story.meter, story.now.wall_ns);
                if (wanted)
                        meter_cpu(story.meter, story.now.wall_ns, story.now.cpu_ns);
                meter_help(story.meter, story.now.wall_ns - 8 * MS, story.now.wall_ns, 5 * MS);
                if (meter_wants_delay(story.meter))
                        meter_delay(story.meter, &story.now);
                leave(&story);
        }
        end(&story);
        assert_ms(story.meter->cpu_out_ns, 50, 0.001);
        assert_ms(story.meter->help_ns, 50, 0.001);
        assert_ms(story.meter->helped_ns, 50, 0.001);
        assert_ms(story.meter->blocked_ns, 80, 0.001);
        assert_ms(meter_load_ns(story.meter), 180, 0.001);
        free(story.meter);
}

/*
 * A process that the rank runs and waits for has 10 ms of processor time in 40 ms. Load is its
 * processor time where it lost its CPU to others, and all of the 40 ms where it did not, or nobody
 * waited for one, or were too few for that: it slept. One that the rank did not wait for has worked
 * beside it.
 */
static void test_children(void **state)
{
        static const struct {
                int64_t preempted, pressed_ms, blocked_ms;
                double load_ms, blocked_load_ms;
        } row[] = {
                { 6, 35, 40, 10, 10 },  { 0, 35, 40, 40, 40 },    { 6, 0, 40, 40, 40 },
                { 1, 90, 100, 50, 50 }, { 6, 12, 40, 28, 28 },    { 6, -1, 40, 10, 10 },
                { 6, 35, 4, 10, 4 },    { 20, 200, 190, 30, 30 },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
                struct story story = begin(0);
                struct meter_children *children = &story.now.children;
                story.meter->children.pressed_ns = children->pressed_ns =
                    row[i].pressed_ms < 0 ? -1 : 0;
                for (int step = 0; step < 10; step++) {
                        pass(&story, 0, 0, row[i].blocked_ms * MS);
                        children->cpu_ns += 10 * MS;
                        children->preempted += row[i].preempted;
                        children->pressed_ns += row[i].pressed_ms > 0 ? row[i].pressed_ms * MS : 0;
                        enter(&story);
                        pass(&story, 0, 0, 3 * MS);
                        leave(&story);
                }
                end(&story);
                assert_ms(meter_load_ns(story.meter), 10 * row[i].load_ms, 0.001);
                assert_ms(story.meter->blocked_ns, 10 * row[i].blocked_load_ms, 0.001);
                free(story.meter);
        }
}

/*
 * Blocked, waiting for two other threads that have a CPU for a quarter of the time in which they
 * could run: a quarter of it is load. Where they do next to nothing, their delay is all there is to
 * take; where they never wait for a CPU, nothing.
 */
static void test_others(void **state)
{
        (void)state;
        static const struct {
                int64_t cpu_ms, delay_ms;
                double load_ms;
        } table[] = { { 60, 180, 30 }, { 240, 0, 120 }, { 0, 1, 119 }, { 0, 0, 120 } };
        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
                struct story story = begin(0);
                for (int step = 0; step < 10; step++) {
                        pass(&story, 0, 0, 120 * MS);
                        story.now.others.cpu_ns += table[i].cpu_ms * MS;
                        story.now.others.delay_ns += table[i].delay_ms * MS;
                        enter(&story);
                        pass(&story, 0, 0, 50 * MS);
                        leave(&story);
                        meter_synchronised(story.meter);
                }
                end(&story);
                assert_ms(meter_load_ns(story.meter), 10 * table[i].load_ms, 0.1);
                assert_ms(story.meter->delayed_ns, 10 * (120 - table[i].load_ms), 0.1);
                free(story.meter);
        }
}

/*
 * A program of a tenth of a second: bursts of short calls, one of which waits without a CPU, and
 * then a long piece of work whose length was not seen before. Where nothing is known, time outside
 * MPI is taken for work.
 */
static void test_short_run(void **state)
{
        enum { BURSTS = 30, CALLS = 400 };
        (void)state;
        struct story story = begin(0);
        double work_ms = 0;
        uint32_t random = 1;
        for (int i = 0; i < BURSTS * CALLS; i++) {
                random = random * 1664525 + 1013904223;
                bool longer = i % CALLS == CALLS / 2;
                int64_t work_ns = longer ? 100000 + random % 3000000 : 200;
                work_ms += (double)work_ns / (double)MS;
                pass(&story, work_ns, 0, 0);
                enter(&story);
                pass(&story, 300, i % CALLS == 0 ? 10000 + random % 4000000 : 0, 0);
                leave(&story);
        }
        end(&story);
        assert_ms(story.meter->cpu_out_ns, work_ms, 0.01 * work_ms);
        free(story.meter);
}

/* The first calls, before there was time for many readings, are read as a burst later is. */
static void test_first_calls(void **state)
{
        (void)state;
        struct story story = begin(0);
        for (int i = 0; i < METER_READS_SPARE / 2; i++) {
                pass(&story, 2000, 0, 0);
                enter(&story);
                pass(&story, 1000, 0, 0);
                leave(&story);
        }
        end(&story);
        assert_true(story.meter->divided_ns == 0);
        assert_ms(story.meter->cpu_out_ns, 0.2, 0.0001);
        free(story.meter);
}

/*
 * 70000 short stretches a second, of which one in twenty loses its CPU, outside MPI or in it, for
 * as long as others take: where the meter is told which may have, these are read and all is known.
 */
static void test_kept(void **state)
{
        enum { CALLS = 100000, EACH = 20 };
        (void)state;
        struct story story = begin(-1);
        double work_ms = 0;
        uint32_t random = 1;
        for (int i = 0; i < CALLS; i++) {
                random = random * 1664525 + 1013904223;
                int64_t work_ns = 2000 + (random >> 8) % 4000;
                int64_t lost_ns = i % EACH == 0 ? 100000 + (random >> 8) % 700000 : 0;
                bool outside = random >> 31;
                work_ms += (double)work_ns / (double)MS;
                pass(&story, work_ns, outside ? lost_ns : 0, 0);
                story.meter->kept = !outside || lost_ns == 0;
                enter(&story);
                pass(&story, 2000, outside ? 0 : lost_ns, 0);
                story.meter->kept = outside || lost_ns == 0;
                leave(&story);
        }
        end(&story);
        assert_true(story.meter->divided_ns > 0.5 * story.meter->cpu_out_ns);
        assert_ms(story.meter->cpu_out_ns, work_ms, 0.0005 * work_ms);
        free(story.meter);
}

/*
 * What a stretch that has not ended has of the processor time, is what those before it, in which
 * the thread kept its CPU, have not; where one before may have lost it, nobody knows.
 */
static void test_rest(void **state)
{
        (void)state;
        struct story story = begin(-1);
        for (int i = 0; i < 3; i++) {
                pass(&story, 2000, 0, 0);
                story.meter->kept = true;
                enter(&story);
                pass(&story, 3000, 0, 0);
                story.meter->kept = true;
                leave(&story);
        }
        pass(&story, 700, 50 * MS, 0);
        assert_ms(meter_rest_ns(story.meter, story.now.cpu_ns), 0.0007, 1e-9);
        meter_go(story.meter, story.now.wall_ns, METER_OUT); /* the clock is not read */
        assert_true(meter_rest_ns(story.meter, story.now.cpu_ns) < 0);
        free(story.meter);
}

/*
 * A thread that keeps its CPU: its clock is read a few times a second, whatever the calls, and yet
 * each interval has its own load. What interrupts took is found by those readings, and taken from
 * what is outside MPI and in it alike.
 */
static void test_kept_throughout(void **state)
{
        enum { STEPS = 20000, EACH = 100 };
        (void)state;
        struct story story = begin(0);
        int64_t work_ns = 0, interrupts_ns = 0;
        for (int i = 0; i < STEPS; i++) {
                int64_t own_ns = 20000 + 1000 * (i % 7), lost_ns = i % EACH == 0 ? 30000 : 0;
                work_ns += own_ns;
                interrupts_ns += lost_ns;
                pass(&story, own_ns, 0, 0);
                story.now.wall_ns += lost_ns;
                story.meter->kept = true;
                enter(&story);
                meter_synchronised(story.meter);
                pass(&story, 5000, 0, 0);
                story.meter->kept = true;
                leave(&story);
        }
        double all_ms = (double)(story.now.wall_ns - EPOCH_NS) / (double)MS;
        assert_ms(meter_load_ns(story.meter), (double)work_ns / (double)MS, 0.002 * all_ms);
        end(&story);
        const struct meter *meter = story.meter;
        assert_true(story.reads <= (story.now.wall_ns - EPOCH_NS) / METER_KEPT_NS + 1);
        assert_ms(meter->cpu_out_ns, (double)work_ns / (double)MS, 0.002 * all_ms);
        assert_true(interrupts_ns > work_ns / EACH);
        double sum_ms = 0;
        for (int i = 0; i < STEPS; i++) {
                double load_ms = meter->interval[i].load_ns / (double)MS;
                assert_true(load_ms >= 0 && load_ms < 0.02 + 0.001 * (i % 7) + 0.0301);
                sum_ms += load_ms;
        }
        assert_ms(sum_ms * (double)MS, (double)work_ns / (double)MS, 0.002 * all_ms);
        assert_ms(meter->interval[STEPS / 2 + 6].load_ns, 0.02 + 0.001 * ((STEPS / 2 + 6) % 7),
                  0.001);
        free(story.meter);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_own_time),
                cmocka_unit_test(test_help),
                cmocka_unit_test(test_children),
                cmocka_unit_test(test_others),
                cmocka_unit_test(test_short_run),
                cmocka_unit_test(test_first_calls),
                cmocka_unit_test(test_kept),
                cmocka_unit_test(test_rest),
                cmocka_unit_test(test_kept_throughout),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
