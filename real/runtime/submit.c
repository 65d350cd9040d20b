/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks are created: what the program says of them is checked here. */
#include <inttypes.h>
#include <math.h>

#include "real/runtime/start.h"

static bool is_mode(enum lbrun_mode mode)
{
        int strong = (int)mode & ~LBRUN_WEAK;
        return (strong >= LBRUN_IN && strong <= LBRUN_INOUT) || mode == LBRUN_COMMUTATIVE ||
               reduce_is(mode);
}

/* A gate opens before its task is complete, so it must not wait for the task. */
static void check_weak(const struct submission *s, int i)
{
        const struct lbrun_access *a = &s->access[i];
        uintptr_t begin = (uintptr_t)a->address;
        for (int j = 0; weak_is(a) && j < s->naccess; j++) {
                const struct lbrun_access *b = &s->access[j];
                uintptr_t other = (uintptr_t)b->address;
                bool shares = b->bytes > 0 && begin < other + b->bytes && other < begin + a->bytes;
                if (j != i && shares)
                        fail(s->call,
                             "access %d, which is weak, overlaps access %d: allowed is one of them",
                             i, j);
        }
}

/* What is weak, or reduces, is another task's, too. */
static void check_home(const struct submission *s, int i)
{
        if (s->options.home && s->options.home[i] &&
            (weak_is(&s->access[i]) || reduce_is(s->access[i].mode)))
                fail(s->call,
                     "access %d, whose data lies elsewhere at home, is weak or reduces: allowed "
                     "are LBRUN_IN, LBRUN_OUT, LBRUN_INOUT and LBRUN_COMMUTATIVE",
                     i);
}

static void check_access(const struct process *p, const struct submission *s, int i)
{
        const struct lbrun_access *access = &s->access[i];
        uintptr_t begin = (uintptr_t)access->address;
        if (!is_mode(access->mode))
                fail(s->call,
                     "access %d: found mode %d, allowed are LBRUN_IN, LBRUN_OUT, "
                     "LBRUN_INOUT, also weak, LBRUN_COMMUTATIVE and reductions",
                     i, (int)access->mode);
        reduce_check(s, i);
        check_weak(s, i);
        check_home(s, i);
        if (access->bytes > (begin ? UINTPTR_MAX - begin : 0))
                fail(s->call, "access %d: %zu bytes from %p on are no memory", i, access->bytes,
                     access->address);
        bool inside =
            begin < p->memory_begin + p->memory_bytes && begin + access->bytes > p->memory_begin;
        if (p->home && access->bytes > 0 && inside && !memory_has(p->memory, begin, access->bytes))
                fail(s->call,
                     "access %d: %zu bytes from %p on lie in no block that "
                     "lbrun_alloc() returned",
                     i, access->bytes, access->address);
}

/* Up to where a parent's accesses that allow the mode reach from `begin` on; `begin`: nowhere. Not
 * those of its reductions: others add to the range meanwhile. */
static uintptr_t reach(const struct task *parent, enum lbrun_mode mode, uintptr_t begin)
{
        uintptr_t end = begin;
        for (int32_t i = 0; i < parent->naccess; i++)
                if (!reduce_stands(&parent->access[i], begin))
                        end = task_reach(&parent->access[i], mode, begin, end);
        uintptr_t weak = weak_reach(parent, mode, begin);
        return weak > end ? weak : end;
}

_Noreturn static void refuse(const struct task *parent, const struct submission *s, int i,
                             uintptr_t at)
{
        const struct lbrun_access *access = &s->access[i];
        for (int32_t k = 0; k < parent->naccess; k++)
                if (reduce_stands(&parent->access[k], at))
                        fail(s->call,
                             "access %d: %zu bytes from %p on are what the task that creates this "
                             "one reduces: allowed is its own value, lbrun_private()",
                             i, access->bytes, access->address);
        fail(s->call,
             "access %d: %zu bytes from %p on are not within the accesses of the task that creates "
             "this one, or only read there",
             i, access->bytes, access->address);
}

/* A child may touch, of the cluster memory, what its parent may: only that is here. To read what
 * the parent is to write, is fine: it has written it. */
static void check_within(const struct process *p, const struct task *parent,
                         const struct submission *s, int i)
{
        const struct lbrun_access *access = &s->access[i];
        uintptr_t at = (uintptr_t)access->address, end = at + access->bytes;
        if (parent == &p->root || access->bytes == 0 || !memory_spans(p->memory, at, 1))
                return;
        enum lbrun_mode needs = (enum lbrun_mode)(access->mode & LBRUN_OUT);
        if (reduce_is(access->mode))
                needs = LBRUN_OUT;
        while (at < end) {
                uintptr_t next = reach(parent, needs, at);
                if (next == at)
                        refuse(parent, s, i, at);
                at = next;
        }
}

