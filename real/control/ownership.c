/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How ownership moves (DROM), as in lbsim (sim/systems/offload/control.c): a worker that owns too
 * much offers idle and lent cores at a poll, and gives up those that it has not used again by the
 * next; a worker that owns too little claims them then. So a core that is always busy never moves.
 * With `ownership` = boundary, a worker does not wait, and gives up cores in use as well, when
 * their task ends.
 */
#include "real/control/control_impl.h"

static int32_t surplus(const struct control *c)
{
        return figure(&c->own->owned) - target_of(c, c->local);
}

static int32_t most_under_target(const struct control *c)
{
        int32_t *owned = c->list, *target = c->list + c->nlocal;
        for (int32_t l = 0; l < c->nlocal; l++) {
                owned[l] = figure(&row_of(c, l)->owned);
                target[l] = target_of(c, l);
        }
        return node_most_under(c->nlocal, owned, target);
}

static bool any_dropped(const struct control *c)
{
        for (int32_t core = 0; core < c->ncore; core++)
                if (owner_of(c, core) == NONE)
                        return true;
        return false;
}

bool control_ownership_due(const struct control *c)
{
        return c->drom && most_under_target(c) == c->local && any_dropped(c);
}

/* Each core goes to who is then most under target: who is not leaves it, and who was calls the
 * next. */
void control_ownership_claim(struct control *c, int64_t now_ns, struct gain *gain)
{
        int32_t core, taken = 0;
        while (control_ownership_due(c) && c->spec.cores_type->claim(c->spec.cores, 1, &core) > 0) {
                taken++;
                if (core != NONE && !control_lend_spare(c, now_ns, core, gain))
                        gain->core[gain->count++] = core;
        }
        c->figures.ownership_changes += taken;
        int32_t next = taken > 0 && any_dropped(c) ? most_under_target(c) : NONE;
        if (next != NONE)
                board_wake(c->spec.board, next);
}

/* Own, and in nobody's use here? */
static bool is_spare(const struct control *c, int32_t core, const bool *idle)
{
        return owner_of(c, core) == c->local && (idle[core] || !usable(c, core));
}

static bool drop(struct control *c, int32_t core)
{
        if (c->spec.cores_type->drop(c->spec.cores, core) != CORES_DONE)
                return false;
        control_keep_free(c, core, false);
        return true;
}

static void give_up_offered(struct control *c, int64_t now_ns, bool *idle)
{
        int64_t *offered_ns = c->lending.offered_ns;
        for (int32_t core = 0; core < c->ncore; core++) {
                if (offered_ns[core] == 0)
                        continue;
                bool stands = surplus(c) > 0; /* used by its owner it is not offered any more */
                if (stands &&
                    !node_offer_is_over(c->boundary, now_ns - offered_ns[core], c->poll_ns))
                        continue;
                offered_ns[core] = 0;
                if (stands && drop(c, core))
                        idle[core] = false;
        }
}

/* Cores that were kept free for this first, then idle and lent ones. */
static void offer(struct control *c, int64_t now_ns, const bool *idle, bool kept_free)
{
        int64_t *offered_ns = c->lending.offered_ns;
        int32_t left = surplus(c);
        for (int32_t core = 0; core < c->ncore; core++)
                left -= offered_ns[core] != 0;
        for (int32_t core = 0; core < c->ncore && left > 0; core++) {
                if (!node_is_movable(!is_spare(c, core, idle), offered_ns[core] != 0) ||
                    c->lending.kept_free[core] != kept_free)
                        continue;
                offered_ns[core] = now_ns;
                control_keep_free(c, core, idle[core]);
                left--;
        }
}

void control_ownership_poll(struct control *c, int64_t now_ns, bool *idle, struct gain *gain)
{
        if (!c->drom)
                return;
        control_ownership_claim(c, now_ns, gain);
        give_up_offered(c, now_ns, idle);
        offer(c, now_ns, idle, true);
        offer(c, now_ns, idle, false);
        if (!c->boundary)
                return;
        give_up_offered(c, now_ns, idle);
        control_ownership_claim(c, now_ns, gain);
}

bool control_ownership_leave(struct control *c, int32_t core)
{
        if (!c->drom || !c->boundary || surplus(c) <= 0 || owner_of(c, core) != c->local)
                return false;
        int32_t taker = most_under_target(c);
        if (taker == NONE || !drop(c, core))
                return false;
        board_wake(c->spec.board, taker);
        return true;
}
