/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of the runtime in their queues and their order, and where they are placed.
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

/* ---- Tests: queue ---- */

/* The most urgent first, first in first out among equals: as a list that is searched whole. */
static void test_queue_order(void **state)
{
        (void)state;
        enum { TASKS = 200 };
        static struct task task[TASKS];
        struct task_queue queue = { 0 };
        bool out[TASKS] = { false };
        uint32_t random = 1;
        int32_t in = 0;
        for (int32_t step = 0; step < 3 * TASKS / 2; step++) {
                random = random * 1664525 + 1013904223;
                if (in < TASKS && (random >> 16) % 5 < 3) {
                        task[in].urgency = (int32_t)(random >> 24) % 12 - 6;
                        queue_push(&queue, &task[in++]);
                        continue;
                }
                const struct task *best = NULL;
                for (int32_t i = 0; i < in; i++)
                        if (!out[i] && (!best || task[i].urgency > best->urgency))
                                best = &task[i];
                assert_ptr_equal(queue_first(&queue), best);
                assert_ptr_equal(queue_pop(&queue), best);
                if (best)
                        out[best - task] = true;
        }
        int64_t left = in;
        for (int32_t i = 0; i < in; i++)
                left -= out[i];
        assert_true(left > 0);
        assert_int_equal(queue.count, left);
        queue_finish(&queue);
        assert_int_equal(queue.count, 0);
        assert_null(queue_pop(&queue));
}

/* A waiting parent takes the latest of its own, among the most urgent, and no one else's. */
static void test_queue_child(void **state)
{
        (void)state;
        struct task parent = { 0 }, other = { 0 };
        struct task a = { .parent = &parent }, b = { .parent = &parent }, c = { .parent = &other };
        struct task urgent = { .parent = &other, .urgency = 1 };
        struct task_queue queue = { 0 };
        assert_null(queue_pop_child(&queue, &parent));
        queue_push(&queue, &a);
        queue_push(&queue, &b);
        assert_ptr_equal(queue_pop_child(&queue, &parent), &b);
        queue_push(&queue, &c);
        assert_null(queue_pop_child(&queue, &parent)); /* the latest is another's */
        assert_ptr_equal(queue_pop_child(&queue, &other), &c);
        queue_push(&queue, &urgent);
        assert_null(queue_pop_child(&queue, &parent)); /* something else is more urgent */
        assert_ptr_equal(queue_pop(&queue), &urgent);
        assert_ptr_equal(queue_pop_child(&queue, &parent), &a);
        assert_int_equal(queue.count, 0);
        queue_finish(&queue);
}

/* ---- Tests: tasks ---- */

/* Tasks are used again, with nothing left of what they were; large arguments are copies. */
static void test_task_memory(void **state)
{
        (void)state;
        struct process p;
        unsigned char large[500];
        struct lbrun_access many[10] = { { LBRUN_IN, large, 1 } };
        process_init(&p);
        struct task *task = task_take(&p);
        memset(large, 3, sizeof(large));
        task_set_argument(task, large, sizeof(large));
        task_set_accesses(task, 10, many);
        assert_ptr_not_equal(task->argument, task->small_argument);
        assert_ptr_not_equal(task->access, task->few_access);
        memset(large, 4, sizeof(large));
        assert_int_equal(((unsigned char *)task->argument)[499], 3);
        task->urgency = 5;
        task_put(&p, task);
        assert_ptr_equal(task_take(&p), task);
        assert_int_equal(task->urgency, 0);
        assert_null(task->access);
        task_set_argument(task, "x", 2);
        assert_ptr_equal(task->argument, task->small_argument);
        task_set_accesses(task, 3, many);
        assert_ptr_equal(task->access, task->few_access);
        task_put(&p, task);
        process_finish(&p);
}

/* write, two readers, write: the readers are ready together, the last one after both. */
static void test_task_order(void **state)
{
        (void)state;
        struct process p;
        int64_t data;
        process_init(&p);
        struct task *first = make(&p, 0, false, &data, LBRUN_OUT);
        struct task *reader[2] = { make(&p, 0, false, &data, LBRUN_IN),
                                   make(&p, 0, false, &data, LBRUN_IN) };
        struct task *last = make(&p, 9, false, &data, LBRUN_INOUT);
        p.root.waiter = &p.main_thread;
        task_create(&p, first, &p.root);
        task_create(&p, reader[0], &p.root);
        task_create(&p, reader[1], &p.root);
        task_create(&p, last, &p.root);
        assert_int_equal(p.ready.count, 1);
        assert_ptr_equal(finish_next(&p), first);
        assert_int_equal(p.ready.count, 2);
        assert_ptr_equal(finish_next(&p), reader[0]);
        assert_int_equal(p.ready.count, 1); /* not yet, however urgent */
        assert_ptr_equal(finish_next(&p), reader[1]);
        assert_int_equal(world.signalled, 0);
        assert_ptr_equal(finish_next(&p), last);
        assert_int_equal(world.signalled, 1); /* the taskwait is over */
        assert_int_equal(world.accounted, 4);
        assert_int_equal(p.root.unfinished, 0);
        assert_int_equal(p.here, 0);
        assert_int_equal(p.tasks[0], 0);
        assert_true(world.dispatched == 4 && world.told == 4);
        process_finish(&p);
}

