/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that touch what they do not say: accesses CASE. The tasks of "right" touch what they say,
 * in every way that there is, and give what is expected.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "real/lbrun.h"

enum { TASKS = 40, BYTES = 3 * 4096 + 100 };

struct argument {
        char *block, *other;
        int number;
};

void sums_up(void *argument);
void writes_in(void *argument);
void forgets_read(void *argument);
void forgets_write(void *argument);
void writes_beside(void *argument);
void nests(void *argument);
void waits_weakly(void *argument);
void forgets_wait(void *argument);
void adds_ends(void *argument);
void reduces_weakly(void *argument);
void uses_private(void *argument);
void overflows(void *argument);

static void pause_a_little(void)
{
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

/* Reads all of `other`, adds to the block. */
void sums_up(void *argument)
{
        struct argument *a = argument;
        for (int i = 0; i < BYTES; i++)
                a->block[i] = (char)(a->block[i] + a->other[i] + a->number);
        pause_a_little();
}

void writes_in(void *argument)
{
        struct argument *a = argument;
        a->other[5000] = 1;
}

void forgets_read(void *argument)
{
        struct argument *a = argument;
        a->block[0] = a->other[5000];
}

void forgets_write(void *argument)
{
        struct argument *a = argument;
        a->other[5000] = 1;
}

/* On a page that the block ends on. */
void writes_beside(void *argument)
{
        struct argument *a = argument;
        a->block[BYTES + 8] = 1;
}

void nests(void *argument)
{
        struct argument *a = argument;
        struct lbrun_access access[] = { { LBRUN_INOUT, a->block, BYTES },
                                         { LBRUN_IN, a->other, BYTES } };
        a->block[0]++;
        lbrun_task(sums_up, a, sizeof(*a), 2, access, NULL);
        lbrun_taskwait();
        a->block[BYTES - 1]++;
}

/* What is weak with it, between the wait for it and the next task. */
void waits_weakly(void *argument)
{
        struct argument *a = argument;
        struct lbrun_access access[] = { { LBRUN_INOUT, a->block, BYTES },
                                         { LBRUN_IN, a->other, BYTES } };
        lbrun_task(sums_up, a, sizeof(*a), 2, access, NULL);
        lbrun_taskwait_on(1, access);
        lbrun_taskwait_on(1, access + 1);
        a->block[0] = (char)(a->block[0] + a->other[5000] - 2);
        a->block[BYTES - 1]++;
        struct argument none = { a->block, a->block, 0 };
        lbrun_task(forgets_write, &none, sizeof(none), 1, access, NULL);
        lbrun_taskwait_on(1, access);
        a->block[5000] = a->block[4999];
}

void forgets_wait(void *argument)
{
        struct argument *a = argument;
        struct lbrun_access access = { LBRUN_INOUT, a->block, BYTES };
        lbrun_taskwait_on(1, &access);
        lbrun_task(forgets_write, &(struct argument){ a->block, a->block, 0 },
                   sizeof(struct argument), 1, &access, NULL);
        lbrun_taskwait();
        a->block[5000]++;
}

void adds_ends(void *argument)
{
        struct argument *a = argument;
        char *own = lbrun_private(a->block);
        own[0]++;
        own[BYTES - 1]++;
}

/* The values are added where the data is to be brought to, after a task has ended there. */
void reduces_weakly(void *argument)
{
        struct argument *a = argument;
        struct lbrun_access access[] = { { LBRUN_INOUT, a->block, BYTES },
                                         { LBRUN_IN, a->other, BYTES } };
        lbrun_task(sums_up, a, sizeof(*a), 2, access, NULL);
        access[0].mode = LBRUN_SUM_INT32;
        lbrun_task(adds_ends, a, sizeof(*a), 1, access, NULL);
}

/* Memory of the home alone. */
void uses_private(void *argument)
{
        struct argument *a = argument;
        pause_a_little();
        a->other[0] = 1;
}

void overflows(void *argument)
{
        volatile char deep[4096];
        for (size_t i = 0; i < sizeof(deep); i += 64)
                deep[i] = 1;
        if (deep[0])
                overflows(argument);
        deep[0]++; /* so that this is not the last that it does */
}

static const struct {
        const char *name;
        lbrun_function function;
        int naccess;
        bool is_weak;
} cases[] = {
        { "right", sums_up, 2, false },
        { "nested", nests, 2, false },
        { "weak", waits_weakly, 2, true },
        { "weak-reduces", reduces_weakly, 2, true },
        { "writes-in", writes_in, 2, false },
        { "forgets-read", forgets_read, 1, false },
        { "forgets-write", forgets_write, 1, false },
        { "forgets-wait", forgets_wait, 1, true },
        { "writes-beside", writes_beside, 1, false },
        { "private", uses_private, 0, false },
        { "overflows", overflows, 0, false },
};

static int expected(int task, bool nested, int i)
{
        int value = 3 + task;
        if (nested && (i == 0 || i == BYTES - 1))
                value++;
        return (char)value;
}

int main(int argc, char **argv)
{
        size_t which = 0;
        while (argc > 1 && strcmp(cases[which].name, argv[1]) != 0)
                which++;
        lbrun_start(&argc, &argv);
        char *all = lbrun_alloc((size_t)(TASKS + 1) * (BYTES + 100)), *other = all;
        if (strcmp(cases[which].name, "private") == 0)
                other = mmap((void *)((uintptr_t)all / 2), 4096, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(all, 3, BYTES);
        for (int t = 0; t < TASKS; t++) {
                char *block = all + (size_t)(t + 1) * (BYTES + 100);
                struct argument a = { block, other, t };
                struct lbrun_access access[] = {
                        { cases[which].is_weak ? LBRUN_WEAK_INOUT : LBRUN_INOUT, block, BYTES },
                        { cases[which].is_weak ? LBRUN_WEAK_IN : LBRUN_IN, other, BYTES }
                };
                lbrun_task(cases[which].function, &a, sizeof(a), cases[which].naccess, access,
                           NULL);
        }
        lbrun_taskwait();
        for (int t = 0; t < TASKS && which < 4; t++)
                for (int i = 0; i < BYTES; i++)
                        if (all[(size_t)(t + 1) * (BYTES + 100) + (size_t)i] !=
                            expected(t, which > 0, i)) {
                                printf("task %d, byte %d is wrong\n", t, i);
                                exit(9);
                        }
        lbrun_iteration();
        lbrun_stop();
        return 0;
}
