/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "policies/called.h"
#include "policies/plugged.h"
#include "real/launch/settings.h"

enum { USAGE = 2 };
static const double FIRST_TOLD_S = 10;

/* A plugin's constructor crashed in the launcher, or ended it. */
static void tell_crash(const char *text)
{
        static const char name[] = "lbrun: --policy: ";
        struct iovec line[] = { { (void *)name, sizeof(name) - 1 },
                                { (void *)text, strlen(text) },
                                { (void *)"\n", 1 } };
        called_end(); /* this is not its own _exit() (called_leave.c) */
        _exit(writev(STDERR_FILENO, line, 3) < 0 ? 1 : USAGE);
}

/* ---- Constructors that do not come back ---- */

struct loading {
        pthread_mutex_t mutex;
        pthread_cond_t changed;
        const struct called *called;
        double hung_s; /* 0: no limit */
        bool over;
};

/* false: the plugin is loaded. */
static bool wait_until(struct loading *l, const struct timespec *begin, double s)
{
        struct timespec until = *begin;
        until.tv_sec += (time_t)s;
        until.tv_nsec += (long)((s - (double)(time_t)s) * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&l->mutex);
        while (!l->over && pthread_cond_timedwait(&l->changed, &l->mutex, &until) != ETIMEDOUT)
                continue;
        bool lasts = !l->over;
        pthread_mutex_unlock(&l->mutex);
        return lasts;
}

static void *watch(void *argument)
{
        struct loading *l = argument;
        struct timespec begin;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (double told_s = FIRST_TOLD_S;; told_s *= 2) {
                bool ends = l->hung_s > 0 && l->hung_s <= told_s;
                double at_s = ends ? l->hung_s : told_s;
                char after[64], text[2 * CALLED_WHERE_SIZE];
                if (!wait_until(l, &begin, at_s))
                        return NULL;
                snprintf(after, sizeof(after), " for %g s%s", at_s,
                         ends ? ", the limit of --hung-s" : "");
                called_say(l->called, "has not returned from", after, text, sizeof(text));
                fprintf(stderr, "lbrun: --policy: %s\n", text);
                if (ends) /* _exit() would be looked for, with the lock that dlopen() has */
                        syscall(SYS_exit_group, USAGE);
        }
}

/* Without the thread nothing is lost but a message. It does not outlive the call. */
int settings_take_policy(const char *file, const char *hung_s, struct lb_error *err)
{
        char *end;
        struct loading l = { .mutex = PTHREAD_MUTEX_INITIALIZER,
                             .called = &called_here,
                             .hung_s = hung_s ? lb_number_read(hung_s, &end) : 0 };
        pthread_condattr_t clock;
        pthread_t watcher;
        sigset_t all, before;
        called_guard(tell_crash);
        pthread_condattr_init(&clock);
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        pthread_cond_init(&l.changed, &clock);
        pthread_condattr_destroy(&clock);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        bool watched = pthread_create(&watcher, NULL, watch, &l) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        int code = plugged_load(file, err);
        pthread_mutex_lock(&l.mutex);
        l.over = true;
        pthread_cond_signal(&l.changed);
        pthread_mutex_unlock(&l.mutex);
        if (watched)
                pthread_join(watcher, NULL);
        pthread_cond_destroy(&l.changed);
        return code;
}
