/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks that a run had, as --tasks writes them: what comes after what, and how long it took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours ends the job */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/runtime/record.h"
#include "tests/real/runtime/parts_world.h"

static void begin(struct process *p)
{
        process_init(p);
        snprintf(job.tasks, sizeof(job.tasks), "tasks.csv");
        record_start(p);
}

static void stop(struct process *p)
{
        record_stop(p);
        process_finish(p);
        job.tasks[0] = '\0';
}

/* What is kept of an iteration, the last one being 0, without iteration and apprank. */
static void assert_kept(const struct process *p, int32_t ago, const char *const *line)
{
        char *text = NULL, *rest = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        int32_t last = p->record->ndropped + p->record->nkept - 1;
        assert_int_equal(p->record->reason, RECORD_FINE);
        assert_true(record_print(record_kept(p->record, last - ago), 4, 2, out));
        assert_int_equal(fclose(out), 0);
        for (char *at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
                assert_non_null(*line);
                assert_string_equal(at, *line++);
        }
        assert_null(*line);
        free(text);
}

static struct task *create(struct process *p, struct task *parent, void *data, enum lbrun_mode mode)
{
        struct task *task = make(p, 0, false, data, mode);
        task_create(p, task, parent);
        return task;
}

/* A thread takes it, and has executed it; on a helper's node as if it had been sent there. */
static void start(struct process *p, const struct task *task)
{
        assert_ptr_equal(queue_pop(&p->ready), task);
}

static void end(struct process *p, struct task *task, int32_t place, int64_t wall_ns)
{
        task->place = place;
        task->wall_ns = wall_ns;
        task_body_done(p, task);
}

static void finish(struct process *p, struct task *task, int32_t place, int64_t wall_ns)
{
        start(p, task);
        end(p, task, place, wall_ns);
}

/* Of tasks that have finished, too, at speed 1 wherever they ran, with data where they may run
 * elsewhere, and priorities; an iteration begins anew. */
static void test_order(void **state)
{
        (void)state;
        static const char *const first[] = { "4,2,0.000001000,0,1,0,,", "4,2,0.000002800,8,0,-7,,",
                                             "4,2,0.000003000,0,1,0,,0 1", NULL };
        static const char *const second[] = { "4,2,1.500000000,0,1,0,,", NULL };
        struct process p;
        int64_t data[2];
        begin(&p);
        finish(&p, create(&p, &p.root, &data[0], LBRUN_OUT), 0, 1000);
        struct task *anywhere = make(&p, 0, true, &data[1], LBRUN_OUT);
        anywhere->urgency = costs_urgency(-7, 3);
        task_create(&p, anywhere, &p.root);
        finish(&p, anywhere, 1, 1400); /* twice as fast there */
        struct task *last = task_take(&p);
        struct lbrun_access both = { LBRUN_IN, data, sizeof(data) };
        task_set_argument(last, NULL, 0);
        task_set_accesses(last, 1, &both);
        task_create(&p, last, &p.root);
        finish(&p, last, 0, 3000);
        record_iteration(&p);
        finish(&p, create(&p, &p.root, &data[0], LBRUN_OUT), 0, 1500000000);
        record_iteration(&p);
        assert_kept(&p, 1, first);
        assert_kept(&p, 0, second);
        stop(&p);
}

/* A wait of the main program comes after all before it, and before all later ones; one that nothing
 * comes after is none. */
static void test_wait(void **state)
{
        (void)state;
        static const char *const lines[] = { "4,2,0.000000010,0,1,0,,",
                                             "4,2,0.000000020,0,1,0,,",
                                             "4,2,0.000000000,0,1,2147483647,,1 0",
                                             "4,2,0.000000030,0,1,0,,2",
                                             "4,2,0.000000040,0,1,0,,2",
                                             NULL };
        struct process p;
        int64_t data[4];
        begin(&p);
        for (int i = 0; i < 4; i++) {
                finish(&p, create(&p, &p.root, &data[i], LBRUN_OUT), 0, 10 * (i + 1));
                if (i % 2 == 1)
                        record_wait(&p, &p.root);
        }
        record_iteration(&p);
        assert_kept(&p, 0, lines);
        stop(&p);
}

/* What the main program does itself is a task that stays, where it is not short: before what it
 * creates then, and after a wait. */
