/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks, from creation to completion. */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

enum { SPARES = 256 }; /* taken from the system at once */

struct task *task_take_spare(struct process *p)
{
        if (!p->spare) {
                struct task *chunk = aligned_alloc(64, SPARES * sizeof(*chunk)); /* kept for good */
                if (!chunk)
                        fail("lbrun_task", "out of memory for tasks");
                for (int i = 0; i < SPARES; i++) {
                        chunk[i].next = p->spare;
                        p->spare = &chunk[i];
                }
        }
        struct task *task = p->spare;
        p->spare = task->next;
        return task;
}

void task_clear(struct task *task)
{
        memset(task, 0, offsetof(struct task, small_argument));
}

struct task *task_take(struct process *p)
{
        struct task *task = task_take_spare(p);
        task_clear(task);
        return task;
}

void task_put(struct process *p, struct task *task)
{
        if (task->argument != task->small_argument)
                free(task->argument);
        if (task->access != task->few_access)
                free(task->access);
        free(task->home);
        access_domain_destroy(task->domain);
        task->next = p->spare;
        p->spare = task;
}

void task_set_argument(struct task *task, const void *argument, size_t bytes)
{
        task->argument = task->small_argument;
        task->argument_bytes = bytes;
        if (bytes > sizeof(task->small_argument))
                task->argument = malloc(bytes);
        if (!task->argument)
                fail("lbrun_task", "out of memory for an argument");
        if (bytes > 0)
                memcpy(task->argument, argument, bytes);
}

void task_set_accesses(struct task *task, int32_t count, const struct lbrun_access *access)
{
        size_t bytes = (size_t)count * sizeof(*access);
        task->access = task->few_access;
        task->naccess = count;
        if (bytes > sizeof(task->few_access))
                task->access = malloc(bytes);
        if (!task->access)
                fail("lbrun_task", "out of memory for accesses");
        if (bytes > 0)
                memcpy(task->access, access, bytes);
}

void task_set_home(struct task *task, const void *const *home)
{
        size_t bytes = (size_t)task->naccess * sizeof(*home);
        task->home = malloc(bytes);
        if (!task->home)
                fail("lbrun_task", "out of memory for accesses");
        memcpy(task->home, home, bytes);
}

uintptr_t task_home(const struct task *task, int32_t i)
{
        bool is_apart = task->home && task->home[i];
        return (uintptr_t)(is_apart ? task->home[i] : task->access[i].address);
}

/* Nothing is to be executed: its creator goes on. */
static void wait_is_over(struct process *p, struct task *task)
{
        p->begun++;
        task->unfinished = 0;
        atomic_store_explicit(&p->news, true, memory_order_relaxed);
        if (task->waiter)
                thread_signal(p, task->waiter);
}

uintptr_t task_reach(const struct lbrun_access *access, enum lbrun_mode mode, uintptr_t begin,
                     uintptr_t end)
{
        uintptr_t first = (uintptr_t)access->address, last = first + access->bytes;
        return (access->mode & mode) == mode && first <= begin && last > end ? last : end;
}

void task_runnable(struct process *p, struct task *task)
{
        if (task->is_wait) {
                wait_is_over(p, task);
                return;
        }
        if (task->replica)
                replicate_runnable(p, task);
        else
                queue_push(&p->ready, task);
        threads_dispatch(p);
        threads_tell(p);
}

/* ---- Creation ---- */

static struct access_domain *domain_of(struct task *parent)
{
        if (!parent->domain)
                parent->domain = access_domain_create();
        if (!parent->domain)
                fail("lbrun_task", "out of memory for a task's children");
        return parent->domain;
}

void task_order(struct task *task, struct task *parent, const struct access *access,
                int32_t naccess, bool *blocked)
{
        task->order = access_add(domain_of(parent), naccess, access, task, blocked);
        if (!task->order)
                fail("lbrun_task", "out of memory for the order of tasks");
}

/* Who touches what is weak with its parent goes where it is best, if it touches nothing else: that
 * is here, with the parent. */
