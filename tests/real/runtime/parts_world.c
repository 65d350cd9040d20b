/* SPDX-License-Identifier: BSD-3-Clause */
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

/* ---- What is under them ---- */

struct parts_world world;

int64_t now_ns(void)
{
        return world.now_ns;
}

struct thread *thread_current(void)
{
        return world.thread;
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

/* Nobody asks. */
bool control_asked(const struct control *control)
{
        (void)control;
        return false;
}

bool control_gives_waiting(const struct control *c, int64_t given)
{
        (void)c;
        (void)given;
        return false;
}

int64_t control_give_waiting(struct control *c, int64_t now_ns, const int32_t *tasks,
                             int64_t waiting, int32_t place, int64_t given)
{
        (void)c, (void)now_ns, (void)tasks, (void)waiting, (void)place, (void)given;
        return 0;
}

void control_answer(struct control *control, int32_t place, int64_t given)
{
        (void)control;
        (void)place;
        (void)given;
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

void control_costs(struct control *control, const struct place_costs *costs)
{
        (void)control;
        world.costs = costs;
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

struct board_worker self;
struct job job;
static int32_t apprank_first[] = { 0, PLACES }, worker_node[PLACES] = { 0, 1, 2 };
static double speed[PLACES] = { 1, 2, 1 };
static struct task *spare; /* tasks are never given back */

void process_init(struct process *p)
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
        job.nnode = PLACES;
        job.speed = speed;
        job.shape.apprank_first = apprank_first;
        job.shape.worker_node = worker_node;
        p->job = &job;
        chain_start(p);
        p->held = calloc(PLACES, sizeof(*p->held));
        p->tasks = calloc(PLACES, sizeof(*p->tasks));
        p->assigned_cost = calloc(PLACES, sizeof(*p->assigned_cost));
        p->place_costs.assigned = p->assigned_cost;
        assert_true(p->held && p->tasks);
}

void process_finish(struct process *p)
{
        spare = p->spare;
        access_domain_destroy(p->root.domain);
        place_stop(p);
        free(p->tasks);
        free(p->assigned_cost);
        queue_finish(&p->ready);
        pthread_mutex_destroy(&p->lock);
}

struct task *make(struct process *p, int32_t priority, bool offloadable, void *data,
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

struct task *finish_next(struct process *p)
{
        struct task *task = queue_pop(&p->ready);
        assert_non_null(task);
        task_body_done(p, task);
        return task;
}
