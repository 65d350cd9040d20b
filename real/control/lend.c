/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lending (LeWI): the policy is asked at the occasions at which lbsim asks it
 * (sim/systems/offload/cores.c), with the node's figures from the board. Who waits for a core
 * is woken by the core manager when one lies in the pool, and takes it if its own policy says so.
 */
#include "real/control/control_impl.h"

int control_lend_create(struct control *c, struct lb_error *err)
{
        struct lending *l = &c->lending;
        for (size_t i = 0; i < sizeof(l->figure) / sizeof(l->figure[0]); i++)
                l->figure[i] = control_take(c, (size_t)c->nlocal, sizeof(int32_t));
        l->kept_free = control_take(c, (size_t)c->ncore, sizeof(bool));
        l->offered_ns = control_take(c, (size_t)c->ncore, sizeof(int64_t));
        if (control_taken(c, err) < 0)
                return -1;
        l->view = (struct lend_view){
                .nworker = c->nlocal,
                .owned_cores = l->figure[0],
                .lent_cores = l->figure[1],
                .borrowed_cores = l->figure[2],
                .reclaiming_cores = l->figure[3],
                .running_tasks = l->figure[4],
                .tasks = l->figure[5],
                .ready_tasks = l->figure[6],
                .held_tasks_known = l->figure[7],
                .task_us = l->figure[8],
        };
        l->learns = ask_lend_learns(l->type, c->job->lend_param);
        l->state = ask_lend_make(l->type, c->nlocal, c->job->lend_param, c->log, err);
        return l->state ? 0 : -1;
}

/* The node as it is, once the caller's first `started` ready tasks have the cores it just got. */
static void look(struct control *c, int32_t started)
{
        struct lending *lend = &c->lending;
        for (int32_t l = 0; l < c->nlocal; l++) {
                const struct board_worker *row = row_of(c, l);
                lend->figure[0][l] = figure(&row->owned);
                lend->figure[1][l] = figure(&row->lent);
                lend->figure[2][l] = figure(&row->borrowed);
                lend->figure[3][l] = figure(&row->reclaiming);
                lend->figure[4][l] = figure(&row->running);
                lend->figure[5][l] = figure(&row->tasks);
                lend->figure[6][l] = figure(&row->ready);
                lend->figure[7][l] = figure(&row->held_known);
                if (lend->learns)
                        lend->figure[8][l] = figure(&row->task_us);
        }
        int32_t ready = lend->figure[6][c->local];
        started = started < ready ? started : ready;
        lend->figure[4][c->local] += started;
        lend->figure[6][c->local] -= started;
}

static struct lend_decision ask_for(struct control *c, int64_t now_ns, enum lend_occasion occasion,
                                    int32_t worker, int32_t started)
{
        struct lending *l = &c->lending;
        struct lend_decision decision;
        look(c, started);
        l->view.time_ns = now_ns;
        l->view.occasion = occasion;
        l->view.worker = worker;
        l->view.pool = c->spec.cores_type->pool(c->spec.cores);
        if (!ask_lend(l->type, l->state, &l->view, &decision, c->log)) {
                char what[ASK_WRONG_SIZE];
                ask_lend_wrong(&l->view, &decision, what);
                control_refuse(c, l->type->name, "on node %d: %s", c->node, what);
        }
        return decision;
}

static struct lend_decision ask(struct control *c, int64_t now_ns, enum lend_occasion occasion,
                                int32_t started)
{
        return ask_for(c, now_ns, occasion, occasion == LEND_CORE_LENT ? NONE : c->local, started);
}

void control_keep_free(struct control *c, int32_t core, bool keep)
{
        bool *kept = &c->lending.kept_free[core];
        atomic_fetch_add(&c->own->giving, keep - *kept);
        *kept = keep;
}

/* Does a worker own more than it should, beside what it keeps free already? */
static bool has_to_give(const struct control *c, int32_t local)
{
        const struct board_worker *row = row_of(c, local);
        return node_has_to_give(figure(&row->owned), figure(&row->giving), target_of(c, local));
}

