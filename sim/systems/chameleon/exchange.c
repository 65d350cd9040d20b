/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of loads (docs/facts.md C1) and what follows from it: migration (C2), replication
 * (C6), the end of the taskwait (C5).
 */
#include "sim/systems/chameleon/chameleon.h"

#include <string.h>

#include "policies/host/ask.h"

/* ---- Exchanges ---- */

void cham_changed(struct cham *c, int32_t rank)
{
        cham_touch(c, rank);
        c->changed = true;
        if (c->pending)
                return;
        int64_t since = c->now_ns - c->origin_ns;
        int64_t count = (since + c->exchange_ns - 1) / c->exchange_ns;
        c->pending = true;
        c->own_event_ns[CHAM_EXCHANGE] = c->origin_ns + count * c->exchange_ns;
}

static void sample_rank(struct cham *c, int32_t rank)
{
        struct cham_table *t = &c->sample;
        struct cham_rank *r = &c->rank[rank];
        struct migrate_local local = cham_local(r);
        int64_t load = ask_load(c->type, r->policy, &local, sim_decisions_of(&c->decisions, rank));
        int64_t outstanding = r->own_left + r->foreign_left;
        bool busy = r->running > 0;
        t->outstanding += outstanding - r->told_outstanding;
        t->nbusy += busy - r->told_busy;
        r->told_outstanding = outstanding;
        r->told_busy = busy;
        r->touched = false;
        if (load == t->load[rank])
                return;
        t->load[rank] = load;
        if (!r->moved)
                c->moved[c->nmoved++] = rank;
        r->moved = true;
}

/* Of the others it would be what the last one was. */
static void take_sample(struct cham *c)
{
        for (int32_t i = 0; c->all_asked && i < c->nrank; i++)
                cham_touch(c, i);
        for (int32_t i = 0; i < c->ntouched; i++)
                sample_rank(c, c->touched[i]);
        c->ntouched = 0;
        c->changed = false;
        c->fresh = true;
}

/* ---- The order of ranks by load ---- */

enum { ORDER_STEP = 8 }; /* ranks passed at a time where a rank moves far */

static bool is_less(const struct cham_order *o, int32_t at, int64_t load, int32_t rank)
{
        return (o->load[at] < load) | ((o->load[at] == load) & (o->rank[at] < rank));
}

/* How many ranks before a place have more than this one. */
static int32_t count_more(const struct cham_order *o, int32_t at, int64_t load, int32_t rank)
{
        int32_t count = 0, end = at;
        while (end >= ORDER_STEP && !is_less(o, end - ORDER_STEP, load, rank))
                end -= ORDER_STEP;
        for (int32_t i = end - 1; i >= 0 && i >= end - ORDER_STEP; i--)
                count += !is_less(o, i, load, rank);
        return at - end + count;
}

/* How many ranks behind a place have less than this one. */
static int32_t count_less(const struct cham_order *o, int32_t at, int64_t load, int32_t rank)
{
        int32_t count = 0, from = at + 1, n = o->nrank;
        while (from + ORDER_STEP <= n && is_less(o, from + ORDER_STEP - 1, load, rank))
                from += ORDER_STEP;
        for (int32_t i = from; i < n && i < from + ORDER_STEP; i++)
                count += is_less(o, i, load, rank);
        return from - at - 1 + count;
}

/* Ranks first .. first + count - 1 of the order have moved by this many places. */
static void shift(struct cham_order *o, int32_t first, int32_t count, int32_t by)
{
        size_t n = (size_t)count;
        memmove(&o->load[first + by], &o->load[first], n * sizeof(*o->load));
        memmove(&o->rank[first + by], &o->rank[first], n * sizeof(*o->rank));
        for (int32_t i = first + by; i < first + by + count; i++)
                o->place[o->rank[i]] = i;
}

/* To its new place among the others, which are in order. */
static void move_rank(struct cham_order *o, int32_t rank, int64_t load)
{
        int32_t at = o->place[rank], to = at;
        if (load < o->load[at]) {
                to -= count_more(o, at, load, rank);
                shift(o, to, at - to, 1);
        } else {
                to += count_less(o, at, load, rank);
                shift(o, at + 1, to - at, -1);
        }
        o->load[to] = load;
        o->rank[to] = rank;
        o->place[rank] = to;
}

/* ---- What an exchange brings ---- */

/* What was sampled one exchange ago is now known to all. */
static void publish(struct cham *c)
{
        for (int32_t i = 0; i < c->nmoved; i++) {
                int32_t rank = c->moved[i];
                c->rank[rank].moved = false;
                c->npusher = -1;
                c->load_sum += c->sample.load[rank] - c->known.load[rank];
                c->known.load[rank] = c->sample.load[rank];
                move_rank(&c->order, rank, c->known.load[rank]);
        }
        c->nmoved = 0;
        c->fresh = false;
        c->changes += c->known.outstanding != c->sample.outstanding;
        c->known.outstanding = c->sample.outstanding;
        c->known.nbusy = c->sample.nbusy;
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
                .order = c->order.rank,
                .position = c->order.place[rank],
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
        c->own_event_ns[CHAM_END] = c->now_ns + barriers_ns;
}

/* Mark who may push at these loads; all others would only say that they do not. */
static void mark_pushers(struct cham *c)
{
        struct migrate_view view = view_of(c, 0);
        if (c->npusher < 0)
                c->npusher = ask_pushers(c->type, c->rank[0].policy, &view);
        for (int32_t i = c->nrank - c->npusher; i < c->nrank; i++) {
                int32_t rank = c->order.rank[i];
                c->asked[rank / 64] |= (uint64_t)1 << rank % 64;
        }
}

static void decide_marked(struct cham *c)
{
        mark_pushers(c);
        for (int32_t word = 0; word <= c->nrank / 64; word++) {
                uint64_t left = c->asked[word];
                c->asked[word] = 0;
                for (; left != 0 && !c->failed; left &= left - 1)
                        cham_decide(c, word * 64 + __builtin_ctzll(left));
        }
}

static void act(struct cham *c)
{
        bool first = !c->exchanged;
        c->exchanged = true;
        for (int32_t i = 0; first && i < c->nrank; i++)
                replicate(c, i);
        if (!c->all_asked)
                decide_marked(c);
        for (int32_t i = 0; c->all_asked && i < c->nrank && !c->failed; i++)
                cham_decide(c, i);
}

void cham_exchange(struct cham *c)
{
        bool brought = c->fresh;
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
        c->own_event_ns[CHAM_EXCHANGE] = c->pending ? c->now_ns + c->exchange_ns : CHAM_NEVER;
}
