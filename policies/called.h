/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_CALLED_H
#define LB_POLICIES_CALLED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

/*
 * Which policy is being called now, by which thread, and where: what a host says of a policy that
 * does not come back, crashes, or ends the program.
 *
 * - Each thread has a record of its own and alone writes it: two or three words per call. Any other
 *   thread may look, so a watcher needs neither lock nor signal.
 * - A host writes
 *
 *           called_begin(type->name, "decide");
 *           type->decide(state, &view, out);
 *           called_end();
 *
 *   around each call of a policy's function, and called_where() wherever the thread's place in the
 *   work changes. Calls do not nest.
 * - A watcher calls called_lasts_ns() every second or so; called_guard() catches crashes.
 */
enum { CALLED_WHERE_SIZE = 256 };

struct called {
        const char *_Atomic policy; /* NULL: none is being called */
        const char *_Atomic function;
        _Atomic uint64_t count; /* of calls so far */
        char where[CALLED_WHERE_SIZE];
};

/* The calling thread's. At a fixed place from the thread's start, even for code of shared
 * libraries: it would else be looked up by a call at each call of a policy. */
#define CALLED_AT_ONCE __attribute__((tls_model("initial-exec")))
extern _Thread_local CALLED_AT_ONCE struct called called_here;

static inline void called_begin(const char *policy, const char *function)
{
        struct called *c = &called_here;
        uint64_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
        atomic_store_explicit(&c->count, count + 1, memory_order_relaxed);
        atomic_store_explicit(&c->function, function, memory_order_relaxed);
        atomic_store_explicit(&c->policy, policy, memory_order_release);
}

static inline void called_end(void)
{
        atomic_store_explicit(&called_here.policy, NULL, memory_order_release);
}

/* Is the calling thread in a policy? In the constructors of a plugin, which is being loaded? */
static inline bool called_is(void)
{
        return atomic_load_explicit(&called_here.policy, memory_order_relaxed) != NULL;
}

#define CALLED_LOADING "dlopen"
static inline bool called_is_loading(void)
{
        const char *function = atomic_load_explicit(&called_here.function, memory_order_relaxed);
        return called_is() && strcmp(function, CALLED_LOADING) == 0;
}

/* Where in the work the calling thread is from now on, as "point 3, replicate 0"; not within a
 * call. Cut where it would not fit. */
void called_where(const char *format, ...) LB_PRINTF(1, 2);

/* A watcher's memory of a thread; zero at first. */
struct called_look {
        uint64_t count;
        int64_t since_ns;
};

/* For how long the thread has been in the call that it is in, as far as this and the looks before
 * saw; 0: it is in none, or in another than at the look before. */
int64_t called_lasts_ns(const struct called *called, struct called_look *look, int64_t now_ns);

/*
 * Write "policy 'NAME' BETWEEN FUNCTION() AFTER (WHERE)" into text[size], NUL-terminated and cut
 * where it would not fit, as in "policy 'mine' crashed in decide(): segmentation fault (point 3)".
 * `after` may be "". Safe in a signal handler. Returns the length.
 */
size_t called_say(const struct called *called, const char *between, const char *after, char *text,
                  size_t size);

/* ---- Crashes (called_guard.c) ---- */

/*
 * From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT in a thread that is in a policy are told:
 * `fallen` is called in the signal handler, on that thread, with text for people without its end of
 * line; it may never return. Where it returns, and for threads that are in no policy, the signal
 * takes the course that it had before called_guard(). Once per process, before its threads start.
 */
void called_guard(void (*fallen)(const char *text));

/* Call `fallen` for another end that a policy brings: exit() and its like (called_leave.c). Nothing
 * before called_guard(). */
void called_fall(const char *text);

/* Give the calling thread a stack for signals, so that a policy's endless recursion is told as
 * well. The thread gives it back by called_guard_leave(). Nothing where there is no memory. */
void called_guard_enter(void);
void called_guard_leave(void);

#endif