static bool is_lent(struct control *c, int64_t now_ns, int32_t owner)
{
        return c->lewi && ask_for(c, now_ns, LEND_OWNED_IDLE, owner, 0).action == LEND_LEND;
}

/* An own core that is idle: keep it free for a new owner, lend it, or keep it. Is it gone? */
static bool settle(struct control *c, int64_t now_ns, int32_t core)
{
        int32_t owned = figure(&c->own->owned);
        if (c->lending.kept_free[core] && owned > target_of(c, c->local))
                return false;
        control_keep_free(c, core, false);
        if (has_to_give(c, c->local)) {
                control_keep_free(c, core, true);
                return control_ownership_leave(c, core);
        }
        if (!is_lent(c, now_ns, c->local))
                return false;
        if (c->spec.cores_type->lend(c->spec.cores, core) != CORES_DONE)
                return false;
        c->figures.lent++;
        control_ask_next(c);
        return true;
}

bool control_lend_spare(struct control *c, int64_t now_ns, int32_t core, const struct gain *gain)
{
        return figure(&c->own->ready) <= gain->count && settle(c, now_ns, core);
}

/* Would its owner use or keep it? (Where it has asked, it goes there anyway.) */
static bool is_wanted(struct control *c, int64_t now_ns, int32_t core)
{
        int32_t owner = owner_of(c, core);
        if (owner == NONE)
                return false;
        return figure(&row_of(c, owner)->ready) > 0 || has_to_give(c, owner) ||
               !is_lent(c, now_ns, owner);
}

/* A borrowed core: to its owner, or, as that would do with it, into the pool. */
static bool give_back(struct control *c, int64_t now_ns, int32_t core)
{
        const struct cores_type *type = c->spec.cores_type;
        bool home = is_wanted(c, now_ns, core);
        bool done = (home ? type->go_home : type->giveback)(c->spec.cores, core) == CORES_DONE;
        if (done && !home)
                control_ask_next(c);
        return done || !usable(c, core);
}

/* A borrowed core that is idle, and not asked back: is it worth keeping? */
static bool keeps(struct control *c, int64_t now_ns)
{
        if (!c->lewi || figure(&c->own->held_known) == 0)
                return false;
        return ask(c, now_ns, LEND_BORROWED_IDLE, 0).action == LEND_KEEP;
}

void control_core_taken(struct control *c, int32_t core)
{
        control_keep_free(c, core, false);
        if (owner_of(c, core) == c->local)
                c->lending.offered_ns[core] = 0;
}

bool control_core_idle(struct control *c, int64_t now_ns, int32_t core)
{
        if (!usable(c, core))
                return true;
        if (owner_of(c, core) == c->local)
                return settle(c, now_ns, core);
        if (!c->spec.cores_type->must_return(c->spec.cores, core) && keeps(c, now_ns))
                return false;
        return give_back(c, now_ns, core);
}

bool control_core_boundary(struct control *c, int64_t now_ns, int32_t core)
{
        if (!usable(c, core))
                return true;
        if (c->spec.cores_type->must_return(c->spec.cores, core))
                return give_back(c, now_ns, core);
        return control_ownership_leave(c, core);
}

/* Cores that were asked back and have come back since. */
static void take_returned(struct control *c, struct gain *gain)
{
        int32_t count = c->spec.cores_type->returned(c->spec.cores, c->ncore - gain->count,
                                                     gain->core + gain->count);
        gain->count += count;
        c->figures.reclaimed += count;
        c->lending.asked -= count < c->lending.asked ? count : c->lending.asked;
}

static int32_t borrow(struct control *c, int32_t count, struct gain *gain)
{
        int32_t room = c->ncore - gain->count;
        int32_t got = c->spec.cores_type->borrow(c->spec.cores, count < room ? count : room,
                                                 gain->core + gain->count);
        gain->count += got;
        c->figures.borrowed += got;
        return got;
}

/* Woken, perhaps since a core lies in the pool that the policy means the caller to have: then it
 * need not ask for its own. */
