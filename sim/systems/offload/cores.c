/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores: who owns them, who uses them, how they are lent, borrowed and reclaimed
 * (ICPP'22 3.3, 5.3). A core changes hands at task boundaries only.
 */
#include "sim/systems/offload/machine.h"

#include "base/apart.h"
#include "sim/systems/offload/ready.h"

/* The worker whose list a core of this state is in. */
static struct worker *holder(struct machine *m, const struct core *c)
{
        return &m->worker[c->state == CORE_KEPT ? c->user : c->owner];
}

/* A core of this state is in its holder's list: one more, or one less. */
static inline void list_counts(struct machine *m, const struct core *c, struct worker *o,
                               int32_t more)
{
        bool pooled = c->state == CORE_POOLED;
        o->giving += c->state == CORE_GIVING ? more : 0;
        o->at_hand = (uint16_t)(o->at_hand + (pooled ? 0 : more));
        if (!pooled)
                return;
        o->pooled += more;
        m->node[o->node].pool += more;
        worker_counts(o, COUNT_LENT, more);
        machine_know_own(m, c->owner);
}

static void list_add(struct machine *m, int32_t core, enum core_state state)
{
        struct core *c = &m->core[core];
        c->state = (uint32_t)state & UINT8_MAX;
        if (state != CORE_KEPT)
                c->user = NONE;
        struct worker *o = holder(m, c);
        c->prev = NONE;
        c->next = o->list[state];
        if (c->next != NONE)
                m->core[c->next].prev = core;
        o->list[state] = core;
        list_counts(m, c, o, 1);
        if (m->tracing)
                tracing_core(m, core);
}

static void list_remove(struct machine *m, int32_t core)
{
        struct core *c = &m->core[core];
        struct worker *o = holder(m, c);
        if (c->prev != NONE)
                m->core[c->prev].next = c->next;
        else
                o->list[c->state] = c->next;
        if (c->next != NONE)
                m->core[c->next].prev = c->prev;
        list_counts(m, c, o, -1);
}

void cores_idle_at_start(struct machine *m)
{
        for (int32_t n = 0; n < m->nnode; n++) {
                const struct node *node = &m->node[n];
                int32_t core = n * m->stride + m->ncore - 1;
                for (int32_t w = node->first_worker; w < node->first_worker + node->nworker; w++) {
                        for (int32_t i = 0; i < m->owned[w]; i++, core--) {
                                core_set_owner(&m->core[core], w);
                                list_add(m, core, CORE_IDLE);
                        }
                }
        }
}

static LB_APART void borrow_ahead(struct machine *m, int32_t worker, enum lend_occasion occasion);

/* A worker borrows one core more, or one less, of that owner. */
static inline void borrow_counts(struct machine *m, int32_t owner, int32_t worker, int32_t more)
{
        m->borrowed[worker] += more;
        worker_counts(&m->worker[owner], COUNT_LENT, more);
        machine_know_own(m, worker);
        machine_know_own(m, owner);
        m->worker[worker].borrowed_ns -= more * m->now_ns;
}

/* A core that is in no list is from now on the worker's, borrowed unless it is its own. */
static void use(struct machine *m, int32_t core, int32_t worker)
{
        struct core *c = &m->core[core];
        c->user = worker;
        if (c->owner == worker) {
                m->offered[core] = false;
                return;
        }
        borrow_counts(m, c->owner, worker, 1);
        machine_moment(m, SIM_MOMENT_BORROW, core);
}

/* The other way round: the core is nobody's and in no list. */
static void unuse(struct machine *m, int32_t core)
{
        struct core *c = &m->core[core];
        int32_t worker = c->user;
        c->user = NONE;
        if (c->owner != worker)
                borrow_counts(m, c->owner, worker, -1);
}

/* The user's next piece of work: the main program first. The core counts as running already. */
static inline void run_next(struct machine *m, int32_t core, struct core *c, struct worker *w)
{
        int64_t total_ns;
        if (w->main_waits) {
                w->main_waits = false;
                c->state = CORE_MAIN;
                total_ns = tasks_main_batch_ns(m, w->apprank);
        } else {
                c->state = CORE_TASK;
                total_ns = ready_begin(m, w, c);
        }
        queue_set(&m->queue, core, m->now_ns + total_ns);
        if (m->tracing)
                tracing_core(m, core);
        if (m->lewi && m->node[w->node].pool > 0 && m->held_known[c->user] > 0)
                borrow_ahead(m, c->user, LEND_TOOK_TASK);
}

/* A core that is its user's and in no list starts running. */
static LB_APART void run(struct machine *m, int32_t core)
{
        struct core *c = &m->core[core];
        m->running[c->user]++;
        m->worker[c->user].busy_ns -= m->now_ns;
        run_next(m, core, c, &m->worker[c->user]);
}

/* A core that is in no list starts working for a worker. */
static void start(struct machine *m, int32_t core, int32_t worker)
{
        use(m, core, worker);
        run(m, core);
}

/* The same of one that is in a list. */
static void take(struct machine *m, int32_t core, int32_t worker)
{
        list_remove(m, core);
        start(m, core, worker);
}

static void ask_lending(struct machine *m, int32_t node, enum lend_occasion occasion,
                        int32_t worker, struct lend_decision *out)
{
        struct node *n = &m->node[node];
        const struct worker *w = &m->worker[n->first_worker];
        int32_t *ready = worker_count(w, COUNT_READY), *assigned = worker_count(w, COUNT_ASSIGNED);
        for (int32_t i = 0; i < n->nworker; i++) {
                ready[i] = w[i].ready;
                assigned[i] = w[i].assigned;
        }
        n->view.time_ns = m->now_ns;
        n->view.occasion = occasion;
        n->view.worker = worker == NONE ? NONE : worker - n->first_worker;
        n->view.pool = n->pool;
        if (ask_lend(m->spec->lend, n->lend_state, &n->view, out, n->log))
                return;
        char what[ASK_WRONG_SIZE];
        ask_lend_wrong(&n->view, out, what);
        machine_fail(m, "policy '%s' on node %d: %s", m->spec->lend->name, node, what);
        out->action = LEND_NOTHING;
}

/* Own cores that are lent and not yet asked back. */
static inline int32_t to_ask_back(const struct worker *w)
{
        return *worker_count(w, COUNT_LENT) - *worker_count(w, COUNT_RECLAIMING);
}

/* A pooled core of the node, not the worker's own; NONE if there is none. */
static int32_t pooled_core(const struct machine *m, int32_t node, int32_t worker)
{
        const struct node *n = &m->node[node];
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++)
                if (w != worker && m->worker[w].list[CORE_POOLED] != NONE)
                        return m->worker[w].list[CORE_POOLED];
        return NONE;
}

