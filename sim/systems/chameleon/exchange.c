/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of loads (docs/facts.md C1) and what follows from it: migration (C2), replication
 * (C6), the end of the taskwait (C5).
 */
#include "sim/systems/chameleon/chameleon.h"

#include "policies/host/ask.h"

/* ---- Exchanges ---- */

/* The next one there can be. */
void cham_want_exchange(struct cham *c)
{
        int64_t since = c->now_ns - c->origin_ns;
        int64_t count = (since + c->exchange_ns - 1) / c->exchange_ns;
        c->pending = true;
        cham_set_own(c, CHAM_EXCHANGE, c->origin_ns + count * c->exchange_ns);
}

/* As lbrun, which does not let anybody wait for that: the exchange that samples it is the next
 * turn's, and so is the one that brings it. */
void cham_hurry(struct cham *c, int32_t rank)
{
        const struct cham_rank *r = &c->rank[rank];
        const struct migrate_local *l = &r->local;
        bool is_news = c->sample.load[rank] > 0 || r->own_left + r->foreign_left == 0;
        if (!is_news || l->queued + l->copies + l->received + l->running > 0)
                return;
        int64_t at_ns = cham_turn(c, c->now_ns + 1);
        c->hurried = true;
        if (at_ns < c->own_event_ns[CHAM_EXCHANGE])
                cham_set_own(c, CHAM_EXCHANGE, at_ns);
}

static inline void sample_rank(struct cham *c, int32_t rank)
{
        struct cham_table *t = &c->sample;
        struct cham_rank *r = &c->rank[rank];
        struct decision_log *log = sim_decisions_of(&c->decisions, rank);
        int64_t load = ask_load(c->type, r->policy, &r->local, log);
        int64_t outstanding = r->own_left + r->foreign_left;
        bool busy = r->local.running > 0;
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
        cham_under_way_sampled(c);
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
                cham_order_move(&c->order, rank, c->known.load[rank]);
        }
        c->nmoved = 0;
        c->fresh = false;
        c->changes += c->known.outstanding != c->sample.outstanding;
        c->known.outstanding = c->sample.outstanding;
        c->known.nbusy = c->sample.nbusy;
        cham_under_way_known(c);
}

/* ---- Decisions ---- */

/* What all ranks know. */
static struct migrate_view *known_to_all(struct cham *c)
{
        c->view.time_ns = c->now_ns;
        c->view.load = c->known.load;
        c->view.order = c->order.rank;
        c->view.load_sum = c->load_sum;
        c->view.changes = c->changes;
        return &c->view;
}

static const struct migrate_view *known_to(struct cham *c, int32_t rank)
{
        struct migrate_view *view = known_to_all(c);
        view->rank = rank;
        view->local = c->rank[rank].local;
        view->position = c->order.place[rank];
        view->sending = &c->sending[(int64_t)rank * c->nrank];
        cham_under_way_show(c, rank, view);
        return view;
}

/* How many moves, in c->move. */
static inline int32_t ask(struct cham *c, int32_t rank, bool replicates)
{
        int32_t nmove = ask_migrate(c->type, c->rank[rank].policy, replicates, known_to(c, rank),
                                    c->move, sim_decisions_of(&c->decisions, rank), c->err);
        if (nmove < 0)
                sim_decisions_blame(c->err, c->now_ns, c->iteration, c->type->name);
        c->failed |= nmove < 0;
        return nmove;
}

/* Of these loads nobody has asked yet, or the rank may push. */
static bool may_push(const struct cham *c, int32_t rank)
{
        return c->npusher < 0 || c->order.place[rank] >= c->nrank - c->npusher;
}

void cham_decide(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        if (!c->exchanged || r->local.queued == 0 || !may_push(c, rank))
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
        if (r->local.queued == 0 || cham_ordered_has_wholes(c)) /* which run once */
                return;
        int32_t nmove = ask(c, rank, true);
        for (int32_t i = 0; i < nmove; i++)
                cham_send_replicas(c, rank, &c->move[i]);
}

/* All know that nothing is left to do: they leave. */
static void end(struct cham *c)
{
        int64_t barriers_ns = 2 * network_barrier_ns(&c->network, c->nrank);
        cham_set_own(c, CHAM_END, c->now_ns + barriers_ns);
}

/* How many ranks, the last ones in order, may push at the known loads. */
static int32_t npusher(struct cham *c)
{
        if (c->npusher < 0)
                c->npusher = ask_pushers(c->type, c->rank[0].policy, known_to_all(c));
        return c->npusher;
}

/* Those who may push, by number; all others would only say that they do not. */
static void decide_pushers(struct cham *c)
{
        int32_t first = c->nrank - npusher(c), only = c->order.rank[c->nrank - 1];
        if (first == c->nrank - 1)
                cham_decide(c, only);
        if (first >= c->nrank - 1)
                return;
        for (int32_t i = first; i < c->nrank; i++) {
                int32_t rank = c->order.rank[i];
                c->asked[rank / 64] |= (uint64_t)1 << rank % 64;
        }
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
                decide_pushers(c);
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
        int64_t next_ns = c->now_ns + (c->hurried ? c->turn_ns : c->exchange_ns);
        c->hurried = false;
        cham_set_own(c, CHAM_EXCHANGE, c->pending ? next_ns : CHAM_NEVER);
}
