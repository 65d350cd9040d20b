/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that are executed at once, and the trace of a process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours ends the job */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/real/runtime/parts_world.h"

/* ---- Tests: executed at once ---- */

static struct process light;
static int32_t bodies;

static void count_one(void *argument)
{
        bodies += argument ? *(const int32_t *)argument : 1;
        world.now_ns += world.step_ns;
}

static void create_one(void *argument)
{
        struct task *child = make(&light, 0, true, NULL, LBRUN_IN);
        child->function = count_one;
        task_set_argument(child, argument, 4);
        child->wall_ns = 1000;
        task_create(&light, child, light.main_thread.task);
}

static void start_light(void)
{
        process_init(&light);
        bodies = 0;
        light.main_thread.task = &light.root;
        light.last_ns = 200;
        self.ready = 1 + 64 * 4 / 2;
}

static void test_light_when(void **state)
{
        (void)state;
        struct thread *t = &light.main_thread;
        unsigned char large[97];
        int32_t two = 2;
        start_light();
        assert_true(light_run(&light, t, count_one, &two, sizeof(two)));
        assert_int_equal(bodies, 2);
        assert_false(light_run(&light, t, count_one, large, sizeof(large)));
        self.ready--; /* too few are ready */
        assert_false(light_run(&light, t, count_one, NULL, 0));
        self.ready++;
        light.last_ns = SHORT_NS; /* tasks are long */
        assert_false(light_run(&light, t, count_one, NULL, 0));
        light.last_ns = 200;
        t->core = -1; /* it has no core */
        assert_false(light_run(&light, t, count_one, NULL, 0));
        t->core = 0;
        light.prioritises = true;
        assert_false(light_run(&light, t, count_one, NULL, 0));
        light.prioritises = false;
        t->light_depth = 8;
        assert_false(light_run(&light, t, count_one, NULL, 0));
        light_count(&light, t); /* nor are they counted while one runs */
        assert_int_equal(world.light_count, 0);
        t->light_depth = 0;
        assert_int_equal(bodies, 2);
        light_count(&light, t);
        assert_int_equal(world.light_count, 1);
        process_finish(&light);
}

/* Every sixteenth is measured and stands for the others; a long one is the last. */
static void test_light_time(void **state)
{
        (void)state;
        struct thread *t = &light.main_thread;
        start_light();
        for (int i = 0; i < 40; i++) {
                world.step_ns = i < 32 ? 70 : 100; /* measured: 0, 16, 32 */
                assert_true(light_run(&light, t, count_one, &(int32_t){ 1 }, 4));
        }
        light_count(&light, t);
        assert_true(world.light_count == 40 && world.light_ns == 4000);
        assert_true(light.useful_ns == 4000 && light.cpu_ns == 4000 && t->light_count == 0);
        light_count(&light, t);
        assert_int_equal(world.light_count, 40);
        t->light_number = 0; /* the next one is measured */
        self.ready = INT32_MAX / 4;
        bodies = 0;
        world.now_ns = 0;
        assert_true(light_run(&light, t, create_one, &(int32_t){ 50 }, 4));
        assert_int_equal(bodies, 50); /* its child, before it was over */
        assert_int_equal(light.root.wall_ns, 1000);
        assert_int_equal(light.root.unfinished, 0);
        assert_int_equal(world.light_ns, 4000 + 1000);
        process_finish(&light);
}

static void take_long(void *argument)
{
        (void)argument;
        world.now_ns += 2 * SHORT_NS;
}

static void test_light_long(void **state)
{
        (void)state;
        start_light();
        assert_true(light_run(&light, &light.main_thread, take_long, NULL, 0));
        assert_int_equal(light.last_ns, 2 * SHORT_NS);
        assert_false(light_run(&light, &light.main_thread, take_long, NULL, 0));
        process_finish(&light);
}

/* ---- Tests: the trace ---- */

static int32_t owner_of[4];
static bool usable_now[4];

static int32_t owner(const struct cores *cores, int32_t core)
{
        (void)cores;
        return owner_of[core];
}

static bool usable(const struct cores *cores, int32_t core)
{
        (void)cores;
        return usable_now[core];
}

/* Lines of a file that begin with `start` and have `word`. */
static int count_lines(const char *path, const char *start, const char *word)
{
        char line[512];
        int count = 0;
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        while (fgets(line, sizeof(line), file))
                count += strncmp(line, start, strlen(start)) == 0 && strstr(line, word) != NULL;
        fclose(file);
        return count;
}

static void test_timeline(void **state)
{
        (void)state;
        static const int32_t ncore[1] = { 4 }, node[1] = { 0 }, apprank[1] = { 0 };
        static const struct cores_type cores = { .owner = owner, .usable = usable };
        struct process p;
        process_init(&p);
        timeline_start(&p); /* no trace is asked for */
        timeline_busy(&p, 0, false);
        timeline_poll(&p);
        timeline_stop(&p);
        assert_null(p.timeline);

        snprintf(job.trace, sizeof(job.trace), "parts.prv");
        job.cores_per_node = 4;
        job.shape = (struct lb_shape){ .nnode = 1, .napprank = 1, .nworker = 1, .cores = ncore };
        job.shape.worker_node = node;
        job.shape.worker_apprank = apprank;
        p.cores_type = &cores;
        p.start_ns = 1000;
        owner_of[3] = 1;
        usable_now[1] = true;
        timeline_start(&p);
        world.now_ns = 500; /* before the job's start: at it */
        timeline_busy(&p, 0, true);
        timeline_busy(&p, -1, true); /* on no core */
        world.now_ns = 3000;
        timeline_busy(&p, 1, false);
        timeline_busy(&p, 1, false); /* said once */
        timeline_free(&p, 1, 5000);  /* idle */
        timeline_free(&p, 2, 5000);  /* its own, but not usable: lent */
        timeline_free(&p, 3, 5000);  /* another's: absent as before */
        timeline_free(&p, -1, 5000);
        world.now_ns = 6000;
        self.owned = 3;
        self.borrowed = 1;
        self.busy_ns = 2000;
        self.at_ns = 6000;
        p.tasks[1] = 4;
        p.tasks[2] = 5;
        p.nheld = 100000; /* more than a record holds */
        timeline_poll(&p);
        timeline_iteration(&p);
        world.now_ns = 8000;
        self.busy_ns = 6000;
        self.at_ns = 8000;
        timeline_poll(&p);
        size_t bytes;
        struct timeline_end end;
        void *records = timeline_records(&p, &bytes, &end);
        assert_non_null(records);
        assert_false(end.full);
        assert_int_equal(end.until_ns, 7000);
        timeline_write(&p, records, bytes, &end);
        free(records);
        assert_int_equal(count_lines("parts.prv", "#Paraver", ""), 1);
        assert_true(count_lines("parts.prv", "2:", ":9") > 0);     /* 4 + 5 offloaded */
        assert_true(count_lines("parts.prv", "2:", ":32767") > 0); /* held, as far as that goes */
        assert_true(count_lines("parts.prv", "1:", "") >= 4);

        /* what others did later is not told */
        records = timeline_records(&p, &bytes, &end);
        end.until_ns = 4500;
        timeline_write(&p, records, bytes, &end);
        free(records);
        assert_int_equal(count_lines("parts.prv", "2:", ":32767"), 0);
        timeline_stop(&p);
        assert_null(p.timeline);
        job.trace[0] = '\0';
        process_finish(&p);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_light_when),
                cmocka_unit_test(test_light_time),
                cmocka_unit_test(test_light_long),
                cmocka_unit_test(test_timeline),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
