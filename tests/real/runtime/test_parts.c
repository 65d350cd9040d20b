/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of the runtime that call no MPI, in one process that is no rank: tasks in their queues
 * and their order, those executed at once, where they are placed, the trace. What is under them
 * (threads, messages, policies) is stood in for, and tells the test what it was asked.
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

#include "real/runtime/process.h"

/* ---- What is under them ---- */

enum { EVENTS = 64, PLACES = 3 };

static struct {
        int64_t now_ns, step_ns;
        int32_t place;   /* what control_place() says */
        int64_t refill;  /* what control_refill() says */
        int32_t data_at; /* where data is */
        int64_t missing; /* pieces that a task at home waits for */
        int32_t dispatched, told, sent_to[EVENTS], nsent, signalled, refilled[EVENTS], nrefilled;
        const struct task *sent[EVENTS];
        int32_t accounted;
        int64_t light_count, light_ns;
        const struct task *finished; /* told home */
} world;

int64_t now_ns(void)
{
        return world.now_ns;
}

void fail(const char *call, const char *format, ...)
{
        (void)format;
        print_error("%s failed\n", call);
        abort();
}

void fail_later(const char *call, const char *format, ...)
{
        (void)format;
        print_error("%s failed later\n", call);
        abort();
}

void unlock(struct process *p)
{
        pthread_mutex_unlock(&p->lock);
}

void threads_dispatch(struct process *p)
{
        (void)p;
        world.dispatched++;
}

void threads_tell(struct process *p)
{
        (void)p;
        world.told++;
}

void thread_signal(struct process *p, struct thread *t)
{
        (void)p;
        (void)t;
        world.signalled++;
}

void wait_children(struct process *p, struct thread *t)
{
        while (t->task->unfinished > 0) {
                struct task *child = queue_pop_child(&p->ready, t->task);
                assert_non_null(child);
                child->function(child->argument);
                task_body_done(p, child);
        }
}

void account_task(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
        world.accounted++;
}

void account_light(struct process *p, int64_t count, int64_t ns)
{
        (void)p;
        world.light_count += count;
        world.light_ns += ns;
}

int32_t account_now(const struct process *p)
{
        (void)p;
        return 7;
}

/* No task here reduces, or is a part of a loop. */
void reduce_combined(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
}

void loop_finished(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
}

void offload_send(struct process *p, struct task *task, uint64_t replica,
                  const struct copies *copies)
{
        (void)p;
        (void)replica;
        (void)copies;
        world.sent_to[world.nsent] = task->place;
        world.sent[world.nsent++] = task;
}

void offload_finished(struct process *p, struct task *task)
{
        world.finished = task;
        task_put(p, task);
}

struct copies copies_order(struct process *p, struct task *task, bool runs)
{
        (void)p;
        (void)task;
        (void)runs;
        return (struct copies){ 0 };
}

void copies_expect(struct process *p, struct task *task, const uint64_t *piece, int32_t npiece)
{
        (void)p;
        (void)piece;
        (void)npiece;
        task->missing = world.missing;
}

int32_t check_place(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
        return 2;
}

void where_locate(const struct where *where, uintptr_t begin, size_t bytes, int64_t *bytes_at)
{
        (void)where;
        (void)begin;
        bytes_at[world.data_at] += (int64_t)bytes;
}

int32_t control_place(struct control *control, int64_t now, const int32_t *tasks, int64_t held,
                      int32_t data_place)
{
        (void)control;
        (void)now;
        (void)tasks;
        (void)held;
        assert_int_equal(data_place, world.data_at);
        return world.place;
}

/* Nobody asks here (tests/real/control has it). */
int32_t control_ask(struct control *control)
{
        (void)control;
        return 0;
}

bool control_asked(const struct control *control)
{
        (void)control;
        return false;
}

void control_answer(struct control *control, int32_t place, int64_t given)
{
        (void)control;
        (void)place;
        (void)given;
}

void control_task_came(struct control *control)
{
        (void)control;
}

int64_t control_refill(struct control *control, int64_t now, const int32_t *tasks, int64_t held,
                       int32_t place, enum place_occasion occasion)
{
        (void)control;
        (void)now;
        (void)tasks;
        (void)occasion;
        assert_true(held > 0);
        world.refilled[world.nrefilled++] = place;
        return world.refill;
}

void migrate_look(struct process *p, bool at_once)
{
        (void)at_once;
        assert_null(p->migration);
}

void replicate_task(struct process *p, struct task *task, int32_t place)
{
        (void)task;
        (void)place;
        assert_non_null(p->migration);
}

void replicate_runnable(struct process *p, struct task *task)
{
        assert_non_null(p->migration);
        assert_non_null(task->replica);
}

/* ---- A process: an apprank at home with two helpers ---- */

static struct board_worker self;
static struct job job;
static struct task *spare; /* tasks are never given back */

static void process_init(struct process *p)
{
        memset(p, 0, sizeof(*p));
        memset(&world, 0, sizeof(world));
        memset(&self, 0, sizeof(self));
        pthread_mutex_init(&p->lock, NULL);
        p->spare = spare;
        p->home = true;
        p->nplace = PLACES;
        p->ncore = 4;
        p->self = &self;
        p->job = &job;
        p->held = calloc(PLACES, sizeof(*p->held));
        p->tasks = calloc(PLACES, sizeof(*p->tasks));
        assert_true(p->held && p->tasks);
}

static void process_finish(struct process *p)
{
        spare = p->spare;
        access_domain_destroy(p->root.domain);
        place_stop(p);
        free(p->tasks);
        queue_finish(&p->ready);
        pthread_mutex_destroy(&p->lock);
}

static struct task *make(struct process *p, int32_t priority, bool offloadable, void *data,
                         enum lbrun_mode mode)
{
        struct task *task = task_take(p);
        struct lbrun_access access = { mode, data, 8 };
        task_set_argument(task, NULL, 0);
        task_set_accesses(task, data ? 1 : 0, &access);
        task->urgency = priority;
        task->offloadable = offloadable;
        return task;
}

/* As if a thread had executed the one that is next. */
static struct task *finish_next(struct process *p)
{
        struct task *task = queue_pop(&p->ready);
        assert_non_null(task);
        task_body_done(p, task);
        return task;
}

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
                cmocka_unit_test(test_queue_order),        cmocka_unit_test(test_queue_child),
                cmocka_unit_test(test_task_memory),        cmocka_unit_test(test_task_order),
                cmocka_unit_test(test_task_many_accesses), cmocka_unit_test(test_task_children),
                cmocka_unit_test(test_task_at_helper),     cmocka_unit_test(test_place),
                cmocka_unit_test(test_place_held),         cmocka_unit_test(test_light_when),
                cmocka_unit_test(test_light_time),         cmocka_unit_test(test_light_long),
                cmocka_unit_test(test_timeline),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
