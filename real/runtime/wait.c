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

/* Execute children; returns when there are none to execute, or the core must go. */
static void help(struct process *p, struct thread *t)
{
        struct task *waiting = t->task;
        while (waiting->unfinished > 0 && t->core >= 0) {
                struct task *task = next_child(p, t);
                if (task)
                        run_task(p, t, task);
                else if (!run_spin(p, t, &waiting->unfinished))
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

void wait_children(struct process *p, struct thread *t)
{
        struct task *waiting = t->task;
        light_count(p, t);
        if (waiting->unfinished == 0)
                return;
        if (waiting == &p->root) {
                account_core_wait(p, 0);
                migrate_look(p, true);
        }
        bool computes = run_pause(p, t);
        help(p, t);
        waiting->waiter = t;
        if (waiting->unfinished > 0)
                block(p, t, &waiting->unfinished);
        waiting->waiter = NULL;
        if (t->core < 0)
                thread_regain(p, t);
        run_resume(p, t, computes);
}

void wait_count(struct process *p, struct thread *t, const int64_t *count)
{
        if (*count == 0)
                return;
        bool computes = run_pause(p, t);
        block(p, t, count);
        thread_regain(p, t);
        run_resume(p, t, computes);
}
