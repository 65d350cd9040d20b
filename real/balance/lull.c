/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/lull.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "real/balance/at_once.h"

/* Of these the longer one. */
enum { LULL_S = 5, LULL_ROUNDS = 4 };
static const int64_t LOOK_EACH_NS = 500000000;

struct lull {
        struct balance *b;
        struct at_once *thread; /* NULL: not yet, or no more */
        struct futex news;
        int64_t last_ns, wait_ns; /* the last round; that until a lull is seen */
        atomic_bool on;
};

struct lull *lull_create(struct balance *b)
{
        struct lull *lull = calloc(1, sizeof(*lull));
        if (!lull)
                return NULL;
        lull->b = b;
        lull->last_ns = clock_ns();
        lull->wait_ns = LULL_S * (int64_t)1000000000;
        return lull;
}

void lull_destroy(struct lull *lull)
{
        if (!lull)
                return;
        lull_stop(lull);
        free(lull);
}

void lull_stop(struct lull *lull)
{
        at_once_stop(lull->thread);
        lull->thread = NULL;
}

/* By the thread, with the lock. */
static int64_t look(void *given)
{
        struct lull *lull = given;
        struct balance *b = lull->b;
        if (clock_ns() - lull->last_ns < lull->wait_ns || !b->system->go_back ||
            !b->system->go_back(b) || atomic_exchange(&lull->on, true))
                return LOOK_EACH_NS;
        balance_say(b,
                    "%s: no iterations in %.3g s: back to how the program ran before, until they "
                    "come again",
                    b->system->name, 1e-9 * (double)lull->wait_ns);
        return LOOK_EACH_NS;
}

void lull_watch(struct lull *lull)
{
        struct lb_error
            err; /* without it nothing is seen, as where a program has no threads left */
        if (!lull->thread)
                lull->thread = at_once_start(&lull->news, look, lull, &err);
}

bool lull_is_on(const struct lull *lull)
{
        return atomic_load(&lull->on);
}

/* The present round is known from its begin on, when the thread may not have been there. */
static void pass(struct lull *lull, bool ends)
{
        int64_t now_ns = clock_ns(), most_ns = LULL_ROUNDS * (now_ns - lull->last_ns);
        if (ends)
                lull->wait_ns *= 2;
        else if (!lull_is_on(lull) && most_ns > lull->wait_ns)
                lull->wait_ns = most_ns;
        lull->last_ns = now_ns;
}

void lull_round(struct lull *lull, const struct balance_round *round)
{
        struct at_once *held = lull->thread;
        at_once_lock(held);
        pass(lull, lull_is_on(lull) && round->resumes);
        if (lull->b->system->round)
                lull->b->system->round(lull->b, round);
        if (round->resumes)
                atomic_store(&lull->on, false);
        at_once_unlock(held);
}

void lull_lock(struct lull *lull)
{
        at_once_lock(lull->thread);
}

void lull_unlock(struct lull *lull)
{
        at_once_unlock(lull->thread);
}