static void finish_after(struct process *p, struct task *task, int32_t place, int64_t wall_ns)
{
        task->wall_ns = wall_ns;
        task->place = place;
        assert_ptr_equal(finish_next(p), task);
}

/* The longest chain of tasks that wait for each other, as on the fastest node, and of that what is
 * new. */
static void test_chain(void **state)
{
        (void)state;
        struct process p;
        int64_t data, other;
        process_init(&p);
        struct task *first = make(&p, 0, false, &data, LBRUN_OUT);
        struct task *beside = make(&p, 0, false, &other, LBRUN_OUT);
        struct task *last = make(&p, 0, false, &data, LBRUN_INOUT);
        task_create(&p, first, &p.root);
        task_create(&p, beside, &p.root);
        task_create(&p, last, &p.root);
        finish_after(&p, first, 0, 1000); /* half as long on the fastest */
        finish_after(&p, beside, 0, 1400);
        finish_after(&p, last, 1, 300);
        assert_float_equal(chain_pass_s(&p), 800e-9, 1e-12);
        assert_float_equal(chain_pass_s(&p), 0, 1e-12);
        chain_follow(&p.root, p.root.end_ns); /* as a taskwait does */
        struct task *after = make(&p, 0, false, &other, LBRUN_OUT);
        task_create(&p, after, &p.root);
        finish_after(&p, after, 1, 100);
        assert_float_equal(chain_pass_s(&p), 100e-9, 1e-12);
        process_finish(&p);
}

/* More accesses than there is room for on the stack, empty ones too, which order nothing. */
static void test_task_many_accesses(void **state)
{
        (void)state;
        enum { MANY = 100 };
        struct process p;
        struct lbrun_access access[MANY];
        int64_t data[MANY];
        process_init(&p);
        for (int i = 0; i < MANY; i++)
                access[i] = (struct lbrun_access){ LBRUN_OUT, &data[i], i == 99 ? 0 : 8 };
        struct task *many = task_take(&p);
        task_set_argument(many, NULL, 0);
        task_set_accesses(many, MANY, access);
        task_create(&p, many, &p.root);
        task_create(&p, make(&p, 0, false, &data[98], LBRUN_IN), &p.root);
        assert_int_equal(p.ready.count, 1);
        task_create(&p, make(&p, 0, false, &data[99], LBRUN_IN), &p.root);
        assert_int_equal(p.ready.count, 2);
        assert_ptr_equal(finish_next(&p), many);
        finish_next(&p);
        finish_next(&p);
        assert_int_equal(p.root.unfinished, 0);
        process_finish(&p);
}

/* A task is over when its children are; the time of all is its own. */
static void test_task_children(void **state)
{
        (void)state;
        struct process p;
        process_init(&p);
        struct task *outer = make(&p, 0, false, NULL, LBRUN_IN);
        struct task *inner = make(&p, 0, true, NULL, LBRUN_IN);
        task_create(&p, outer, &p.root);
        assert_ptr_equal(queue_pop(&p.ready), outer);
        task_create(&p, inner, outer);
        assert_int_equal(world.nsent, 0); /* children run where their parents run */
        task_body_done(&p, outer);
        assert_int_equal(p.root.unfinished, 1);
        inner->wall_ns = 30;
        outer->wall_ns = 12;
        assert_ptr_equal(queue_pop(&p.ready), inner);
        task_body_done(&p, inner);
        assert_int_equal(p.root.unfinished, 0);
        assert_int_equal(p.root.wall_ns, 0);
        assert_int_equal(world.accounted, 1);
        assert_int_equal(outer->wall_ns, 42); /* it was put back after, untouched but for next */
        process_finish(&p);
}

/* At a helper a task that was sent has no parent: home is told, once its children are over. */
static void test_task_at_helper(void **state)
{
        (void)state;
        struct process p;
        process_init(&p);
        p.home = false;
        p.place = 1;
        struct task *sent = make(&p, 0, true, NULL, LBRUN_IN);
        struct task *child = make(&p, 0, true, NULL, LBRUN_IN);
        p.here++;
        task_runnable(&p, sent);
        assert_ptr_equal(queue_pop(&p.ready), sent);
        task_create(&p, child, sent);
        assert_int_equal(child->place, 1);
        task_body_done(&p, sent);
        assert_null(world.finished);
        finish_next(&p);
        assert_ptr_equal(world.finished, sent);
        assert_int_equal(p.here, 0);
        process_finish(&p);
}

