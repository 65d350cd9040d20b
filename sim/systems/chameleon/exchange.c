/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of loads (docs/facts.md C1) and what follows from it: migration (C2), replication
 * (C6), the end of the taskwait (C5).
 */
#include "sim/systems/chameleon/chameleon.h"

#include <string.h>

#include "policies/host/ask.h"

/* ---- Exchanges ---- */

void cham_changed(struct cham *c)
{
        c->changed = true;
        if (c->pending)
                return;
        int64_t since = c->now_ns - c->origin_ns;
        int64_t count = (since + c->exchange_ns - 1) / c->exchange_ns;
        c->pending = true;
        queue_set(&c->queue, cham_slot(c, CHAM_SLOT_EXCHANGE),
                  c->origin_ns + count * c->exchange_ns);
}

static void take_sample(struct cham *c)
{
        struct cham_table *t = &c->sample;
        t->outstanding = 0;
        t->nbusy = 0;
        for (int32_t i = 0; i < c->nrank; i++) {
                const struct cham_rank *r = &c->rank[i];
                struct migrate_local local = cham_local(r);
                t->load[i] =
                    ask_load(c->type, r->policy, &local, sim_decisions_of(&c->decisions, i));
                t->outstanding += r->own_left + r->foreign_left;
                t->nbusy += r->running > 0;
        }
        c->changed = false;
        c->fresh = true;
}

static bool is_less(const struct cham *c, int32_t a, int32_t b)
{
        int64_t x = c->known.load[a], y = c->known.load[b];
        return x < y || (x == y && a < b);
}

/* By insertion: from one exchange to the next the order hardly changes. */
static void sort_ranks(struct cham *c)
{
        c->load_sum = 0;
        for (int32_t i = 0; i < c->nrank; i++) {
                int32_t rank = c->order[i], at = i;
                for (; at > 0 && is_less(c, rank, c->order[at - 1]); at--)
                        c->order[at] = c->order[at - 1];
                c->order[at] = rank;
                c->load_sum += c->known.load[i];
        }
        for (int32_t i = 0; i < c->nrank; i++)
                c->place[c->order[i]] = i;
}

/* What was sampled one exchange ago is now known to all. */
static void publish(struct cham *c)
{
        struct cham_table old = c->known;
        c->known = c->sample;
        c->sample = old;
        c->fresh = false;
        c->changes += c->known.outstanding != old.outstanding;
        sort_ranks(c);
}

/* ---- Decisions ---- */

static struct migrate_view view_of(const struct cham *c, int32_t rank)
{
        return (struct migrate_view){
                .time_ns = c->now_ns,
                .rank = rank,
                .nrank = c->nrank,
                .local = cham_local(&c->rank[rank]),
                .load = c->known.load,
                .order = c->order,
                .position = c->place[rank],
                .load_sum = c->load_sum,
                .sending = &c->sending[(int64_t)rank * c->nrank],
                .changes = c->changes,
        };
}

/* How many moves, in c->move. */
static int32_t ask(struct cham *c, int32_t rank, bool replicates)
{
        struct migrate_view view = view_of(c, rank);
        int32_t nmove = ask_migrate(c->type, c->rank[rank].policy, replicates, &view, c->move,
                                    sim_decisions_of(&c->decisions, rank), c->err);
        c->failed |= nmove < 0;
        return nmove;
}

void cham_decide(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        if (!c->exchanged || r->head == r->tail)
                return;
        int32_t nmove = ask(c, rank, false);
        if (nmove > 0)
                ledger_decided(c->ledger);
        for (int32_t i = 0; i < nmove; i++)
                cham_send_tasks(c, rank, &c->move[i]);
}

static void replicate(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        if (r->head == r->tail)
                return;
        int32_t nmove = ask(c, rank, true);
        for (int32_t i = 0; i < nmove; i++)
                cham_send_replicas(c, rank, &c->move[i]);
}

/* All know that nothing is left to do: they leave. */
static void end(struct cham *c)
{
        int64_t barriers_ns = 2 * network_barrier_ns(&c->network, c->nrank);
        queue_set(&c->queue, cham_slot(c, CHAM_SLOT_END), c->now_ns + barriers_ns);
}

static void act(struct cham *c)
{
        bool first = !c->exchanged;
        c->exchanged = true;
        for (int32_t i = 0; first && i < c->nrank; i++)
                replicate(c, i);
        for (int32_t i = 0; i < c->nrank && !c->failed; i++)
                cham_decide(c, i);
}

void cham_exchange(struct cham *c)
{
        int32_t slot = cham_slot(c, CHAM_SLOT_EXCHANGE);
        bool brought = c->fresh;
        queue_clear(&c->queue, slot);
        c->pending = true; /* so that what follows does not ask for an exchange right now */
        if (brought)
                publish(c);
        if (c->changed)
                take_sample(c);
        if (brought && c->known.outstanding == 0 && c->known.nbusy == 0)
                end(c);
        else if (brought)
                act(c);
        c->pending = c->fresh || c->changed;
        if (c->pending)
                queue_set(&c->queue, slot, c->now_ns + c->exchange_ns);
}
