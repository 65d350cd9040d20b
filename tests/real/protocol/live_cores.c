/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in core manager, but that which core is taken is what is wished. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/real/protocol/live_impl.h"

struct live *live_of_cores;

struct core live_look_at(const struct cores *cores, int32_t core)
{
        return cores_look(cores, core);
}

/* How much a core is wished for; 0: not. */
typedef int32_t wish_order(const struct cores *cores, int32_t core);

/* One core at a time, each looked for first where it is wished most. */
static int32_t by_wish(struct cores *cores, int32_t max, int32_t *core,
                       int32_t (*take)(struct cores *cores, int32_t max, int32_t *core),
                       wish_order *wished)
{
        int32_t count = 0, first = cores->borrow_first;
        while (count < max) {
                for (int32_t c = 0, most = 0; c < cores->table.ncore; c++)
                        if (wished(cores, c) > most) {
                                most = wished(cores, c);
                                cores->borrow_first = c;
                        }
                if (take(cores, 1, core + count) < 1)
                        break;
                count++;
        }
        cores->borrow_first = first;
        return count;
}

/* Is the core the next of the worker's choices that is free? */
static bool is_next(const struct cores *cores, int32_t core)
{
        for (int32_t i = 0; i < live_of_cores->nchoice; i++)
                if (live_of_cores->choice[i].worker == cores->worker &&
                    live_look_at(cores, live_of_cores->choice[i].core).user == CORE_NOBODY)
                        return live_of_cores->choice[i].core == core;
        return false;
}

static void forget_choice(int32_t worker, int32_t core)
{
        for (int32_t i = 0; i < live_of_cores->nchoice; i++)
                if (live_of_cores->choice[i].worker == worker &&
                    live_of_cores->choice[i].core == core) {
                        live_of_cores->choice[i].worker = -1;
                        return;
                }
}

/* The core that was chosen, else one that is wished: to be kept where it is borrowed ahead, to run
 * something where not. */
static int32_t wished_pooled(const struct cores *cores, int32_t core)
{
        const struct live_wish *wish = &live_of_cores->wish[core];
        if (live_look_at(cores, core).user != CORE_NOBODY)
                return 0;
        if (is_next(cores, core))
                return 3;
        if (wish->user != cores->worker)
                return 0;
        return wish->running == live_of_cores->runs ? 2 : 1;
}

static int32_t wished_back(const struct cores *cores, int32_t core)
{
        struct core c = live_look_at(cores, core);
        const struct live_wish *wish = &live_of_cores->wish[core];
        bool mine = c.owner == cores->worker && wish->user == cores->worker;
        return c.user == CORE_NOBODY && mine ? 1 + wish->running : 0;
}

static int32_t wished_own(const struct cores *cores, int32_t core)
{
        struct core c = live_look_at(cores, core);
        return c.owner == CORE_NOBODY && live_of_cores->wish[core].owner == cores->worker;
}

/* For whom it is meant is quicker than what its owner does next. */
static enum cores_answer lend(struct cores *cores, int32_t core)
{
        enum cores_answer answer = cores_builtin.lend(cores, core);
        struct live_worker *self = &live_of_cores->worker[cores->worker];
        bool busy = self->busy;
        self->busy = true;
        live_wake(live_of_cores, true);
        self->busy = busy;
        return answer;
}

/* At a poll all claim, lend and borrow at the same instant, and who is quicker is chance: nobody
 * is then so quick that it borrows ahead what another is wished to have, or has not claimed yet. */
static int32_t borrow(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t most = 0;
        for (int32_t c = 0; c < cores->table.ncore; c++)
                most += wished_pooled(cores, c) > 0 && live_look_at(cores, c).owner >= 0;
        if (live_of_cores->ahead && live_of_cores->polls && most < max)
                max = most;
        int32_t count = by_wish(cores, max, core, cores_builtin.borrow, wished_pooled);
        for (int32_t i = 0; i < count; i++)
                forget_choice(cores->worker, core[i]);
        return count;
}

/* The manager takes idle ones first; here it is the wished one, if that is in use. */
static int32_t claim_wished(struct cores *cores, int32_t max, int32_t *core)
{
        struct core after;
        if (!wished_own(cores, cores->borrow_first) ||
            !cores_make(cores, cores->borrow_first, core_take_over_used, cores->worker, &after))
                return cores_builtin.claim(cores, max, core);
        cores_tell(cores);
        *core = CORE_NOBODY;
        return 1;
}

static int32_t claim(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t count = by_wish(cores, max, core, claim_wished, wished_own);
        for (int32_t i = count; i < max; i++)
                core[i] = CORE_NOBODY;
        return count;
}

/* Who keeps a core idle and is woken, since it is asked for, gives it back at once. */
static int32_t kept_by_others(struct cores *cores, int32_t max, int32_t *core)
{
        for (int32_t wished = 1; wished >= 0; wished--)
                for (int32_t c = 0; c < cores->table.ncore; c++) {
                        int32_t user = live_look_at(cores, c).user;
                        struct live_worker *w = user < 0 ? NULL : &live_of_cores->worker[user];
                        bool may = w && (live_of_cores->wish[c].user == cores->worker) == wished;
                        if (may && w->idle[c] && w->ticket != board_ticket(w->board) &&
                            cores_builtin.must_return(w->cores, c))
                                live_settle_core(w, c);
                }
        return cores_builtin.returned(cores, max, core);
}

/* Own ones in the pool one by one, then all others that are to come back. */
static int32_t reclaim(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t pooled = 0;
        for (int32_t c = 0; c < cores->table.ncore; c++) {
                struct core now = live_look_at(cores, c);
                pooled += now.owner == cores->worker && now.user == CORE_NOBODY;
        }
        int32_t at_once = pooled < max ? pooled : max;
        int32_t count = by_wish(cores, at_once, core, cores_builtin.reclaim, wished_back);
        if (max > count)
                count += cores_builtin.reclaim(cores, max - count, core + count);
        return count + kept_by_others(cores, max - count, core + count);
}

struct cores_type live_cores(void)
{
        struct cores_type type = cores_builtin;
        type.lend = lend;
        type.borrow = borrow;
        type.claim = claim;
        type.reclaim = reclaim;
        return type;
}
