/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_OPENMP_OPENMP_H
#define LB_REAL_OPENMP_OPENMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Every parallel region of a program passes this layer, which is part of a library that is
 * preloaded; who links it is its guest, says how many threads a region has, and is told of what
 * each thread does. Knows no MPI.
 *
 *      master     fork -> n | hand on ............................ | join
 *      thread 0             | start  part  stop |   (waits)         |
 *      thread n-1           | start  part  pause barrier resume stop|
 *
 * - Programs that gcc compiled: gomp.c defines the entry points of a region and hands each on to
 *   the next definition, with another number of threads where the guest says so
 *   (docs/facts.md P2). What the program sees in omp_get_max_threads() stays what it was.
 * - Those of clang and others whose library has OMPT: ompt.c. There the number is the runtime's own
 *   setting, changed as a region begins and set back as it ends.
 * - A region that names its number of threads is left as it is: fork is told 0, and what it
 *   answers does not count. OMPT does not tell one that names as many as any would have.
 * - Any thread; nothing is allocated, nothing is done before the first region.
 */
struct openmp_guest {
        /* Is anything to be told, ever? Asked before the rest, and as a runtime asks for tools. */
        bool (*wanted)(void);
        /* Is a region that this thread opens to be told of? */
        bool (*meant)(void);
        /* In the thread that opens it: it would have `most` threads; returns how many it is to
         * have, 1 .. most; 0: as it is. */
        int32_t (*fork)(int32_t most);
        void (*join)(int32_t threads); /* so many were in it */
        /* It asks outside of regions how many threads there will be, and may keep the answer: the
         * number may be set before. NULL: not to be told of. */
        void (*asked)(void);
        /* By each thread: its part begins and ends; within, it waits, or looks for tasks. */
        void (*start)(void);
        void (*stop)(void);
        void (*pause)(void);
        void (*resume)(void);
        /* Where it waits, or its part is over, it runs a task; NULL: not to be told of. */
        void (*task_begin)(void);
        void (*task_end)(void);
        void (*tasks_unseen)(void); /* there are tasks of which nothing is told */
        /* Regions of one thread are told of, too. Nobody waits in them for another, and small ones
         * take less than what is told of them. Else that this thread opens one, and has ended it,
         * which costs little; NULL: not even that. */
        bool singles;
        void (*single_begin)(void);
        void (*single_end)(void);
};
extern const struct openmp_guest openmp_guest;

/* Whose regions are seen: the first OpenMP library that the process has loaded. */
enum openmp_kind {
        OPENMP_NONE = 0, /* none that is loaded as a library */
        OPENMP_GOMP,     /* gcc's */
        OPENMP_OMPT,     /* another, which has made this layer its tool */
        OPENMP_UNSEEN,   /* another, which has not: regions of gcc's entry points are seen alone */
};
enum openmp_kind openmp_kind(void);

/* Is this within an OpenMP library, as where a call of its own came from? Any thread. */
bool openmp_is_library(const void *address);

/* The next definition of a function behind this library, of OpenMP's wherever it is; NULL: none. */
void *openmp_next(const char *name);

/* The next definition of a function as `hand_on`: looked up once; the same answer in each thread.
 */
#define OPENMP_NEXT(name)                                                                          \
        static _Atomic(__typeof__(&name)) next;                                                    \
        __typeof__(&name) hand_on = atomic_load_explicit(&next, memory_order_relaxed);             \
        if (!hand_on) {                                                                            \
                void *symbol = openmp_next(#name);                                                 \
                memcpy(&hand_on, &symbol, sizeof(symbol));                                         \
                atomic_store_explicit(&next, hand_on, memory_order_relaxed);                       \
        }

/* What OpenMP's own calls say; without OpenMP as it is without threads. */
int32_t openmp_most(void);   /* threads that the next region of this thread would have */
int32_t openmp_limit(void);  /* threads that there may ever be (OMP_THREAD_LIMIT) */
int32_t openmp_thread(void); /* number of this thread in its team */
bool openmp_may_nest(void);  /* may regions within regions have teams? */
void openmp_set_most(int32_t threads);

/* Threads of this thread's teams that wait spin for so long at most, ms; only where the runtime can
 * be told: libomp, whose own 200 ms use CPUs that others have meanwhile (docs/facts.md P3). */
void openmp_set_spin(int32_t spin_ms);

/*
 * What the program's thread that is meant has asked so far, of libraries that export omp_*
 * (asks.c).
 */
struct openmp_asks {
        int32_t least; /* threads: the least number that it was told, or set; 0: it never asked */
        int32_t sets;  /* times that it has set the number */
        int32_t fixed; /* regions that divide their work by a number known before */
        bool keeps;    /* a program or library with regions has data of each thread's own */
        bool slots;    /* regions that came again have something for each thread's number */
        bool holds;    /* it asked for the number of threads somewhere, once, and may keep that */
        bool again;    /* it asked somewhere more than once */
};
struct openmp_asks openmp_asks(void);

/* As many threads as there may ever be: omp_get_num_procs() says no less. */
void openmp_promise(int32_t threads);

#endif