/* Cores borrowed ahead of the tasks they are for. */
static LB_APART void borrow_ahead(struct machine *m, int32_t worker, enum lend_occasion occasion)
{
        int32_t node = m->worker[worker].node;
        struct lend_decision decision;
        ask_lending(m, node, occasion, worker, &decision);
        if (decision.action != LEND_BORROW)
                return;
        for (int32_t count = decision.count; count > 0; count--) {
                int32_t core = pooled_core(m, node, worker);
                if (core == NONE)
                        return;
                list_remove(m, core);
                use(m, core, worker);
                list_add(m, core, CORE_KEPT);
        }
}

/* A core was lent: somebody on the node may be waiting for one. */
static void find_borrower(struct machine *m, int32_t core, int32_t node)
{
        struct lend_decision decision;
        ask_lending(m, node, LEND_CORE_LENT, NONE, &decision);
        if (decision.action != LEND_BORROW)
                return;
        int32_t worker = m->node[node].first_worker + decision.borrower;
        if (m->worker[worker].ready > 0)
                take(m, core, worker);
}

static bool has_to_give(const struct machine *m, int32_t owner, int32_t giving)
{
        return m->drom && node_has_to_give(m->owned[owner], giving, m->target[owner]);
}

/* The owner has no work for a core that is in no list: give it away, lend it or keep it idle. */
static void settle(struct machine *m, int32_t core)
{
        struct core *c = &m->core[core];
        int32_t owner = c->owner, node = m->worker[owner].node;
        if (has_to_give(m, owner, m->worker[owner].giving)) {
                list_add(m, core, CORE_GIVING);
                int32_t taker = m->boundary ? machine_most_under(m, &m->node[node]) : NONE;
                if (taker != NONE)
                        core_transfer(m, core, taker);
                return;
        }
        struct lend_decision decision = { .action = LEND_NOTHING };
        if (m->lewi)
                ask_lending(m, node, LEND_OWNED_IDLE, owner, &decision);
        if (decision.action == LEND_LEND) {
                list_add(m, core, CORE_POOLED);
                find_borrower(m, core, node);
        } else {
                list_add(m, core, CORE_IDLE);
        }
}

/* A core that is in no list comes (back) to its owner. */
static void come_home(struct machine *m, int32_t core)
{
        int32_t owner = m->core[core].owner;
        if (worker_has_work(&m->worker[owner]))
                start(m, core, owner);
        else
                settle(m, core);
}

