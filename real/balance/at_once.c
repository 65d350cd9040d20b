/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/at_once.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct at_once {
        struct futex *news;
        int64_t (*act)(void *user);
        void *user;
        pthread_t thread;
        pthread_mutex_t lock;
        atomic_bool stop;
};

static void *run(void *given)
{
        struct at_once *a = given;
        while (!atomic_load(&a->stop)) {
                uint32_t ticket = futex_ticket(a->news);
                pthread_mutex_lock(&a->lock);
                int64_t wait_ns = a->act(a->user);
                pthread_mutex_unlock(&a->lock);
                if (!atomic_load(&a->stop))
                        futex_sleep(a->news, ticket, wait_ns);
        }
        return NULL;
}

struct at_once *at_once_start(struct futex *news, int64_t (*act)(void *user), void *user,
                              struct lb_error *err)
{
        sigset_t all, before;
        struct at_once *a = calloc(1, sizeof(*a));
        if (a) {
                *a = (struct at_once){ .news = news, .act = act, .user = user };
                pthread_mutex_init(&a->lock, NULL);
                sigfillset(&all);
                pthread_sigmask(SIG_SETMASK, &all, &before);
                int failed = pthread_create(&a->thread, NULL, run, a);
                pthread_sigmask(SIG_SETMASK, &before, NULL);
                if (!failed)
                        return a;
        }
        free(a);
        lb_error_fail(err, "no thread of the host's own can be started");
        return NULL;
}

void at_once_stop(struct at_once *at_once)
{
        if (!at_once)
                return;
        atomic_store(&at_once->stop, true);
        futex_wake(at_once->news);
        pthread_join(at_once->thread, NULL);
        pthread_mutex_destroy(&at_once->lock);
        free(at_once);
}

void at_once_lock(struct at_once *at_once)
{
        if (at_once)
                pthread_mutex_lock(&at_once->lock);
}

void at_once_unlock(struct at_once *at_once)
{
        if (at_once)
                pthread_mutex_unlock(&at_once->lock);
}
