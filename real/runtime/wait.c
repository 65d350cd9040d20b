/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for children, or for data. A thread that waits has no core, except while it executes what
 * it waits for itself.
 */
#include "real/runtime/process.h"

/* While it has its core: the main program waits for whatever is ready, a task for its children. */
static struct task *next_child(struct process *p, const struct thread *t)
{
        return t->task == &p->root ? run_next(p) : queue_pop_child(&p->ready, t->task);
}

/* Execute children; returns when *count is 0, there are none to execute, or the core must go. */
static void help(struct process *p, struct thread *t, const int64_t *count)
{
        while (*count > 0 && t->core >= 0) {
                struct task *task = next_child(p, t);
                if (task)
                        run_task(p, t, task);
                else if (!run_spin(p, t, count))
                        return;
                if (!thread_keeps_core(p, t))
                        return;
        }
}

static void block(struct process *p, struct thread *t, const int64_t *count)
{
        if (t->core >= 0)
                thread_release(p, t);
        while (*count > 0)
                thread_sleep(p, t);
}

static void wait_until_none(struct process *p, struct thread *t, struct task *of,
                            const int64_t *count)
{
        light_count(p, t);
        if (*count == 0)
                return;
        p->main_waits = p->main_waits || t->task == &p->root;
        if (t->task == &p->root) {
                account_core_wait(p, 0);
                migrate_replicate(p);
                migrate_look(p, true);
        }
        bool computes = run_pause(p, t);
        help(p, t, count);
        of->waiter = t;
        if (*count > 0)
                block(p, t, count);
        of->waiter = NULL;
        p->main_waits = p->main_waits && t->task != &p->root;
        if (t->core < 0)
                thread_regain(p, t);
        run_resume(p, t, computes);
}

/* Until *count is 0, of which `of` tells its waiter. */
static void wait_for(struct process *p, struct thread *t, struct task *of, const int64_t *count)
{
        if (t->task == &p->root)
                record_main_stops(p);
        wait_until_none(p, t, of, count);
        if (t->task == &p->root)
                record_main_goes_on(p);
}

void wait_children(struct process *p, struct thread *t)
{
        wait_for(p, t, t->task, &t->task->unfinished);
        chain_follow(t->task, t->task->end_ns);
        record_wait(p, t->task);
}

void wait_task(struct process *p, struct thread *t, struct task *task)
{
        wait_for(p, t, task, &task->unfinished);
        migrate_waits(p);
        record_wait_for(p, t->task, task);
        task_body_done(p, task);
}

void wait_count(struct process *p, struct thread *t, const int64_t *count)
{
        if (*count == 0)
                return;
        bool computes = run_pause(p, t);
        record_main_stops(p);
        help(p, t, count);
        if (*count > 0)
                block(p, t, count);
        if (t->core < 0)
                thread_regain(p, t);
        record_main_goes_on(p);
        run_resume(p, t, computes);
}
