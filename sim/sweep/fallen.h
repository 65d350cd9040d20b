/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_FALLEN_H
#define LB_SIM_SWEEP_FALLEN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "policies/called.h"

/*
 * Threads that a policy takes down: it crashes, ends the program or the thread, or does not come
 * back (policies/called.h).
 *
 * - A thread that is watched stops for ever where it is, holding what it holds, and is to be
 *   counted out: the others end their work and the program ends as after any failure. Where that
 *   does not come about in half a minute, since the policy has taken more down with it, the fallen
 *   thread itself says what happened and ends the program with exit code 1.
 * - One that nobody watches, as that of main(), does so at once; with 2 where the policy was being
 *   loaded.
 */
struct fallen {
        const struct called *called;
        struct called_look look;
        int64_t told_ns; /* how long the call had lasted when it was last told */
        _Atomic bool condemned, down;
        char text[2 * CALLED_WHERE_SIZE]; /* what happened; readable once down */
};

/* Once, by main(), before there are other threads. The thread that calls is watched as well, for
 * calls that do not come back. */
void fallen_guard(void);

/* A plugin that main()'s thread loads ends the program, with exit code 2, where that lasts so long
 * (0: no limit). */
void fallen_limit_loading(double hung_s);

/* The calling thread is watched from now on; the record is valid until fallen_leave(), or for ever
 * where the thread falls. */
struct fallen *fallen_enter(void);
void fallen_leave(void);

/* On the thread that a policy has taken down: does not return. */
_Noreturn void fallen_down(const char *text);

/*
 * By the watcher, a few times a second: has the thread fallen? Names on standard error a call that
 * has lasted 10 s, 20 s, 40 s ...; where it has lasted `hung_s` (0: no limit) the thread falls.
 */
bool fallen_look(struct fallen *fallen, pthread_t thread, double hung_s);

#endif
