/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions. A task that accumulates gets a value of its own, which begins as the neutral one; a
 * second task adds it to the range:
 *
 *      task (INOUT value 1) --> combine (IN value 1, INOUT range)
 *                                              |
 *      task (INOUT value 2) --> combine (IN value 2, INOUT range) --> who reads the range
 *
 * - The combining tasks write the range one after another, in the order of creation, so that the
 *   result does not depend on who was ready first, or where.
 * - Of the root's tasks values are cluster memory, so that they run anywhere; of others they are
 *   where they run.
 * - The task knows its value by an access of no mode right behind it: the range that it stands for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

enum { USERS_MAX = 256, SHIFT = 5, NUMBER = USERS_MAX - 1 };

#define REDUCTION(NAME, TYPE, NEUTRAL, RESULT)                                                     \
        static void neutral_##NAME(void *value, size_t bytes)                                      \
        {                                                                                          \
                TYPE *v = value;                                                                   \
                for (size_t i = 0; i < bytes / sizeof(*v); i++)                                    \
                        v[i] = NEUTRAL;                                                            \
        }                                                                                          \
        static void combine_##NAME(void *into, const void *from, size_t bytes)                     \
        {                                                                                          \
                TYPE *a = into;                                                                    \
                const TYPE *b = from;                                                              \
                for (size_t i = 0; i < bytes / sizeof(*a); i++)                                    \
                        a[i] = (RESULT);                                                           \
        }
#include "real/runtime/reduce_list.h"
#undef REDUCTION

struct kind {
        size_t element; /* bytes are a multiple of it */
        lbrun_neutral neutral;
        lbrun_combine combine;
};