static void test_main(void **state)
{
        (void)state;
        static const char *const lines[] = {
                "4,2,0.000500000,0,1,2147483647,,",  "4,2,0.000000010,0,1,0,,0",
                "4,2,0.000000020,0,1,0,,0",          "4,2,0.000000000,0,1,2147483647,,0 2 1",
                "4,2,0.000700000,0,1,2147483647,,3", NULL
        };
        struct process p;
        int64_t data[2];
        begin(&p);
        world.now_ns = 1000;
        record_main_goes_on(&p);
        world.now_ns += 500000;
        for (int i = 0; i < 2; i++) {
                finish(&p, create(&p, &p.root, &data[i], LBRUN_OUT), 0, 10 * (i + 1));
                world.now_ns += 9000; /* short */
        }
        record_main_stops(&p);
        record_wait(&p, &p.root);
        world.now_ns += 1000000; /* in the wait */
        record_main_goes_on(&p);
        world.now_ns += 700000;
        record_iteration(&p);
        assert_kept(&p, 0, lines);
        assert_int_equal(p.record->main_ns, 1200000);
        stop(&p);
}

/* What it did before a child comes before the child, what it does after a wait after it; and who
 * waits for the task waits for the child that it has not waited for. */
static void test_children(void **state)
{
        (void)state;
        static const char *const lines[] = {
                "4,2,0.000100000,0,1,0,,",                /* until the first child */
                "4,2,0.000020001,0,0,2147483647,0,0",     /* until the second one */
                "4,2,0.000030000,0,0,2147483647,0,1",     /* until the wait */
                "4,2,0.000060000,0,0,0,0,1",              /* the second child */
                "4,2,0.000050000,0,0,0,0,0",              /* the first */
                "4,2,0.000007000,0,0,2147483647,0,2 3 4", /* after the wait, until a third */
                "4,2,0.000001000,0,0,2147483647,0,5",     /* until its end, */
                "4,2,0.000070000,0,0,0,0,5",              /* the third */
                "4,2,0.000000000,0,0,2147483647,0,6 7",   /* which is that of its children */
                "4,2,0.000090000,0,1,0,,8",               /* who comes after it */
                NULL
        };
        struct process p;
        struct thread thread = { .computes = true };
        int64_t data[3], own;
        begin(&p);
        struct task *task = create(&p, &p.root, &own, LBRUN_OUT);
        struct task *after = create(&p, &p.root, &own, LBRUN_IN);
        start(&p, task);
        thread.task = task;
        world.thread = &thread;
        world.now_ns = 100000;
        struct task *first = create(&p, task, &data[0], LBRUN_OUT);
        world.now_ns += 20001; /* long enough to be told apart */
        struct task *second = create(&p, task, &data[1], LBRUN_OUT);
        task->wall_ns = 150001; /* of which 30 after that */
        thread.computes = false;
        finish(&p, first, 0, 50000);
        finish(&p, second, 0, 60000);
        record_wait(&p, task);
        task->wall_ns += 7000;
        struct task *third = create(&p, task, &data[2], LBRUN_OUT);
        finish(&p, third, 0, 70000);
        task->wall_ns += 1000;
        end(&p, task, 0, task->wall_ns);
        finish(&p, after, 0, 90000);
        record_iteration(&p);
        assert_kept(&p, 0, lines);
        stop(&p);
}

/* With children elsewhere it is known that all took twice as long as the longest chain: two pieces
 * within the task, both before its end. */
static void test_elsewhere(void **state)
{
        (void)state;
        static const char *const lines[] = { "4,2,0.000000010,0,1,0,,",
                                             "4,2,0.000000000,8,0,5,,0",
                                             "4,2,0.000004000,0,0,5,1,1",
                                             "4,2,0.000004000,0,0,5,1,1",
                                             "4,2,0.000000000,0,0,2147483647,1,1 2 3",
                                             "4,2,0.000000030,0,1,0,,4",
                                             NULL };
        struct process p;
        int64_t data;
        begin(&p);
        struct task *before = create(&p, &p.root, &data, LBRUN_OUT);
        struct task *task = make(&p, 0, true, &data, LBRUN_INOUT);
        task->urgency = costs_urgency(5, 0);
        task_create(&p, task, &p.root);
        struct task *after = create(&p, &p.root, &data, LBRUN_IN);
        finish(&p, before, 0, 10);
        task->end_ns = task->chain_ns + 2000;
        finish(&p, task, 1, 4000); /* on a node of speed 2 */
        finish(&p, after, 0, 30);
        record_iteration(&p);
        assert_kept(&p, 0, lines);
        stop(&p);
}

