/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking (sim/systems/offload/asks.c has the picture): where cores of the node are lent and nobody
 * has a task for them, a helper asks its apprank for held tasks, for the cores that no other worker
 * has asked for. Who lends a core, or is told that none is held, passes it on: it wakes the next
 * worker of the node that may ask.
 */
#include "real/control/control_impl.h"

int control_asks_create(struct control *c, struct lb_error *err)
{
        c->asking.on = c->lewi && c->job->param[JOB_ASK] != 0;
        c->asking.gives_waiting = c->asking.on && c->job->param[JOB_ASK_WAITING] != 0;
        if (!c->asking.on || c->place != 0)
                return 0;
        c->asking.refused = control_take(c, (size_t)c->nplace, sizeof(bool));
        return control_taken(c, err);
}

/* Cores in the pool that nobody asks tasks for. */
static int32_t unasked(const struct control *c)
{
        int32_t cores = c->spec.cores_type->pool(c->spec.cores);
        for (int32_t l = 0; l < c->nlocal; l++)
                cores -= figure(&row_of(c, l)->asking);
        return cores;
}

static bool may_ask(const struct control *c, int32_t local)
{
        const struct board_worker *row = row_of(c, local);
        if (figure(&row->ready) > 0)
                return false; /* it takes the cores itself */
        if (is_home(c, local))
                return figure(&row->held_known) > 0;
        if (job_grows(c->job) && figure(&row->target) == 0)
                return false; /* it is to sleep */
        return figure(&row->asking) == 0 && figure(&row->refused) == 0;
}

int32_t control_ask(struct control *c)
{
        int32_t cores = c->asking.on && figure(&c->own->ready) == 0 ? unasked(c) : 0;
        if (cores <= 0)
                return 0;
        if (c->place != 0 && may_ask(c, c->local)) {
                atomic_store(&c->own->asking, cores);
                c->asking.asked = true;
                control_mail_ask(c, cores);
        }
        return cores;
}

void control_ask_next(struct control *c)
{
        if (!c->asking.on || unasked(c) <= 0)
                return;
        for (int32_t i = 1; i <= c->nlocal; i++) {
                int32_t l = (c->local + i) % c->nlocal;
                if (!may_ask(c, l))
                        continue;
                if (l == c->local && c->place != 0)
                        control_ask(c);
                else
                        board_wake(c->spec.board, l);
                return;
        }
}

void control_task_came(struct control *c)
{
        c->asking.came = true;
        if (figure(&c->own->asking) > 0)
                atomic_fetch_sub(&c->own->asking, 1);
}

/* What was asked for may not have come, and what is borrowed is forgotten with each iteration. */
bool control_ask_retell(struct control *c, const struct known_cores *now)
{
        bool borrowed = c->asking.came && now->usable > now->owned;
        bool retell = c->asking.on && (c->asking.asked || borrowed);
        c->asking.asked = c->asking.came = false;
        return retell;
}

void control_ask_refused(struct control *c)
{
        atomic_store(&c->own->asking, 0);
        atomic_store(&c->own->refused, 1);
        control_ask_next(c);
}

void control_ask_invited(struct control *c)
{
        atomic_store(&c->own->refused, 0);
        control_ask(c);
}

/* ---- At home ---- */

bool control_asked(const struct control *c)
{
        return c->asking.cores > 0;
}

void control_answer(struct control *c, int32_t place, int64_t given)
{
        int32_t cores = c->asking.cores;
        c->asking.cores = 0;
        c->placing.usable[place] += cores;
        if (given >= cores || !c->asking.refused)
                return;
        c->asking.nrefused += !c->asking.refused[place];
        c->asking.refused[place] = true;
        control_mail_tasks(c, place, false);
}

void control_ask_held(struct control *c)
{
        for (int32_t p = 1; p < c->nplace && c->asking.nrefused > 0; p++) {
                if (!c->asking.refused[p])
                        continue;
                c->asking.refused[p] = false;
                c->asking.nrefused--;
                control_mail_tasks(c, p, true);
        }
}

void control_ask_iteration(struct control *c)
{
        struct placing *p = &c->placing;
        for (int32_t i = 1; i < c->nplace && c->asking.on && c->place == 0; i++)
                if (p->usable[i] > p->owned[i])
                        p->usable[i] = p->owned[i];
}