/* May it run elsewhere? Not where it asks to stay, or touches memory that is not everywhere. */
static bool is_offloadable(const struct process *p, const struct task *task, uint32_t flags)
{
        bool offloadable = !(flags & LBRUN_HERE);
        for (int32_t i = 0; i < task->naccess; i++)
                offloadable &= !access_touches(&task->access[i]) ||
                               memory_spans(p->memory, (uintptr_t)task->access[i].address,
                                            task->access[i].bytes);
        return offloadable;
}

static void check_options(const struct submission *s)
{
        const struct lbrun_options *options = &s->options;
        if (!(options->cost >= 0) || isinf(options->cost))
                fail(s->call, "found a cost of %g, allowed are 0 and more", options->cost);
        if (options->flags & ~(uint32_t)LBRUN_HERE)
                fail(s->call, "found flags 0x%" PRIx32 ", allowed are 0 and LBRUN_HERE, 0x%x",
                     options->flags, (unsigned)LBRUN_HERE);
        if (s->loop && options->home)
                fail(s->call, "found data that lies elsewhere at home (home), allowed are tasks, "
                              "no loops");
        if (options->priority != 0 || options->cost > 0)
                atomic_store_explicit(&lbrun_process.prioritises, true, memory_order_relaxed);
}

void submit_check(const struct submission *s, const void *accesses)
{
        if (!s->function)
                fail(s->call, "no function");
        if (s->argument_bytes > LBRUN_ARGUMENT_MAX)
                fail(s->call, "found an argument of %zu bytes, allowed are %d", s->argument_bytes,
                     LBRUN_ARGUMENT_MAX);
        if (s->argument_bytes > 0 && !s->argument)
                fail(s->call, "found an argument of %zu bytes at NULL", s->argument_bytes);
        if (s->naccess < 0 || s->naccess > LBRUN_ACCESS_MAX)
                fail(s->call, "found %d accesses, allowed are 0 to %d", s->naccess,
                     LBRUN_ACCESS_MAX);
        if (s->naccess > 0 && !accesses)
                fail(s->call, "found %d accesses at NULL", s->naccess);
        check_options(s);
}

void submit_check_accesses(const struct process *p, const struct thread *t,
                           const struct submission *s)
{
        for (int i = 0; i < s->naccess; i++)
                check_access(p, s, i);
        for (int i = 0; i < s->naccess; i++)
                check_within(p, t->task, s, i);
}

void submit_fill(struct task *task, const struct submission *s)
{
        task_clear(task);
        task->function = s->function;
        task->urgency = costs_urgency(s->options.priority, s->options.cost);
        task->cost = s->options.cost;
        task->loop = s->loop;
        task->loop_begin = s->begin;
        task->loop_end = s->end;
        task_set_argument(task, s->argument, s->argument_bytes);
        task_set_accesses(task, s->naccess, s->access);
        if (s->options.home && s->naccess > 0)
                task_set_home(task, s->options.home);
}

struct task *submit_make(struct process *p, const struct thread *t, const struct submission *s)
{
        if (!s->ours)
                submit_check_accesses(p, t, s);
        struct task *task = s->filled;
        if (!task) {
                task = task_take_spare(p);
                submit_fill(task, s);
        }
        task->iteration = account_now(p);
        weak_take(p, task);
        task->offloadable = !task->gate && is_offloadable(p, task, s->options.flags);
        return task;
}

void submit_create(struct process *p, struct thread *t, const struct submission *s)
{
        if (p->check) {
                check_withdraw(p);
                check_pause(p);
        }
        if (reduce_count(s) > 0)
                reduce_create(p, t, s);
        else
                task_create(p, submit_make(p, t, s), t->task);
        if (!p->check) {
                run_throttle(p, t);
                return;
        }
        wait_children(p, t);
        check_resume(p);
}

/* What others wait for meanwhile is short: the thread fills its next task without the lock. Not of
 * accesses that make several tasks of it. */
static void fill_spare(struct thread *t, struct submission *s)
{
        bool one = t->spare != NULL;
        for (int i = 0; i < s->naccess; i++)
                one &= ((int)s->access[i].mode & ~(int)(LBRUN_COMMUTATIVE | LBRUN_WEAK)) == 0;
        if (!one)
                return;
        s->filled = t->spare;
        t->spare = NULL;
        submit_fill(s->filled, s);
}

void lbrun_task(lbrun_function function, const void *argument, size_t argument_bytes, int naccess,
                const struct lbrun_access *access, const struct lbrun_options *options)
{
        struct process *p = api_started("lbrun_task");
        struct thread *t = api_thread("lbrun_task");
        struct submission s = { .call = "lbrun_task",
                                .function = function,
                                .argument = argument,
                                .argument_bytes = argument_bytes,
                                .naccess = naccess,
                                .access = access };
        if (options)
                s.options = *options;
        submit_check(&s, access);
        run_step(p, t);
        bool stays = p->nplace == 1 || (s.options.flags & LBRUN_HERE) || t->task != &p->root;
        if (naccess == 0 && stays && !p->check &&
            light_run(p, t, function, argument, argument_bytes))
                return;
        fill_spare(t, &s);
        lock(p);
        submit_create(p, t, &s);
        if (!t->spare)
                t->spare = task_take_spare(p);
        unlock(p);
}
