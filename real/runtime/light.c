/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that are not worth being one: where very many short tasks are ready already, a further one
 * that has no accesses is executed at once by its creator, without the lock.
 *
 * - Nothing is lost by that: its core is its creator's, all others have enough to do, and what it
 *   would be put behind is as short, and as urgent.
 * - Every few are measured; what the others took is estimated from these.
 */
#include <string.h>

#include "real/runtime/process.h"

enum { DEPTH_MAX = 8, MEASURED = 16 };

static bool is_worthwhile(const struct process *p, const struct thread *t)
{
        return 2 * (int64_t)atomic_load_explicit(&p->self->ready, memory_order_relaxed) >
                   run_enough_tasks(p) &&
               atomic_load_explicit(&p->last_ns, memory_order_relaxed) < SHORT_NS && t->core >= 0 &&
               t->light_depth < DEPTH_MAX &&
               !atomic_load_explicit(&p->prioritises, memory_order_relaxed);
}

/* It has created tasks itself. */
static void finish_children(struct process *p, struct thread *t, struct task *outer)
{
        struct task *task = t->task;
        lock(p);
        wait_children(p, t);
        record_light_parent(p);
        outer->wall_ns += task->wall_ns;
        outer->cpu_ns += task->cpu_ns;
        if (outer == &p->root)
                account_light(p, 0, task->wall_ns);
        access_domain_destroy(task->domain);
        unlock(p);
}

static void execute(struct process *p, struct thread *t, struct task *task)
{
        struct task *outer = t->task;
        t->task = task;
        t->light_depth++;
        task->function(task->small_argument);
        if (task->domain)
                finish_children(p, t, outer);
        t->light_depth--;
        t->task = outer;
        t->light_count += outer == &p->root;
}

bool light_run(struct process *p, struct thread *t, lbrun_function function, const void *argument,
               size_t bytes)
{
        struct task task;
        if (!is_worthwhile(p, t) || bytes > sizeof(task.small_argument))
                return false;
        memset(&task, 0, offsetof(struct task, small_argument));
        task.function = function;
        if (bytes > 0)
                memcpy(task.small_argument, argument, bytes);
        if (t->light_number++ % MEASURED > 0) {
                execute(p, t, &task);
                return true;
        }
        int64_t start = now_ns();
        execute(p, t, &task);
        t->light_ns = now_ns() - start;
        if (t->light_ns >= SHORT_NS) /* it is not short after all, and the last */
                atomic_store_explicit(&p->last_ns, t->light_ns, memory_order_relaxed);
        return true;
}

void light_count(struct process *p, struct thread *t)
{
        int64_t count = t->light_count, ns = count * t->light_ns;
        if (count == 0 || t->light_depth > 0)
                return;
        t->light_count = 0;
        p->useful_ns += ns;
        p->cpu_ns += ns;
        account_light(p, count, ns);
        record_light(p, count, ns);
}
