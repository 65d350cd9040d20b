/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking: where cores of a node are lent and nobody has a task for them, its workers ask their
 * appranks for held tasks, one after the other, each for the cores that no other has asked for.
 *
 *   helper                             home
 *     | asks, for so many cores          |
 *     |--------------------------------->| refill(), PLACE_ASKED
 *     |<----------- tasks ---------------|
 *     |<----------- none is held --------| and remembers
 *     |                                  |
 *     |<----------- there are again -----| once, when tasks are held
 *
 * With runtime.ask_waiting home gives of what waits there for a core, once none is held.
 *
 * A message at once in place of the next poll, which is an iteration or more away where iterations
 * are short. The worker at home asks without a message.
 */
#include "sim/systems/offload/machine.h"

static int32_t unasked(const struct node *n)
{
        return n->pool - n->asked;
}

/* The node's own appranks come first: they pay no message. */
static void ask_at_home(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        struct apprank *a = &m->apprank[w->apprank];
        if (a->view.held_tasks == 0 || w->ready > 0)
                return;
        a->view.asked_cores = unasked(&m->node[w->node]);
        if (tasks_refill(m, worker, PLACE_ASKED) > 0)
                worker_seek(m, &m->worker[worker]);
}

static void ask(struct machine *m, int32_t worker)
{
        struct worker *w = &m->worker[worker];
        struct node *n = &m->node[w->node];
        w->asking = unasked(n);
        n->asked += w->asking;
        tasks_say(m, worker, w->home_worker,
                  message_says(MESSAGE_ASKS, w->edge,
                               w->asking << MESSAGE_CORES_BITS | worker_usable(m, worker)));
}

/* An apprank of the node that is about to have tasks: its cores are idle for a moment only. */
static bool soon_busy(const struct machine *m, const struct node *n)
{
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++) {
                const struct apprank *a = &m->apprank[m->worker[w].apprank];
                if (m->worker[w].home && a->created < a->ntask)
                        return true;
        }
        return false;
}

void asks_look(struct machine *m, int32_t node)
{
        struct node *n = &m->node[node];
        int32_t last = n->first_worker + n->nworker;
        if (unasked(n) <= 0 || soon_busy(m, n))
                return;
        for (int32_t w = n->first_worker; w < last && unasked(n) > 0; w++)
                if (m->worker[w].home)
                        ask_at_home(m, w);
        for (int32_t i = 0; i < n->nworker && unasked(n) > 0; i++) {
                int32_t w = n->first_worker + n->next_asker++ % n->nworker;
                n->next_asker %= n->nworker;
                const struct worker *worker = &m->worker[w];
                if (!worker->home && !worker->retiring && !worker->refused && worker->asking == 0)
                        ask(m, w);
        }
}

/* Has a worker been told that no tasks are held? */
static bool *refused_as_home_knows(const struct machine *m, struct worker *w)
{
        return m->together ? &w->told_none : &w->refused;
}

static void answer(struct machine *m, int32_t worker, int32_t cores, int32_t usable)
{
        struct worker *w = &m->worker[worker];
        struct apprank *a = &m->apprank[w->apprank];
        *edge_known(m, KNOWN_USABLE, w->edge) = usable;
        a->view.asked_cores = cores;
        int64_t given = tasks_refill(m, worker, PLACE_ASKED);
        if (m->gives_waiting && given < cores)
                given += tasks_give_waiting(m, worker, cores - (int32_t)given);
        a->view.asked_cores = 0;
        *edge_known(m, KNOWN_USABLE, w->edge) = usable + cores;
        if (given >= cores)
                return;
        bool *refused = refused_as_home_knows(m, w);
        a->nrefused += !*refused;
        *refused = true;
        tasks_say(m, w->home_worker, worker, message_says(MESSAGE_NONE, w->edge, 0));
}

static void asked_done(struct machine *m, struct worker *w, int32_t cores)
{
        m->node[w->node].asked -= cores;
        w->asking -= cores;
}

void asks_task_came(struct machine *m, struct worker *w)
{
        asked_done(m, w, 1);
}

void asks_arrived(struct machine *m, int64_t message)
{
        int32_t worker = m->edge_worker[message_edge(message)], figure = message_task(message);
        switch (message_kind(message)) {
        case MESSAGE_ASKS:
                answer(m, worker, figure >> MESSAGE_CORES_BITS,
                       figure & ((1 << MESSAGE_CORES_BITS) - 1));
                break;
        case MESSAGE_NONE:
                if (m->together)
                        m->worker[worker].refused = true;
                asked_done(m, &m->worker[worker], m->worker[worker].asking);
                break;
        case MESSAGE_INVITES:
                m->worker[worker].refused = false;
                break;
        case MESSAGE_FINISHED:
        case MESSAGE_FIGURES:
        case MESSAGE_HELD:
                break;
        }
}

void asks_held(struct machine *m, int32_t apprank)
{
        struct apprank *a = &m->apprank[apprank];
        if (a->nrefused == 0 || a->view.held_tasks == 0)
                return;
        for (int32_t e = a->first_edge + 1; e < a->first_edge + a->nedge; e++) {
                int32_t worker = m->edge_worker[e];
                if (!*refused_as_home_knows(m, &m->worker[worker]))
                        continue;
                m->worker[worker].told_none = false;
                tasks_say(m, home_worker(m, apprank), worker, message_says(MESSAGE_INVITES, e, 0));
        }
        a->nrefused = 0;
}