/* A core whose user is done with it and which is not its user's: to its owner, or back into the
 * pool. */
static void give_back(struct machine *m, int32_t core)
{
        int32_t owner = m->core[core].owner;
        if (*worker_count(&m->worker[owner], COUNT_RECLAIMING) > 0)
                worker_counts(&m->worker[owner], COUNT_RECLAIMING, -1);
        come_home(m, core);
}

/* A core of the worker's that somebody keeps idle, NONE if there is none. */
static int32_t kept_by_others(const struct machine *m, int32_t worker)
{
        int32_t first = m->worker[worker].node * m->stride;
        for (int32_t c = first; c < first + m->ncore; c++)
                if (m->core[c].owner == worker && m->core[c].state == CORE_KEPT)
                        return c;
        return NONE;
}

/* The next lent core that the owner can have at once. */
static int32_t lent_idle_core(const struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        if (w->list[CORE_POOLED] != NONE)
                return w->list[CORE_POOLED];
        return kept_by_others(m, worker);
}

/* Take back own lent cores: idle ones at once, used ones at the end of their task. */
static void reclaim(struct machine *m, int32_t worker, int32_t count)
{
        while (count > 0 && worker_has_work(&m->worker[worker])) {
                int32_t core = lent_idle_core(m, worker);
                if (core == NONE)
                        break;
                list_remove(m, core);
                if (m->core[core].user != NONE)
                        unuse(m, core);
                start(m, core, worker);
                count--;
        }
        struct worker *w = &m->worker[worker];
        int32_t in_use = to_ask_back(w) - w->pooled;
        worker_counts(w, COUNT_RECLAIMING, count < in_use ? count : in_use);
}

/* One round of asking the lending policy for cores; false when there is nothing more to be had. */
static bool seek_lent(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        int32_t node = w->node;
        if (to_ask_back(w) <= 0 && m->node[node].pool == 0)
                return false;
        struct lend_decision decision;
        ask_lending(m, node, LEND_NEEDS_CORES, worker, &decision);
        if (decision.action == LEND_RECLAIM && decision.count > 0) {
                int32_t before = to_ask_back(w);
                reclaim(m, worker, decision.count);
                return to_ask_back(w) < before;
        }
        int32_t core = decision.action == LEND_BORROW ? pooled_core(m, node, worker) : NONE;
        if (core == NONE)
                return false;
        take(m, core, worker);
        return true;
}

static int32_t own_idle_core(const struct worker *w)
{
        return w->list[CORE_IDLE] != NONE ? w->list[CORE_IDLE] : w->list[CORE_GIVING];
}

/* Nothing to run: the apprank's held tasks are a last resort at its home. */
static bool helped_itself(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        if (!w->home || m->apprank[w->apprank].view.held_tasks == 0)
                return false;
        tasks_refill(m, worker, PLACE_IDLE);
        if (w->ready == 0)
                return false;
        const struct apprank *a = &m->apprank[w->apprank];
        for (int32_t e = a->first_edge + 1; e < a->first_edge + a->nedge; e++)
                tasks_refill(m, m->edge_worker[e], PLACE_REFRESHED);
        return true;
}

/* A core that is idle, its own or borrowed, takes a held task like one that has just ended its own.
 */
static bool fills_idle(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        bool idle = own_idle_core(w) != NONE || w->list[CORE_KEPT] != NONE;
        return idle && helped_itself(m, worker);
}

void cores_seek(struct machine *m, int32_t worker)
{
        struct worker *w = &m->worker[worker];
        while (worker_has_work(w) || fills_idle(m, worker)) {
                int32_t core = own_idle_core(w);
                int32_t kept = w->list[CORE_KEPT];
                if (core != NONE) {
                        take(m, core, worker);
                } else if (kept != NONE) {
                        list_remove(m, kept);
                        run(m, kept);
                } else if (w->ready == 0) {
                        /* The main program has no ready task to speak for it: it reclaims one core
                         * if all are lent. */
                        if (to_ask_back(w) > 0)
                                reclaim(m, worker, 1);
                        return;
                } else if (!m->lewi || !seek_lent(m, worker)) {
                        return;
                }
        }
}

/* Whose the core is while it stays with its user: own cores become borrowed ones and the other way
 * round. */
static void transfer_used(struct machine *m, struct core *c, int32_t owner)
{
        int32_t core = (int32_t)(c - m->core), user = c->user;
        unuse(m, core);
        core_set_owner(c, owner);
        use(m, core, user);
}

