/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of programs whose OpenMP library has OMPT (OpenMP 5.0, chapter 4): clang's, Intel's. The
 * numbers below are the standard's, as its header need not be installed.
 */
#include <stddef.h>
#include <string.h>

#include "real/openmp/openmp.h"
#include "real/openmp/openmp_impl.h"

enum {
        IMPLICIT_TASK = 7,
        TASK_CREATE = 5,
        TASK_SCHEDULE = 6,
        PARALLEL_BEGIN = 3,
        PARALLEL_END = 4,
        WAITS = 16,
        WORK = 20
};
enum { SINGLE = 3, SINGLE_OTHER = 4 };
enum { BEGIN = 1, END = 2, EXPLICIT = 0x4, ALWAYS = 5 };

typedef void (*callback)(void);
typedef callback (*lookup)(const char *name);
typedef int (*set_callback)(int which, callback function);

struct tool {
        int (*initialize)(lookup look, int device, void *data);
        void (*finalize)(void *data);
        uint64_t data;
};
struct tool *ompt_start_tool(unsigned version, const char *runtime);

/* Of a region that a thread that is meant opened, and none within: threads that it has, and what
 * the runtime's setting was before it. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
        int depth;
        int32_t threads, before;
        const void *from;
} region;

/* The word that the tool has of each region, from 0: nothing is told of it. */
enum { UNTOLD = 1 };

/* Of the parts that this thread is in, the innermost in the lowest bit: nothing is told of it. */
static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t untold;

/* The runtime reads its setting only after this (libomp: __kmp_fork_call). */
static void on_parallel_begin(void *task, const void *frame, uint64_t *parallel, unsigned requested,
                              int flags, const void *from)
{
        (void)task, (void)frame, (void)flags;
        if (!openmp_guest.meant())
                return;
        if (!openmp_is_told((int32_t)requested)) {
                *parallel = UNTOLD;
                if (openmp_guest.single_begin)
                        openmp_guest.single_begin();
                return;
        }
        openmp_asks_open(from);
        int32_t most = openmp_most();
        bool named = requested != 0 && requested != (unsigned)most;
        int32_t wanted = openmp_guest.fork(named ? 0 : most);
        if (region.depth++ > 0)
                return;
        region.from = from;
        region.before = wanted > 0 && wanted != most ? most : 0;
        if (region.before != 0)
                openmp_set_most(wanted);
}

static void on_parallel_end(const uint64_t *parallel, void *task, int flags, const void *from)
{
        (void)task, (void)flags, (void)from;
        bool left = parallel && *parallel == UNTOLD;
        if (left && openmp_guest.single_end)
                openmp_guest.single_end();
        if (!openmp_guest.meant() || region.depth == 0 || left)
                return;
        if (--region.depth == 0 && region.before != 0)
                openmp_set_most(region.before);
        openmp_guest.join(region.threads);
}

/* Where a part of a worker begins; it ends with the wait that follows, of which on_wait() tells. A
 * worker is told of the end of its part only when it has the next. */
static void on_implicit_task(int endpoint, const uint64_t *parallel, void *task,
                             unsigned parallelism, unsigned index, int flags)
{
        (void)task, (void)index;
        if (flags & 1)
                return; /* of the program itself */
        bool left = endpoint == BEGIN ? parallel && *parallel == UNTOLD : (untold & 1) != 0;
        untold = endpoint == BEGIN ? untold << 1 | left : untold >> 1;
        if (left)
                return;
        if (endpoint == END) {
                if (region.depth == 1) {
                        openmp_asks_end(region.from, region.threads);
                        openmp_asks_join(region.threads);
                }
                openmp_guest.stop();
                return;
        }
        region.threads = (int32_t)parallelism;
        openmp_guest.start();
        if (region.depth == 1)
                openmp_asks_begin();
}

/* Does this thread's task wait? Another may run meanwhile; then the word that the tool has of each
 * task, from 0, keeps it. */
static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t waits;

static void go_on(void)
{
        if (untold & 1)
                return;
        (waits ? openmp_guest.pause : openmp_guest.resume)();
}

static void on_wait(int kind, int endpoint, void *parallel, void *task, const void *from)
{
        (void)kind, (void)parallel, (void)task, (void)from;
        waits = endpoint == BEGIN;
        if (waits)
                openmp_asks_part();
        go_on();
}

/* The thread goes from one task to another. */
static void on_schedule(uint64_t *prior, int status, uint64_t *next)
{
        (void)status;
        if (prior)
                *prior = waits;
        waits = next ? *next : 0;
        go_on();
}

/* A loop, or sections; a single is none of them. */
static void on_work(int kind, int endpoint, void *parallel, void *task, uint64_t count,
                    const void *from)
{
        (void)endpoint, (void)parallel, (void)task, (void)count, (void)from;
        if (kind != SINGLE && kind != SINGLE_OTHER)
                openmp_asks_share();
}

static bool sees_tasks; /* from initialize() on */

static void on_task(void *parent, const void *frame, void *task, int flags, int depends,
                    const void *from)
{
        (void)parent, (void)frame, (void)task, (void)depends, (void)from;
        if (flags & EXPLICIT)
                openmp_asks_share();
        if ((flags & EXPLICIT) && !sees_tasks && openmp_guest.tasks_unseen)
                openmp_guest.tasks_unseen();
}

static int initialize(lookup look, int device, void *data)
{
        callback found = look("ompt_set_callback");
        set_callback set;
        (void)device;
        (void)data;
        if (!found)
                return 0;
        memcpy(&set, &found, sizeof(found));
        atomic_store(&openmp_is_tool, true);
        set(PARALLEL_BEGIN, (callback)on_parallel_begin);
        set(PARALLEL_END, (callback)on_parallel_end);
        set(IMPLICIT_TASK, (callback)on_implicit_task);
        set(WAITS, (callback)on_wait);
        set(WORK, (callback)on_work);
        set(TASK_CREATE, (callback)on_task);
        sees_tasks = set(TASK_SCHEDULE, (callback)on_schedule) == ALWAYS;
        return 1;
}

static void finalize(void *data)
{
        (void)data;
}

struct tool *ompt_start_tool(unsigned version, const char *runtime)
{
        static struct tool tool = { .initialize = initialize, .finalize = finalize };
        (void)version;
        (void)runtime;
        return openmp_guest.wanted() ? &tool : NULL;
}
