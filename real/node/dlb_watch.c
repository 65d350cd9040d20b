/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/dlb_watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

enum { LOOKS = 10 };
static const double default_patience_s = 10; /* as long as DLB itself waits for its lock at start */

struct dlb_watch {
        _Atomic uint64_t count;
        void (*hung)(const char *text);
        double patience_s;
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t changed;
        bool stop;
};

static void give_up(const struct dlb_watch *watch)
{
        char text[512];
        snprintf(text, sizeof(text),
                 "DLB has not returned from a call for %.3g s: most likely a process of the node "
                 "was killed while it held DLB's lock, and this job cannot go on. Start it again; "
                 "with --cores-by builtin a killed process holds nobody up",
                 watch->patience_s);
        if (watch->hung)
                watch->hung(text);
        fprintf(stderr, "lbrun: %s\n", text);
        abort();
}

/* Returns whether to go on. */
static bool pause_between_looks(struct dlb_watch *watch)
{
        const struct timespec until = clock_after((int64_t)(watch->patience_s / LOOKS * 1e9));
        int why = 0;
        while (!watch->stop && why != ETIMEDOUT)
                why = pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
        return !watch->stop;
}

static void *look(void *argument)
{
        struct dlb_watch *watch = argument;
        uint64_t seen = 0;
        int same = 0;
        pthread_mutex_lock(&watch->lock);
        while (pause_between_looks(watch)) {
                uint64_t count = atomic_load_explicit(&watch->count, memory_order_relaxed);
                same = count % 2 == 1 && count == seen ? same + 1 : 0;
                seen = count;
                if (same >= LOOKS)
                        give_up(watch);
        }
        pthread_mutex_unlock(&watch->lock);
        return NULL;
}

/* Signals are for the program's threads. */
static int start_thread(struct dlb_watch *watch)
{
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int why = pthread_create(&watch->thread, NULL, look, watch);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return why;
}

static void release(struct dlb_watch *watch)
{
        pthread_cond_destroy(&watch->changed);
        pthread_mutex_destroy(&watch->lock);
        free(watch);
}

struct dlb_watch *dlb_watch_create(void (*hung)(const char *text), double patience_s,
                                   struct lb_error *err)
{
        struct dlb_watch *watch = calloc(1, sizeof(*watch));
        if (!watch) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        pthread_condattr_t monotonic;
        watch->hung = hung;
        watch->patience_s = patience_s > 0 ? patience_s : default_patience_s;
        pthread_mutex_init(&watch->lock, NULL);
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&watch->changed, &monotonic);
        pthread_condattr_destroy(&monotonic);
        int why = start_thread(watch);
        if (why == 0)
                return watch;
        lb_error_fail(err, "cannot start a thread: %s", strerror(why));
        release(watch);
        return NULL;
}

void dlb_watch_destroy(struct dlb_watch *watch)
{
        if (!watch)
                return;
        pthread_mutex_lock(&watch->lock);
        watch->stop = true;
        pthread_cond_signal(&watch->changed);
        pthread_mutex_unlock(&watch->lock);
        pthread_join(watch->thread, NULL);
        release(watch);
}

_Atomic uint64_t *dlb_watch_count(struct dlb_watch *watch)
{
        return &watch->count;
}