void core_transfer(struct machine *m, int32_t core, int32_t owner)
{
        struct core *c = &m->core[core];
        int32_t old = c->owner;
        bool comes_home = c->user == NONE || (c->state == CORE_KEPT && c->user == owner);
        if (comes_home) {
                list_remove(m, core);
                if (c->user != NONE)
                        unuse(m, core);
                core_set_owner(c, owner);
        } else {
                transfer_used(m, c, owner);
        }
        m->offered[core] = false;
        if (m->tracing && !comes_home)
                tracing_core(m, core);
        m->owned[old]--;
        m->owned[owner]++;
        struct worker *loser = &m->worker[old];
        int32_t in_use = *worker_count(loser, COUNT_LENT) - loser->pooled;
        int32_t asked_back = *worker_count(loser, COUNT_RECLAIMING);
        if (asked_back > in_use)
                worker_counts(loser, COUNT_RECLAIMING, in_use - asked_back);
        machine_know_own(m, old);
        machine_know_own(m, owner);
        measure_ownership_change(m);
        if (comes_home)
                come_home(m, core);
}

static void settle_list(struct machine *m, int32_t worker, enum core_state state)
{
        int32_t core = m->worker[worker].list[state];
        for (int32_t left = m->owned[worker]; core != NONE && left > 0; left--) {
                int32_t next = m->core[core].next;
                list_remove(m, core);
                settle(m, core);
                core = next;
        }
}

/* Is an idle borrowed core worth keeping for what the worker's apprank holds? */
static bool keeps(struct machine *m, int32_t worker)
{
        if (!m->lewi || m->held_known[worker] == 0)
                return false;
        struct lend_decision decision;
        ask_lending(m, m->worker[worker].node, LEND_BORROWED_IDLE, worker, &decision);
        return decision.action == LEND_KEEP;
}

/* Borrowed cores that are kept idle, by what is known now. */
static void settle_kept(struct machine *m, int32_t worker)
{
        int32_t core = m->worker[worker].list[CORE_KEPT];
        while (core != NONE) {
                int32_t next = m->core[core].next;
                if (keeps(m, worker))
                        return;
                list_remove(m, core);
                unuse(m, core);
                give_back(m, core);
                core = next;
        }
}

void cores_retry_lending(struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        machine_moment(m, SIM_MOMENT_SETTLE, node);
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                if (m->owned[w] <= m->target[w])
                        settle_list(m, w, CORE_GIVING);
                settle_list(m, w, CORE_IDLE);
                if (m->lewi)
                        settle_kept(m, w);
        }
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker && m->lewi; w++)
                if (n->pool > 0 && m->held_known[w] > 0)
                        borrow_ahead(m, w, LEND_POLLED);
}

void core_offer(struct machine *m, int32_t core)
{
        if (m->core[core].state == CORE_IDLE) {
                list_remove(m, core);
                list_add(m, core, CORE_GIVING);
        }
        m->offered[core] = true;
}

/* Does the core's owner want it, or should somebody else own it? Then its user must leave it. */
static bool must_leave(const struct machine *m, const struct core *c)
{
        if (c->owner != c->user && *worker_count(&m->worker[c->owner], COUNT_RECLAIMING) > 0)
                return true;
        return m->boundary && has_to_give(m, c->owner, 0);
}

static LB_APART void leave(struct machine *m, int32_t core, bool must)
{
        struct core *c = &m->core[core];
        int32_t user = c->user;
        m->running[user]--;
        m->worker[user].busy_ns += m->now_ns;
        if (!must && c->owner != c->user && keeps(m, c->user)) {
                list_add(m, core, CORE_KEPT);
                return;
        }
        unuse(m, core);
        if (m->boundary && has_to_give(m, c->owner, 0)) {
                int32_t taker = machine_most_under(m, &m->node[m->worker[user].node]);
                if (taker != NONE) {
                        list_add(m, core, CORE_GIVING);
                        core_transfer(m, core, taker);
                        return;
                }
        }
        if (c->owner == user)
                come_home(m, core);
        else
                give_back(m, core);
}

void core_event(struct machine *m, int32_t core)
{
        struct core *c = &m->core[core];
        struct worker *w = &m->worker[c->user];
        if (c->state == CORE_TASK)
                tasks_finish(m, w, c);
        else if (tasks_main_batch(m, w->apprank))
                w->main_waits = true;

        bool must = must_leave(m, c);
        bool stays = !must && (worker_has_work(w) || helped_itself(m, c->user));
        machine_moment(m, SIM_MOMENT_END, core);
        if (stays) {
                run_next(m, core, c, w);
        } else {
                queue_clear(&m->queue, core);
                leave(m, core, must);
        }
        worker_seek(m, w);
}
