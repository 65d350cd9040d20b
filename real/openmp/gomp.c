/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of programs that gcc compiled: its entry points, each of which hands on to the next
 * definition. The end of a region has a barrier that is the library's, so what a thread does there
 * is known only from its part having ended.
 */
#include <stdatomic.h>
#include <string.h>

#include "real/openmp/openmp.h"
#include "real/openmp/openmp_impl.h"

typedef void (*part_function)(void *data);

struct part {
        part_function function;
        void *data;
        atomic_int threads;
};

/* Is this the thread that has opened the region? */
static _Thread_local __attribute__((tls_model("initial-exec"))) const struct part *opened;

static void run_part(void *user)
{
        struct part *part = user;
        atomic_fetch_add_explicit(&part->threads, 1, memory_order_relaxed);
        openmp_here.team = true;
        openmp_here.waits = false;
        openmp_here.alone = false;
        openmp_here.parts++;
        openmp_guest.start();
        if (opened == part)
                openmp_asks_begin();
        part->function(part->data);
        openmp_asks_part();
        if (opened == part)
                openmp_asks_end((const void *)(uintptr_t)part->function,
                                openmp_ask(OPENMP_THREADS));
        openmp_guest.stop();
        openmp_here.parts--;
        openmp_here.waits = true;
}

/* A region of this thread is over; which one it is in now. */
static void close_region(const struct part *outer, const struct openmp_here *before,
                         int32_t threads)
{
        openmp_asks_join(threads);
        opened = outer;
        openmp_here = *before;
}

/* How many threads a region is to have; what names its number has it. */
static unsigned size_of(part_function function, unsigned threads)
{
        if (threads == 0)
                openmp_asks_open((const void *)(uintptr_t)function);
        int32_t wanted = openmp_guest.fork(threads == 0 ? openmp_most() : 0);
        return threads == 0 && wanted > 0 ? (unsigned)wanted : threads;
}

/* A region of a thread that is meant; those of others are left alone. */
/* clang-format off */
#define REGION(name, parameters, arguments_of, arguments)                                          \
        void name parameters;                                                                      \
        void name parameters                                                                       \
        {                                                                                          \
                OPENMP_NEXT(name)                                                                  \
                if (!openmp_is_told((int32_t)threads)) {                                           \
                        bool alone = openmp_leave();                                               \
                        hand_on arguments;                                                         \
                        openmp_return(alone);                                                      \
                        return;                                                                    \
                }                                                                                  \
                struct part part = { .function = function, .data = data };                         \
                const struct part *outer = opened;                                                 \
                struct openmp_here before = openmp_here;                                           \
                opened = &part;                                                                    \
                threads = size_of(function, threads);                                              \
                hand_on arguments_of;                                                              \
                close_region(outer, &before, part.threads);                                        \
                openmp_guest.join(part.threads);                                                   \
        }

#define LOOP(name)                                                                                 \
        REGION(name,                                                                               \
               (part_function function, void *data, unsigned threads, long start, long end,        \
                long step, long chunk, unsigned flags),                                            \
               (run_part, &part, threads, start, end, step, chunk, flags),                         \
               (function, data, threads, start, end, step, chunk, flags))

#define LOOP_WITHOUT_CHUNK(name)                                                                   \
        REGION(name,                                                                               \
               (part_function function, void *data, unsigned threads, long start, long end,        \
                long step, unsigned flags),                                                        \
               (run_part, &part, threads, start, end, step, flags),                                \
               (function, data, threads, start, end, step, flags))

/* A thread has shared work with others, and does not wait for them. */
#define SHARE(name)                                                                                \
        void name(void);                                                                           \
        void name(void)                                                                            \
        {                                                                                          \
                OPENMP_NEXT(name)                                                                  \
                openmp_asks_share();                                                               \
                hand_on();                                                                         \
        }

/* A thread waits, or looks for tasks. */
#define WAIT(name, note)                                                                           \
        void name(void);                                                                           \
        void name(void)                                                                            \
        {                                                                                          \
                OPENMP_NEXT(name)                                                                  \
                note;                                                                              \
                openmp_pause();                                                                    \
                hand_on();                                                                         \
                openmp_resume();                                                                   \
        }
/* clang-format on */

REGION(GOMP_parallel, (part_function function, void *data, unsigned threads, unsigned flags),
       (run_part, &part, threads, flags), (function, data, threads, flags))
REGION(GOMP_parallel_sections,
       (part_function function, void *data, unsigned threads, unsigned count, unsigned flags),
       (run_part, &part, threads, count, flags), (function, data, threads, count, flags))
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_WITHOUT_CHUNK(GOMP_parallel_loop_runtime)
LOOP_WITHOUT_CHUNK(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_WITHOUT_CHUNK(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
WAIT(GOMP_barrier, (void)0)
WAIT(GOMP_loop_end, openmp_asks_share())
WAIT(GOMP_sections_end, openmp_asks_share())
WAIT(GOMP_taskwait, (void)0)
WAIT(GOMP_taskyield, (void)0)
WAIT(GOMP_taskgroup_end, (void)0)
SHARE(GOMP_loop_end_nowait)
SHARE(GOMP_sections_end_nowait)

unsigned GOMP_parallel_reductions(part_function function, void *data, unsigned threads,
                                  unsigned flags);
unsigned GOMP_parallel_reductions(part_function function, void *data, unsigned threads,
                                  unsigned flags)
{
        OPENMP_NEXT(GOMP_parallel_reductions)
        if (!openmp_is_told((int32_t)threads)) {
                bool alone = openmp_leave();
                unsigned left = hand_on(function, data, threads, flags);
                openmp_return(alone);
                return left;
        }
        struct part part = { .function = function, .data = data };
        const struct part *outer = opened;
        struct openmp_here before = openmp_here;
        opened = &part;
        unsigned result = hand_on(run_part, &part, size_of(function, threads), flags);
        close_region(outer, &before, part.threads);
        openmp_guest.join(part.threads);
        return result;
}
