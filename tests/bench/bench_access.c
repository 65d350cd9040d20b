/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order among tasks alone (real/data/access.h): tasks are added until as many as the window allows
 * are unfinished, and finish in the order in which they became ready; nothing is computed.
 *
 *   bench_access
 *
 * Prints a table of processor time per task, for adding and finishing together, the least of five
 * runs. It should grow with neither the number of tasks nor, by much, with the window.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "real/data/access.h"

enum { NRUN = 5, NACCESS = 3, BLOCK = 4096 };

struct work {
        int32_t naccess;
        struct access access[NACCESS];
};

/* Tasks of one pattern; task[ntask] comes from make(), which is told the size of the problem. */
struct pattern {
        const char *name;
        int32_t (*make)(struct work *task, int32_t size); /* how many tasks; task may be NULL */
        int32_t size, window;
};

struct bench {
        struct work *task;
        int32_t ntask;
        struct access_task **handle; /* [ntask] */
        int32_t *queue;              /* [ntask], tasks in the order in which they became ready */
        int32_t nready;
};

static double cpu_s(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- Patterns ---- */

static struct access blocks(enum access_mode mode, int32_t first, int32_t count)
{
        return (struct access){ ((uintptr_t)first + 1) * BLOCK, (size_t)count * BLOCK, mode };
}

static void put(struct work *task, int32_t i, struct work work)
{
        if (task)
                task[i] = work;
}

static int32_t make_none(struct work *task, int32_t size)
{
        for (int32_t i = 0; i < size; i++)
                put(task, i, (struct work){ 0 });
        return size;
}

static int32_t make_independent(struct work *task, int32_t size)
{
        for (int32_t i = 0; i < size; i++)
                put(task, i, (struct work){ 1, { blocks(ACCESS_INOUT, i, 1) } });
        return size;
}

/* As over the iterations of a program: the same thousand blocks again and again. */
static int32_t make_repeated(struct work *task, int32_t size)
{
        for (int32_t i = 0; i < size; i++)
                put(task, i, (struct work){ 1, { blocks(ACCESS_INOUT, i % 1000, 1) } });
        return size;
}

static int32_t make_chain(struct work *task, int32_t size)
{
        for (int32_t i = 0; i < size; i++)
                put(task, i, (struct work){ 1, { blocks(ACCESS_INOUT, 0, 1) } });
        return size;
}

/* Half of the tasks read everything, then half of them write a block each. */
static int32_t make_readers(struct work *task, int32_t size)
{
        int32_t half = size / 2;
        for (int32_t i = 0; i < half; i++)
                put(task, i, (struct work){ 1, { blocks(ACCESS_IN, 0, half) } });
        for (int32_t i = 0; i < half; i++)
                put(task, half + i, (struct work){ 1, { blocks(ACCESS_OUT, i, 1) } });
        return 2 * half;
}

/* Blocked Cholesky factorisation of size x size blocks. */
static int32_t make_cholesky(struct work *task, int32_t size)
{
        int32_t n = 0;
        for (int32_t k = 0; k < size; k++) {
                struct access pivot = blocks(ACCESS_IN, k * size + k, 1);
                put(task, n++, (struct work){ 1, { blocks(ACCESS_INOUT, k * size + k, 1) } });
                for (int32_t i = k + 1; i < size; i++)
                        put(task, n++,
                            (struct work){ 2, { pivot, blocks(ACCESS_INOUT, i * size + k, 1) } });
                for (int32_t i = k + 1; i < size; i++)
                        for (int32_t j = k + 1; j <= i; j++)
                                put(task, n++,
                                    (struct work){ 3,
                                                   { blocks(ACCESS_IN, i * size + k, 1),
                                                     blocks(ACCESS_IN, j * size + k, 1),
                                                     blocks(ACCESS_INOUT, i * size + j, 1) } });
        }
        return n;
}

static const struct pattern patterns[] = {
        { "no access", make_none, 1000000, 1000 },
        { "independent", make_independent, 1000000, 1 },
        { "independent", make_independent, 1000000, 1000 },
        { "independent", make_independent, 1000000, 100000 },
        { "same 1000 blocks", make_repeated, 1000000, 1000 },
        { "same 1000 blocks", make_repeated, 1000000, 100000 },
        { "chain", make_chain, 1000000, 1000 },
        { "chain", make_chain, 1000000, 100000 },
        { "all read, then write blocks", make_readers, 1000, 1000 },
        { "all read, then write blocks", make_readers, 100000, 100000 },
        { "cholesky", make_cholesky, 32, 1000 },
        { "cholesky", make_cholesky, 100, 1000 },
        { "cholesky", make_cholesky, 100, 1000000 },
};

/* ---- Runs ---- */

static void released(void *context, void *user)
{
        struct bench *b = context;
        b->queue[b->nready++] = (int32_t)((struct access_task **)user - b->handle);
}

static void add(struct bench *b, struct access_domain *domain, int32_t i)
{
        bool blocked;
        const struct work *work = &b->task[i];
        b->handle[i] = access_add(domain, work->naccess, work->access, &b->handle[i], &blocked);
        if (!b->handle[i])
                abort();
        if (!blocked)
                b->queue[b->nready++] = i;
}

static double run(struct bench *b, int32_t window)
{
        double start_s = cpu_s();
        struct access_domain *domain = access_domain_create();
        if (!domain)
                abort();
        b->nready = 0;
        for (int32_t added = 0, finished = 0; finished < b->ntask; finished++) {
                while (added < b->ntask && added - finished < window)
                        add(b, domain, added++);
                access_finish(domain, b->handle[b->queue[finished]], released, b);
        }
        access_domain_destroy(domain);
        return (cpu_s() - start_s) * 1e9 / b->ntask;
}

static void measure(const struct pattern *pattern)
{
        struct bench b = { .ntask = pattern->make(NULL, pattern->size) };
        size_t count = (size_t)b.ntask;
        b.task = calloc(count, sizeof(*b.task));
        b.handle = calloc(count, sizeof(*b.handle));
        b.queue = calloc(count, sizeof(*b.queue));
        if (!b.task || !b.handle || !b.queue)
                abort();
        pattern->make(b.task, pattern->size);
        double least_ns = run(&b, pattern->window);
        for (int i = 1; i < NRUN; i++) {
                double ns = run(&b, pattern->window);
                least_ns = ns < least_ns ? ns : least_ns;
        }
        printf("%-28s %8d %8d %10.1f\n", pattern->name, b.ntask, pattern->window, least_ns);
        free(b.task);
        free(b.handle);
        free(b.queue);
}

int main(void)
{
        printf("%-28s %8s %8s %10s\n", "pattern", "tasks", "window", "ns/task");
        for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
                measure(&patterns[i]);
        return 0;
}
