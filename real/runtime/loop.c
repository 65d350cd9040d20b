/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops as tasks. The grain is what makes several tasks for each core that may come to execute
 * them, for balance, but none so short that its way there and back counts: how long an iteration
 * takes is measured, function by function, wherever tasks run.
 */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

enum {
        TASKS_PER_CORE = 6, /* enough that the last ones are a small part */
        REDUCING_TASKS = 64,
        SHORTEST_NS = 100000, /* a hundred times what a task costs at home, ten times elsewhere */
};

/* ---- What an iteration takes ---- */

static struct loop_known *known(struct process *p, lbrun_loop function)
{
        uintptr_t key = (uintptr_t)function;
        struct loop_known *entry = &p->loop[(key >> 4) % LOOPS_KNOWN];
        if (entry->function != function)
                *entry = (struct loop_known){ .function = function };
        return entry;
}

void loop_finished(struct process *p, const struct task *task)
{
        struct loop_known *loop = known(p, task->loop);
        double ns = (double)task->wall_ns / (double)(task->loop_end - task->loop_begin);
        loop->ns = loop->ns > 0 ? 0.75 * loop->ns + 0.25 * ns : ns;
}

static int64_t at_least_one(double grain)
{
        return grain < 1 ? 1 : grain > 1e15 ? INT64_C(1000000000000000) : (int64_t)grain;
}

static int64_t choose_grain(struct process *p, lbrun_loop function, int64_t count, bool here)
{
        double cores = (double)p->ncore * (here ? 1 : p->nplace);
        double balanced = (double)count / (cores * TASKS_PER_CORE), ns = known(p, function)->ns;
        double shortest = ns > 0 ? SHORTEST_NS / ns : 1;
        return at_least_one(balanced > shortest ? balanced : shortest);
}

/* ---- Chunks ---- */

struct loop {
        struct submission submission;
        const struct lbrun_slice *slice;
        struct lbrun_access *access; /* [submission.naccess] of a chunk */
        int64_t begin, end, grain;
};

static bool reduces(const struct loop *loop)
{
        for (int i = 0; i < loop->submission.naccess; i++)
                if (reduce_is(loop->slice[i].mode))
                        return true;
        return false;
}

/* A chunk's access is one range. What lies between the bytes that it writes is of others, and comes
 * with it, so that it stays what it is. */
static enum lbrun_mode mode_of(const struct lbrun_slice *slice, size_t more)
{
        bool writes_all = more == 0 || slice->bytes >= slice->stride;
        bool writes = ((int)slice->mode & ~LBRUN_WEAK) == LBRUN_OUT;
        return writes && !writes_all ? (enum lbrun_mode)(slice->mode | LBRUN_IN) : slice->mode;
}

static void set_accesses(const struct loop *loop, int64_t begin, int64_t end)
{
        for (int i = 0; i < loop->submission.naccess; i++) {
                const struct lbrun_slice *slice = &loop->slice[i];
                size_t more = (size_t)(end - begin - 1) * slice->stride;
                loop->access[i] =
                    (struct lbrun_access){ mode_of(slice, more),
                                           (const char *)slice->address +
                                               (ptrdiff_t)begin * (ptrdiff_t)slice->stride,
                                           more + slice->bytes };
        }
}

/* Returns where it ends. */
static int64_t create_chunk(struct process *p, struct thread *t, const struct loop *loop,
                            int64_t begin)
{
        int64_t end = loop->end - begin > loop->grain ? begin + loop->grain : loop->end;
        set_accesses(loop, begin, end);
        struct submission chunk = loop->submission;
        chunk.begin = begin;
        chunk.end = end;
        submit_create(p, t, &chunk);
        return end;
}

static int64_t grain_of(struct process *p, const struct loop *loop)
{
        int64_t count = loop->end - loop->begin;
        if (reduces(loop))
                return (count + REDUCING_TASKS - 1) / REDUCING_TASKS;
        return choose_grain(p, loop->submission.loop, count,
                            loop->submission.options.flags & LBRUN_HERE);
}

static void check_range(const char *call, const struct lbrun_range *range)
{
        int64_t count;
        if (!range)
                fail(call, "no range");
        if (range->grain < 0)
                fail(call, "found a grain of %lld, allowed are 0 and more",
                     (long long)range->grain);
        if (range->begin < range->end && __builtin_sub_overflow(range->end, range->begin, &count))
                fail(call, "found iterations %lld to %lld, allowed are INT64_MAX of them",
                     (long long)range->begin, (long long)range->end);
}

/* Of a loop of at least one iteration. */
static void check_slice(const struct loop *loop, int i)
{
        const char *call = loop->submission.call;
        const struct lbrun_slice *slice = &loop->slice[i];
        size_t bytes;
        if (__builtin_mul_overflow((size_t)(loop->end - loop->begin - 1), slice->stride, &bytes) ||
            __builtin_add_overflow(bytes, slice->bytes, &bytes))
                fail(call, "slice %d: a stride of %zu bytes in %lld iterations leaves the memory",
                     i, slice->stride, (long long)(loop->end - loop->begin));
        if (reduce_is(slice->mode) && slice->bytes < slice->stride)
                fail(call,
                     "slice %d reduces %zu of every %zu bytes, allowed are all of them, or a "
                     "stride of 0",
                     i, slice->bytes, slice->stride);
}

void lbrun_taskloop(lbrun_loop function, const struct lbrun_range *range, const void *argument,
                    size_t argument_bytes, int nslice, const struct lbrun_slice *slice,
                    const struct lbrun_options *options)
{
        static const char call[] = "lbrun_taskloop";
        struct process *p = api_started(call);
        struct thread *t = api_thread(call);
        check_range(call, range);
        struct loop loop = { .submission = { .call = call,
                                             .argument = argument,
                                             .argument_bytes = argument_bytes,
                                             .naccess = nslice,
                                             .loop = function },
                             .slice = slice,
                             .begin = range->begin,
                             .end = range->end,
                             .grain = range->grain };
        if (options)
                loop.submission.options = *options;
        memcpy(&loop.submission.function, &function, sizeof(function));
        submit_check(&loop.submission, slice);
        for (int i = 0; loop.begin < loop.end && i < nslice; i++)
                check_slice(&loop, i);
        loop.access = calloc((size_t)nslice + 1, sizeof(*loop.access));
        if (!loop.access)
                fail(call, "out of memory for accesses");
        loop.submission.access = loop.access;
        lock(p);
        if (loop.grain == 0 && loop.begin < loop.end)
                loop.grain = grain_of(p, &loop);
        for (int64_t at = loop.begin; at < loop.end;)
                at = create_chunk(p, t, &loop, at);
        unlock(p);
        free(loop.access);
}