static void take_lent(struct control *c, int64_t now_ns, struct gain *gain)
{
        while (c->lewi && figure(&c->own->ready) > gain->count &&
               c->spec.cores_type->pool(c->spec.cores) > 0) {
                struct lend_decision decision = ask(c, now_ns, LEND_CORE_LENT, gain->count);
                if (decision.action != LEND_BORROW || decision.borrower != c->local ||
                    borrow(c, 1, gain) == 0)
                        return;
        }
}

/* Own cores that are lent and not yet asked back. */
static int32_t to_ask_back(const struct control *c)
{
        return figure(&c->own->lent) - figure(&c->own->reclaiming);
}

/* Idle ones at once, those in use at the end of their task. Did it change anything? */
static bool reclaim(struct control *c, int32_t count, struct gain *gain)
{
        int32_t before = to_ask_back(c), room = c->ncore - gain->count;
        int32_t asked = figure(&c->own->reclaiming);
        int32_t got = c->spec.cores_type->reclaim(c->spec.cores, count < room ? count : room,
                                                  gain->core + gain->count);
        gain->count += got;
        c->figures.reclaimed += got;
        asked = figure(&c->own->reclaiming) - asked;
        c->lending.asked += asked > 0 ? asked : 0;
        return to_ask_back(c) < before;
}

/* One round of asking the policy for cores; false where there is nothing more to be had. */
static bool seek_lent(struct control *c, int64_t now_ns, int32_t started, struct gain *gain)
{
        if (to_ask_back(c) <= 0 && c->spec.cores_type->pool(c->spec.cores) == 0)
                return false;
        struct lend_decision decision = ask(c, now_ns, LEND_NEEDS_CORES, started);
        if (decision.action == LEND_RECLAIM && decision.count > 0)
                return reclaim(c, decision.count, gain);
        return decision.action == LEND_BORROW && borrow(c, 1, gain) > 0;
}

/* Cores for the ready tasks. The main program has no ready task to speak for it: it takes back one
 * core if all are lent. */
static void seek(struct control *c, int64_t now_ns, struct gain *gain)
{
        int32_t ready = figure(&c->own->ready);
        if (ready == 0 && gain->count == 0 && to_ask_back(c) > 0)
                reclaim(c, 1, gain);
        while (c->lewi && ready > gain->count)
                if (!seek_lent(c, now_ns, gain->count, gain))
                        return;
}

/* Whatever the policy says: it is asked for tasks' sake, and of a program without a core none would
 * ever come. */
int32_t control_needs_one(struct control *c, int32_t *gained)
{
        struct gain gain = { .core = gained };
        if (figure(&c->own->reclaiming) == 0 && to_ask_back(c) > 0)
                reclaim(c, 1, &gain);
        return gain.count;
}

/* Cores borrowed ahead of the tasks they are for. */
static void borrow_ahead(struct control *c, int64_t now_ns, enum lend_occasion occasion,
                         struct gain *gain)
{
        if (!c->lewi || figure(&c->own->held_known) == 0 ||
            c->spec.cores_type->pool(c->spec.cores) == 0)
                return;
        struct lend_decision decision = ask(c, now_ns, occasion, gain->count);
        if (decision.action == LEND_BORROW)
                borrow(c, decision.count, gain);
}

int32_t control_needs_cores(struct control *c, int64_t now_ns, enum lend_occasion occasion,
                            int32_t *gained)
{
        struct gain gain = { .core = gained };
        if (c->lending.asked > 0 || occasion == LEND_OCCASION_NONE)
                take_returned(c, &gain);
        if (occasion == LEND_TOOK_TASK || occasion == LEND_POLLED)
                borrow_ahead(c, now_ns, occasion, &gain);
        if (occasion == LEND_OCCASION_NONE)
                take_lent(c, now_ns, &gain);
        if (c->boundary && (occasion == LEND_NEEDS_CORES || occasion == LEND_OCCASION_NONE))
                control_ownership_claim(c, now_ns, &gain);
        if (occasion == LEND_NEEDS_CORES)
                seek(c, now_ns, &gain);
        return gain.count;
}

void control_lend_poll(struct control *c, struct gain *gain)
{
        c->lending.asked = figure(&c->own->reclaiming);
        take_returned(c, gain);
}