/* ---- Tests: placement ---- */

static void test_place(void **state)
{
        (void)state;
        struct process p;
        int64_t data;
        process_init(&p);
        world.place = 2;
        struct task *there = make(&p, 0, true, &data, LBRUN_IN);
        task_create(&p, there, &p.root);
        assert_true(world.nsent == 1 && world.sent_to[0] == 2 && p.tasks[2] == 1 && p.here == 0);
        task_create(&p, make(&p, 0, false, &data, LBRUN_IN), &p.root); /* not to be offloaded */
        assert_true(world.nsent == 1 && p.tasks[0] == 1 && p.ready.count == 1);
        world.place = 0;
        world.missing = 1; /* its data is on the way */
        task_create(&p, make(&p, 0, true, &data, LBRUN_IN), &p.root);
        assert_true(p.ready.count == 1 && p.here == 2);
        world.data_at = 1;
        p.check = (struct check *)&p; /* one at a time, in turn */
        task_create(&p, make(&p, 0, true, &data, LBRUN_IN), &p.root);
        assert_true(world.nsent == 2 && world.sent_to[1] == 2);
        process_finish(&p);
}

/* What tasks cost is said to whoever places them, in mean ones, as soon as any task has said it. */
static void test_place_costs(void **state)
{
        (void)state;
        struct process p;
        int64_t data;
        process_init(&p);
        world.place = PLACE_HOLD;
        task_create(&p, make(&p, 0, true, &data, LBRUN_IN), &p.root);
        assert_null(world.costs);
        for (int i = 1; i <= 3; i += 2) { /* over 10, then over the mean of 10 and 30 */
                struct task *task = make(&p, 0, true, &data, LBRUN_IN);
                task->cost = 10 * i;
                task_create(&p, task, &p.root);
        }
        assert_non_null(world.costs);
        assert_float_equal(world.costs->held, 1 + 1 + 1.5, 1e-9);
        world.refill = 2;
        place_refill(&p, 2, PLACE_FINISHED);
        assert_float_equal(world.costs->next, 1, 1e-9); /* the first: urgencies are equal here */
        assert_float_equal(world.costs->held, 1.5, 1e-9);
        assert_float_equal(world.costs->assigned[2], 2, 1e-9);
        place_left(&p, world.sent[0]);
        assert_float_equal(world.costs->assigned[2], 1, 1e-9);
        assert_float_equal(world.costs->finished, 1, 1e-9);
        p.tasks[2]++; /* as it was, for process_finish() */
        world.refill = 1;
        place_refill(&p, 1, PLACE_FINISHED);
        assert_float_equal(world.costs->next, 1.5, 1e-9);
        assert_float_equal(world.costs->assigned[1], 1.5, 1e-9);
        assert_float_equal(world.costs->held, 0, 0);
        process_finish(&p);
}

/* Held tasks go where there is room: the most urgent first, then those whose data is there. */
static void test_place_held(void **state)
{
        (void)state;
        struct process p;
        int64_t data;
        process_init(&p);
        place_refill(&p, 1, PLACE_FINISHED); /* none are held: nobody is asked */
        assert_int_equal(world.nrefilled, 0);
        world.place = PLACE_HOLD;
        struct task *held[4];
        static const struct {
                int32_t priority, data_at;
        } cases[4] = { { 0, 0 }, { 0, 2 }, { 3, 0 }, { 0, 1 } };
        for (int i = 0; i < 4; i++) {
                world.data_at = cases[i].data_at;
                held[i] = make(&p, cases[i].priority, true, &data, LBRUN_IN);
                task_create(&p, held[i], &p.root);
        }
        assert_true(p.nheld == 4 && world.nsent == 0 && p.ready.count == 0);
        world.refill = 2;
        place_refill(&p, 2, PLACE_FINISHED);
        assert_true(world.nsent == 2 && p.nheld == 2 && p.tasks[2] == 2);
        assert_ptr_equal(world.sent[0], held[2]); /* urgent, wherever its data is */
        assert_ptr_equal(world.sent[1], held[1]); /* its data is there */
        world.refill = 1;
        assert_true(place_help_oneself(&p)); /* an idle core here: this place, then the others */
        assert_ptr_equal(queue_first(&p.ready), held[0]);
        assert_true(world.nsent == 3 && world.sent[2] == held[3] && p.nheld == 0);
        finish_next(&p);
        assert_false(place_help_oneself(&p));
        process_finish(&p);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_queue_order),   cmocka_unit_test(test_queue_child),
                cmocka_unit_test(test_task_memory),   cmocka_unit_test(test_task_order),
                cmocka_unit_test(test_chain),         cmocka_unit_test(test_task_many_accesses),
                cmocka_unit_test(test_task_children), cmocka_unit_test(test_task_at_helper),
                cmocka_unit_test(test_place),         cmocka_unit_test(test_place_held),
                cmocka_unit_test(test_place_costs),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