/* Its children wait for what comes before it, and it does not. */
static void test_weak(void **state)
{
        (void)state;
        static const char *const lines[] = {
                "4,2,0.000000010,0,1,0,,",               /* what writes before */
                "4,2,0.000000020,0,1,0,,",               /* the task, until its child */
                "4,2,0.000000000,0,1,2147483647,,0",     /* the gate */
                "4,2,0.000000000,0,1,2147483647,,1",     /* the task, until its end */
                "4,2,0.000000030,0,1,0,,1 2",            /* the child */
                "4,2,0.000000000,0,1,2147483647,,3 4 2", /* all of the task */
                "4,2,0.000000040,0,1,0,,5",              /* who comes after it */
                NULL
        };
        struct process p;
        int64_t data;
        begin(&p);
        struct task *before = create(&p, &p.root, &data, LBRUN_OUT);
        struct task *task = task_take(&p);
        struct lbrun_access access = { LBRUN_INOUT | LBRUN_WEAK, &data, sizeof(data) };
        task_set_argument(task, NULL, 0);
        task_set_accesses(task, 1, &access);
        weak_take(&p, task);
        task_create(&p, task, &p.root);
        struct task *after = create(&p, &p.root, &data, LBRUN_IN);
        start(&p, before);
        start(&p, task);
        task->wall_ns = 20;
        struct task *child = create(&p, task, &data, LBRUN_INOUT);
        end(&p, task, 0, task->wall_ns);
        end(&p, before, 0, 10);
        finish(&p, child, 0, 30);
        finish(&p, after, 0, 40);
        record_iteration(&p);
        assert_kept(&p, 0, lines);
        stop(&p);
}

/* Who has tasks that go on is not recorded; what was executed at once is, as often as it was. */
static void test_others(void **state)
{
        (void)state;
        static const char *const lines[] = { "4,2,0.000000005,0,1,2147483647,,",
                                             "4,2,0.000000005,0,1,2147483647,,",
                                             "4,2,0.000000005,0,1,2147483647,,", NULL };
        struct process p;
        int64_t data;
        begin(&p);
        record_light(&p, 3, 15);
        record_iteration(&p);
        assert_kept(&p, 0, lines);
        struct task *task = create(&p, &p.root, &data, LBRUN_OUT);
        record_iteration(&p);
        assert_int_equal(p.record->reason, RECORD_BEYOND);
        finish(&p, task, 0, 1);
        record_iteration(&p);
        assert_int_equal(p.record->nkept, 1);
        stop(&p);
}

/* The oldest iterations go. */
static void test_many(void **state)
{
        (void)state;
        enum { COUNT = 300000, ROUNDS = 5, KEPT = 3 };
        struct process p;
        begin(&p);
        for (int i = 0; i < ROUNDS; i++) {
                record_light(&p, COUNT, COUNT);
                record_iteration(&p);
        }
        assert_int_equal(p.record->reason, RECORD_FINE);
        assert_int_equal(p.record->nkept, KEPT);
        assert_int_equal(p.record->ndropped, ROUNDS - KEPT);
        record_light(&p, 4 * COUNT, COUNT);
        assert_int_equal(p.record->reason, RECORD_MANY);
        stop(&p);
}

/* Of many short iterations each takes what it needs, and the oldest go, those without tasks, too.
 */
static void test_many_iterations(void **state)
{
        (void)state;
        enum { KEPT = 1000000, MORE = 600000, SMALL = 2 };
        struct process p;
        begin(&p);
        for (int i = 0; i < KEPT + MORE; i++) {
                record_light(&p, i % SMALL, SMALL);
                record_iteration(&p);
        }
        assert_int_equal(p.record->reason, RECORD_FINE);
        assert_int_equal(p.record->nkept, KEPT);
        assert_int_equal(p.record->ndropped, MORE);
        assert_int_equal(record_kept(p.record, MORE)->nnode, 0);
        assert_int_equal(record_kept(p.record, KEPT + MORE - 1)->nnode, 1);
        assert_true(malloc_usable_size(record_kept(p.record, MORE + 1)->node) <=
                    SMALL * sizeof(struct record_node));
        stop(&p);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_wait),
                cmocka_unit_test(test_children),
                cmocka_unit_test(test_weak),
                cmocka_unit_test(test_main),
                cmocka_unit_test(test_elsewhere),
                cmocka_unit_test(test_others),
                cmocka_unit_test(test_many),
                cmocka_unit_test(test_many_iterations),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
