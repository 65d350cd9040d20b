/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/measure/others.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/measure/clocks.h"
#include "real/measure/rank.h"

struct other {
        struct other *next, **link; /* in the list of those that run */
        void *(*start)(void *arg);
        void *arg;
        long pid, tid;
        int64_t born_ns; /* of the monotonic clock */
};

static struct {
        pthread_mutex_t lock;
        pthread_key_t key; /* a thread that ends, however it does, leaves */
        bool has_key;
        struct other *running;
        struct meter_others ended;
} others = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

static void add(struct meter_others *sum, long tid)
{
        int64_t cpu_ns, delay_ns;
        if (clocks_of_thread(tid, &cpu_ns, &delay_ns) < 0)
                return;
        sum->cpu_ns += cpu_ns;
        sum->delay_ns += delay_ns;
}

/* In a child that was forked the lock may be held by a thread which is not there. */
static void leave(void *arg)
{
        struct other *self = arg;
        if (self->pid != (long)getpid())
                return;
        pthread_mutex_lock(&others.lock);
        add(&others.ended, self->tid);
        *self->link = self->next;
        if (self->next)
                self->next->link = self->link;
        pthread_mutex_unlock(&others.lock);
        free(self);
}

static void come(struct other *self)
{
        self->tid = (long)gettid();
        if (self->pid != (long)getpid() || pthread_setspecific(others.key, self) != 0) {
                free(self);
                return;
        }
        pthread_mutex_lock(&others.lock);
        self->next = others.running;
        self->link = &others.running;
        if (self->next)
                self->next->link = &self->next;
        others.running = self;
        pthread_mutex_unlock(&others.lock);
}

static void *run(void *arg)
{
        struct other *self = arg;
        void *(*start)(void *) = self->start;
        void *own = self->arg;
        come(self);
        return start(own);
}

__attribute__((constructor)) static void prepare(void)
{
        others.has_key = pthread_key_create(&others.key, leave) == 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
        int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
        void *next = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&create, &next, sizeof(next));
        struct other *other = rank_self.directory && others.has_key ? malloc(sizeof(*other)) : NULL;
        if (!other)
                return create(thread, attr, start, arg);
        *other = (struct other){
                .start = start, .arg = arg, .pid = (long)getpid(), .born_ns = clock_ns()
        };
        int failed = create(thread, attr, run, other);
        if (failed)
                free(other);
        return failed;
}

struct meter_others others_read(void)
{
        pthread_mutex_lock(&others.lock);
        struct meter_others sum = others.ended;
        for (struct other *other = others.running; other; other = other->next) {
                add(&sum, other->tid);
                sum.running++;
        }
        pthread_mutex_unlock(&others.lock);
        return sum;
}

static struct other *calling(void)
{
        return others.has_key ? pthread_getspecific(others.key) : NULL;
}

int64_t others_born_ns(void)
{
        struct other *self = calling();
        return self ? rank_wall_ns() - clock_ns() + self->born_ns : 0;
}

void others_leave(void)
{
        struct other *self = calling();
        if (!self)
                return;
        pthread_setspecific(others.key, NULL);
        leave(self);
}