#define REDUCTION(NAME, TYPE, NEUTRAL, RESULT)                                                     \
        [(LBRUN_##NAME >> SHIFT) & NUMBER] = { sizeof(TYPE), neutral_##NAME, combine_##NAME },
static const struct kind builtin[] = {
#include "real/runtime/reduce_list.h"
};
#undef REDUCTION

static struct kind user[USERS_MAX];
static int nuser;

/* ---- Kinds ---- */

static const struct kind *kind_of(enum lbrun_mode mode)
{
        enum { NBUILTIN = sizeof(builtin) / sizeof(builtin[0]) };
        int number = (int)mode >> SHIFT & NUMBER, family = (int)mode - (number << SHIFT);
        if (family == LBRUN_REDUCTION)
                return number < NBUILTIN ? &builtin[number] : NULL;
        return family == LBRUN_USER_REDUCTION && number < nuser ? &user[number] : NULL;
}

bool reduce_is(enum lbrun_mode mode)
{
        return kind_of(mode) != NULL;
}

/* Of a task that has come from elsewhere, too, whose kind is not known here. */
bool reduce_stands(const struct lbrun_access *access, uintptr_t at)
{
        int family = (int)access->mode & ~(NUMBER << SHIFT);
        uintptr_t first = (uintptr_t)access->address;
        return (family == LBRUN_REDUCTION || family == LBRUN_USER_REDUCTION) && at >= first &&
               at - first < access->bytes;
}

enum lbrun_mode lbrun_reduction(size_t element_bytes, lbrun_neutral neutral, lbrun_combine combine)
{
        struct process *p = api_started("lbrun_reduction");
        if (!neutral || !combine || element_bytes == 0)
                fail("lbrun_reduction", "no function, or elements of no bytes");
        lock(p);
        if (nuser == USERS_MAX)
                fail("lbrun_reduction", "allowed are %d kinds", USERS_MAX);
        user[nuser] = (struct kind){ element_bytes, neutral, combine };
        int number = nuser++;
        unlock(p);
        return (enum lbrun_mode)(LBRUN_USER_REDUCTION + (number << SHIFT));
}

/* ---- Values ---- */

static void *make_value(struct process *p, bool anywhere, size_t bytes)
{
        void *value = anywhere ? memory_alloc(p->memory, bytes) : malloc(bytes);
        if (!value)
                fail("lbrun_task", "out of memory for %zu bytes of a reduction", bytes);
        if (anywhere && p->check)
                check_block(p, value, bytes);
        return value;
}

static void free_value(struct process *p, void *value)
{
        if (!memory_spans(p->memory, (uintptr_t)value, 1)) {
                free(value);
                return;
        }
        size_t bytes = memory_free(p->memory, value);
        if (p->check)
                check_block(p, value, 0);
        if (where_forget(p->where, (uintptr_t)value, bytes) < 0)
                fail("lbrun_task", "out of memory");
}

struct combination {
        lbrun_combine combine;
        void *range, *value;
        size_t bytes;
};

static void combine(void *argument)
{
        const struct combination *c = argument;
        c->combine(c->range, c->value, c->bytes);
}

void reduce_combined(struct process *p, const struct task *task)
{
        const struct combination *c = task->argument;
        free_value(p, c->value);
}

/* The task that adds a value to its range; it comes right behind the task whose value it is. */
static void create_combination(struct process *p, const struct thread *t,
                               const struct lbrun_access *range, void *value)
{
        struct combination c = { kind_of(range->mode)->combine, (void *)(uintptr_t)range->address,
                                 value, range->bytes };
        struct lbrun_access access[] = { { LBRUN_INOUT, range->address, range->bytes },
                                         { LBRUN_IN, value, range->bytes } };
        struct submission s = {
                .call = "lbrun_task",
                .function = combine,
                .argument = &c,
                .argument_bytes = sizeof(c),
                .naccess = 2,
                .access = access,
                .options = { .priority = INT32_MAX, .flags = LBRUN_HERE },
                .ours = true,
        };
        struct task *task = submit_make(p, t, &s);
        task->is_ours = true;
        task_create(p, task, t->task);
}

/* ---- Tasks ---- */

int reduce_count(const struct submission *s)
{
        int count = 0;
        for (int i = 0; i < s->naccess; i++)
                count += reduce_is(s->access[i].mode);
        return count;
}

void reduce_check(const struct submission *s, int i)
{
        const struct lbrun_access *access = &s->access[i];
        const struct kind *kind = kind_of(access->mode);
        if (kind && access->bytes % kind->element != 0)
                fail(s->call, "access %d: found %zu bytes, allowed are multiples of %zu", i,
                     access->bytes, kind->element);
}

/* The task's own accesses: values, each before the range that it stands for. */
static int own_accesses(struct process *p, const struct submission *s, bool anywhere,
                        struct lbrun_access *own)
{
        int n = 0;
        for (int i = 0; i < s->naccess; i++) {
                struct lbrun_access access = s->access[i];
                const struct kind *kind = kind_of(access.mode);
                if (kind && access.bytes > 0) {
                        void *value = make_value(p, anywhere, access.bytes);
                        kind->neutral(value, access.bytes);
                        own[n++] = (struct lbrun_access){ LBRUN_INOUT, value, access.bytes };
                }
                own[n++] = access;
        }
        return n;
}

void reduce_create(struct process *p, struct thread *t, const struct submission *s)
{
        bool anywhere = p->home && t->task == &p->root;
        struct submission own = *s;
        size_t most = (size_t)(s->naccess + reduce_count(s));
        struct lbrun_access *access = malloc(most * sizeof(*access));
        if (!access)
                fail(s->call, "out of memory for accesses");
        submit_check_accesses(p, t, s);
        own.naccess = own_accesses(p, s, anywhere, access);
        own.access = access;
        own.ours = true;
        task_create(p, submit_make(p, t, &own), t->task);
        for (int i = 1; i < own.naccess; i++) {
                if (!reduce_is(access[i].mode) || access[i].bytes == 0)
                        continue;
                if (p->check)
                        wait_children(p, t); /* one at a time */
                create_combination(p, t, &access[i], (void *)(uintptr_t)access[i - 1].address);
        }
        free(access);
}

void *lbrun_private(const void *address)
{
        api_started("lbrun_private");
        const struct task *task = api_thread("lbrun_private")->task;
        uintptr_t at = (uintptr_t)address;
        for (int32_t i = 1; i < task->naccess; i++)
                if (reduce_stands(&task->access[i], at))
                        return (char *)(uintptr_t)task->access[i - 1].address +
                               (at - (uintptr_t)task->access[i].address);
        fail("lbrun_private", "%p is in no range that this task reduces", address);
}
