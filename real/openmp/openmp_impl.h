/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_OPENMP_OPENMP_IMPL_H
#define LB_REAL_OPENMP_OPENMP_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "real/openmp/openmp.h"

/* An OpenMP runtime has taken the layer as its tool (ompt.c). */
extern atomic_bool openmp_is_tool;

/* The answer of the next definition of a call without arguments (openmp.c). */
enum openmp_question {
        OPENMP_MOST,
        OPENMP_NUMBER,
        OPENMP_THREADS,
        OPENMP_PROCS,
        OPENMP_LIMIT,
        OPENMP_LEVELS,
        OPENMP_LEVEL,
        OPENMP_QUESTIONS
};
int32_t openmp_ask(enum openmp_question question);

/* This thread, in teams of threads that are meant (openmp.c). */
struct openmp_here {
        bool team;  /* it is in one, or will be */
        bool waits; /* in a part, at a barrier or for tasks */
        bool alone; /* in a region of which nothing is told */
        int parts;  /* of regions, and tasks, that it is in; 0: at the end of a region */
};
extern _Thread_local __attribute__((tls_model("initial-exec"))) struct openmp_here openmp_here;

/* It waits, or looks for tasks, from one to the other. */
static inline void openmp_pause(void)
{
        if (openmp_here.alone)
                return;
        openmp_here.waits = true;
        openmp_guest.pause();
}

static inline void openmp_resume(void)
{
        if (openmp_here.alone)
                return;
        openmp_guest.resume();
        openmp_here.waits = false;
}

/* A region that this thread opens, and that asks for so many threads (0: it names no number), has
 * but one. */
bool openmp_is_single(int32_t threads);

/* Is the guest to be told of it? */
static inline bool openmp_is_told(int32_t threads)
{
        return openmp_guest.meant() && (openmp_guest.singles || !openmp_is_single(threads));
}

/* The guest is not told of what is in a region: this thread opens one, and it was in one. */
static inline bool openmp_leave(void)
{
        bool alone = openmp_here.alone;
        openmp_here.alone = true;
        if (openmp_guest.single_begin)
                openmp_guest.single_begin();
        return alone;
}

/* It has ended. */
static inline void openmp_return(bool alone)
{
        if (openmp_guest.single_end)
                openmp_guest.single_end();
        openmp_here.alone = alone;
}

/* asks.c: by the thread that opens a region, before it has a size; about its part of it; when all
 * parts are over; and it shares work there. */
void openmp_asks_open(const void *region);
void openmp_asks_begin(void);
void openmp_asks_end(const void *region, int32_t threads);
void openmp_asks_join(int32_t threads);
void openmp_asks_share(void);

/* By each thread whose part is over, or waits. */
void openmp_asks_part(void);

/* The program was told of so many threads, however it has asked; and where it may keep that. */
void openmp_asks_note(int32_t threads);
void openmp_asks_hold(int32_t threads);

/* environment.c: an object that opens regions lies there; end 0: nowhere. */
void openmp_environment_opens(uintptr_t begin, uintptr_t end);

#endif
