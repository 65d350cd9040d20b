/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/crowd.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/balance/at_once.h"
#include "real/measure/clocks.h"
#include "real/node/process.h"

enum { THREADS_MOST = 512, LOOKS_IN_A_ROW = 2, LOOKS_OFTEN = 40, LOOKS_MOST = 100 };
static const int64_t OFTEN_NS = 50000000, LATER_NS = 1000000000;

struct crowd {
        struct at_once *thread;
        struct futex news; /* nobody wakes it */
        int32_t (*cpus)(void *user);
        void (*found)(void *user, int32_t nthread);
        void *user;
        int64_t looked_ns, looks;
        int32_t in_a_row, nseen, nnow;
        struct seen {
                long thread;
                int64_t wanted_ns; /* it computed, or waited for a CPU, in all */
        } seen[THREADS_MOST], now[THREADS_MOST];
};

static bool take(void *user, int32_t thread)
{
        struct crowd *c = user;
        int64_t cpu_ns, delay_ns;
        if (c->nnow < THREADS_MOST && thread != gettid() &&
            clocks_of_thread(thread, &cpu_ns, &delay_ns) == 0)
                c->now[c->nnow++] = (struct seen){ thread, cpu_ns + delay_ns };
        return true;
}

/* Since the last look; of a thread that is new it is not known. */
static int64_t wanted_since(const struct crowd *c, const struct seen *now)
{
        for (int32_t i = 0; i < c->nseen; i++)
                if (c->seen[i].thread == now->thread)
                        return now->wanted_ns - c->seen[i].wanted_ns;
        return 0;
}

/* Returns how many threads wanted a CPU since the last look. */
static int32_t count(struct crowd *c)
{
        int64_t now_ns = clock_ns(), passed_ns = now_ns - c->looked_ns;
        int32_t want = 0;
        c->nnow = 0;
        (void)process_threads(0, take, c);
        for (int32_t i = 0; i < c->nnow; i++)
                want += 2 * wanted_since(c, &c->now[i]) > passed_ns;
        memcpy(c->seen, c->now, sizeof(c->now));
        c->nseen = c->nnow;
        c->looked_ns = now_ns;
        return c->looks++ > 0 ? want : 0;
}

/* Returns when to look again: on large machines each look is noise. */
static int64_t look(void *given)
{
        struct crowd *c = given;
        int32_t want = count(c);
        c->in_a_row = want > c->cpus(c->user) ? c->in_a_row + 1 : 0;
        if (c->in_a_row < LOOKS_IN_A_ROW)
                return c->looks < LOOKS_OFTEN ? OFTEN_NS : c->looks < LOOKS_MOST ? LATER_NS : -1;
        c->found(c->user, want);
        return -1;
}

struct crowd *crowd_create(int32_t (*cpus)(void *user), void (*found)(void *user, int32_t nthread),
                           void *user)
{
        struct lb_error err;
        struct crowd *c = calloc(1, sizeof(*c));
        if (!c)
                return NULL;
        c->cpus = cpus;
        c->found = found;
        c->user = user;
        c->looked_ns = clock_ns();
        c->thread = at_once_start(&c->news, look, c, &err);
        if (c->thread)
                return c;
        free(c);
        return NULL;
}

void crowd_destroy(struct crowd *crowd)
{
        if (crowd)
                at_once_stop(crowd->thread);
        free(crowd);
}

void crowd_lock(struct crowd *crowd)
{
        if (crowd)
                at_once_lock(crowd->thread);
}

void crowd_unlock(struct crowd *crowd)
{
        if (crowd)
                at_once_unlock(crowd->thread);
}