static void set_placed(const struct process *p, struct task *task, const struct task *parent)
{
        enum weak_part least = WEAK_ALL, most = WEAK_NONE;
        for (int32_t i = 0; parent->gate && i < task->naccess; i++) {
                if (!access_touches(&task->access[i]))
                        continue;
                enum weak_part part = weak_part(parent, &task->access[i]);
                least = part < least ? part : least;
                most = part > most ? part : most;
        }
        task->is_placed = p->home && (parent == &p->root || most > WEAK_NONE);
        task->offloadable &= parent == &p->root || least == WEAK_ALL;
}

void task_create(struct process *p, struct task *task, struct task *parent)
{
        enum { ON_STACK = 64 };
        struct access few[ON_STACK], *order = few;
        int32_t count = 0;
        bool blocked;
        if (task->naccess > ON_STACK)
                order = malloc((size_t)task->naccess * sizeof(*order));
        if (!order)
                fail("lbrun_task", "out of memory for accesses");
        for (int32_t i = 0; i < task->naccess; i++) {
                const struct lbrun_access *a = &task->access[i];
                if (access_touches(a))
                        order[count++] = (struct access){ (uintptr_t)a->address, a->bytes,
                                                          (enum access_mode)a->mode };
        }
        task->parent = parent;
        task->chain_ns = parent->chain_ns;
        parent->unfinished++;
        set_placed(p, task, parent);
        p->nested += task->is_placed && parent != &p->root;
        record_create(p, task, parent, order, count);
        weak_create(p, task, parent);
        task_order(task, parent, order, count, &blocked);
        if (order != few)
                free(order);
        if (!blocked)
                task_ready(p, task);
}

void task_ready(struct process *p, struct task *task)
{
        if (task->gate_of) {
                weak_open(p, task);
                return;
        }
        if (task->is_placed) {
                place_task(p, task);
                return;
        }
        task->place = p->place;
        p->here++;
        task_runnable(p, task);
}

/* ---- Completion ---- */

static void released(void *context, void *user)
{
        struct process *p = context;
        chain_follow(user, p->released_ns);
        task_ready(p, user);
}

void task_release(struct process *p, struct task *parent, struct access_task *order,
                  int64_t chain_ns)
{
        int64_t outer_ns = p->released_ns;
        p->released_ns = chain_ns;
        access_finish(parent->domain, order, released, p);
        p->released_ns = outer_ns;
}

static void complete(struct process *p, struct task *task)
{
        struct task *parent = task->parent;
        int64_t end_ns = chain_end_ns(p, task);
        chain_ended(parent, task, end_ns);
        record_complete(p, task);
        weak_complete(p, task, end_ns);
        task_release(p, parent, task->order, end_ns);
        p->nested -= task->is_placed && parent != &p->root;
        bool apart = task_is_apart(p, task);
        if (apart && !task->is_wait && !task->is_ours)
                account_task(p, task);
        parent->wall_ns += apart ? 0 : task->wall_ns;
        parent->cpu_ns += apart ? 0 : task->cpu_ns;
        if (task->loop)
                loop_finished(p, task);
        if (task->is_ours)
                reduce_combined(p, task);
        task_put(p, task);
        if (--parent->unfinished > 0)
                return;
        atomic_store_explicit(&p->news, true, memory_order_relaxed);
        if (parent->waiter)
                thread_signal(p, parent->waiter);
        else if (parent != &p->root && parent->body_done)
                task_body_done(p, parent);
}

void task_complete(struct process *p, struct task *task)
{
        complete(p, task);
        weak_complete_opened(p);
}

/* The body has returned, or the last child after it has completed. */
void task_body_done(struct process *p, struct task *task)
{
        task->body_done = true;
        if (task->unfinished > 0 || task->shut > 0)
                return;
        p->here--;
        p->begun--;
        if (!task->parent) {
                offload_finished(p, task);
                return;
        }
        bool placed = task->is_placed;
        int64_t executed_ns = task->offloadable ? task->wall_ns : 0; /* else no policy placed it */
        if (placed)
                place_left(p, task);
        task_complete(p, task);
        if (placed)
                place_finished(p, 0, executed_ns);
}
