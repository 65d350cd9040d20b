/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helpers come and go (ICPP'22 5.2, "Dynamic work spreading"), as in lbsim
 * (sim/systems/offload/helpers.c). All helpers that there may be are processes from the start:
 * those beyond the job's degree own no core and sleep. The decider, who alone has this, asks the
 * growth policy:
 *
 *   wish --poll--> it is there: the allocation policy gives it a core ... retiring: its target is
 *   0, its apprank gives it no tasks --owns none--> it sleeps again
 *
 * - The allocation policy sees those who are there; it is made anew when these change, and told
 *   what the old one had observed.
 * - A wish for a worker that has no process is not granted, and said once.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "policies/grow.h"
#include "real/control/control_impl.h"

/* Arrays are [nworker] unless they say otherwise. */
struct growing {
        const struct grow_type *type;
        void *state;
        struct grow_shape shape;
        int32_t *home; /* [napprank] */
        int64_t period_ns;
        struct node_solves solves;
        bool *there, *retiring;
        bool *stays; /* there, and not retiring */
        struct part part, alloc_part;
        bool *part_retiring; /* of the part, as are: */
        double *busy;
        int32_t *owned, *target; /* of the allocation's part */
        int32_t *number;
        struct grow_decision decision;
        bool told;
};

/* ---- Life cycle ---- */

static int take_arrays(struct control *c, struct growing *g, struct lb_error *err)
{
        size_t n = (size_t)c->job->nworker;
        g->decision.room = 4 * c->job->napprank;
        g->home = control_take(c, (size_t)c->job->napprank, sizeof(*g->home));
        g->there = control_take(c, n, sizeof(bool));
        g->retiring = control_take(c, n, sizeof(bool));
        g->stays = control_take(c, n, sizeof(bool));
        g->part_retiring = control_take(c, n, sizeof(bool));
        g->busy = control_take(c, n, sizeof(double));
        g->owned = control_take(c, n, sizeof(int32_t));
        g->target = control_take(c, n, sizeof(int32_t));
        g->number = control_take(c, n, sizeof(int32_t));
        g->decision.add = control_take(c, (size_t)g->decision.room, sizeof(struct grow_edge));
        g->decision.retire = control_take(c, (size_t)g->decision.room, sizeof(struct grow_edge));
        return control_taken(c, err);
}

static void set_shape(struct control *c, struct growing *g)
{
        const struct lb_shape *all = &c->job->shape;
        for (int32_t a = 0; a < all->napprank; a++)
                g->home[a] = all->worker_node[all->apprank_first[a]];
        for (int32_t w = 0; w < all->nworker; w++)
                g->there[w] = g->stays[w] = !c->job->sleeps[w];
        g->shape = (struct grow_shape){ .nnode = all->nnode,
                                        .napprank = all->napprank,
                                        .cores = all->cores,
                                        .home = g->home,
                                        .poll_s = all->poll_s };
        part_set(&g->part, g->there);
        part_set(&g->alloc_part, g->stays);
}

static int make_policy(struct control *c, struct growing *g, struct lb_error *err)
{
        const double *param = c->job->grow_param;
        g->type = grow_find(job_policy_name(c->job, JOB_GROWTH));
        g->period_ns = (int64_t)(param[GROW_PERIOD_S] * 1e9 + 0.5);
        g->state = ask_grow_make(g->type, &g->shape, param, c->log, err);
        return g->state ? 0 : -1;
}

/* The allocation policy for those who are there. */
static int make_alloc(struct control *c, const struct growing *g, struct lb_error *err)
{
        struct ask_alloc *ask = &c->global_alloc.ask;
        ask->type = c->alloc;
        ask->log = c->log;
        ask->shape = g->alloc_part.shape;
        ask->state = ask_alloc_make(c->alloc, &ask->shape, c->job->alloc_param, c->log, err);
        return ask->state ? 0 : -1;
}

int control_grow_create(struct control *c, struct lb_error *err)
{
        struct growing *g = c->growing = control_take(c, 1, sizeof(*g));
        if (!g)
                return lb_error_fail(err, "out of memory");
        if (take_arrays(c, g, err) < 0 || part_init(&g->part, &c->job->shape, err) < 0 ||
            part_init(&g->alloc_part, &c->job->shape, err) < 0)
                return -1;
        set_shape(c, g);
        if (control_host_arrays(c, &c->global_alloc, err) < 0)
                return -1;
        return make_policy(c, g, err) < 0 ? -1 : make_alloc(c, g, err);
}

void control_grow_destroy(struct control *c)
{
        struct growing *g = c->growing;
        if (!g)
                return;
        free(g->state);
        part_finish(&g->part);
        part_finish(&g->alloc_part);
}

/* ---- The allocation's view ---- */

struct alloc_view control_grow_view(struct control *c, const struct alloc_view *all,
                                    int32_t **target)
{
        struct growing *g = c->growing;
        struct alloc_view view = *all;
        if (!g)
                return view;
        for (int32_t i = 0; i < g->alloc_part.shape.nworker; i++) {
                g->busy[i] = all->busy_cores[g->alloc_part.worker[i]];
                g->owned[i] = all->owned_cores[g->alloc_part.worker[i]];
        }
        view.busy_cores = g->busy;
        view.owned_cores = g->owned;
        *target = g->target;
        return view;
}

void control_grow_spread(struct control *c)
{
        const struct growing *g = c->growing;
        for (int32_t w = 0; g && w < c->job->nworker; w++) {
                int32_t i = g->alloc_part.number[w];
                c->global_alloc.target[w] = i < 0 ? 0 : g->target[i];
        }
}

/* ---- Coming and going ---- */

/* New numbers of the old ones; what was observed of who goes is its apprank's at home. */
static void renumber(struct growing *g, const struct lb_shape *all)
{
        int32_t count = g->alloc_part.shape.nworker;
        for (int32_t i = 0; i < count; i++)
                g->number[i] = g->alloc_part.worker[i];
        part_set(&g->alloc_part, g->stays);
        for (int32_t i = 0; i < count; i++) {
                int32_t w = g->number[i], now = g->alloc_part.number[w];
                int32_t home = all->apprank_first[all->worker_apprank[w]];
                g->number[i] = now < 0 ? g->alloc_part.number[home] : now;
        }
}

static void change_graph(struct control *c, int64_t now_ns)
{
        struct growing *g = c->growing;
        struct lb_error err;
        for (int32_t w = 0; w < c->job->nworker; w++)
                g->stays[w] = g->there[w] && !g->retiring[w];
        renumber(g, &c->job->shape);
        part_set(&g->part, g->there);
        if (ask_alloc_regraph(&c->global_alloc.ask, &g->alloc_part.shape, c->job->alloc_param,
                              g->number, &err) < 0)
                control_refuse(c, c->alloc->name, "%s", err.text);
        c->solves.next_ns = now_ns; /* what was decided for the old graph is void */
}

static int32_t worker_of(const struct lb_shape *all, struct grow_edge edge)
{
        for (int32_t w = all->apprank_first[edge.apprank]; w < all->apprank_first[edge.apprank + 1];
             w++)
                if (all->worker_node[w] == edge.node)
                        return w;
        return NONE;
}

static bool wake(struct control *c, struct grow_edge edge)
{
        struct growing *g = c->growing;
        int32_t worker = worker_of(&c->job->shape, edge);
        if (worker == NONE) {
                if (!g->told)
                        fprintf(stderr,
                                "lbrun: apprank %" PRId32
                                " has no process that sleeps on node %" PRId32
                                ", where a helper was wished for; --degree gives more\n",
                                edge.apprank, edge.node);
                g->told = true;
                return false;
        }
        g->there[worker] = true;
        c->figures.wakes++;
        return true;
}

static void retire(struct control *c, struct grow_edge edge)
{
        c->growing->retiring[worker_of(&c->job->shape, edge)] = true;
        c->figures.retirements++;
}

/* Those who own nothing any more. */
static bool leave(struct control *c)
{
        struct growing *g = c->growing;
        bool any = false;
        for (int32_t w = 0; w < c->job->nworker; w++) {
                if (!g->retiring[w] || c->global_alloc.owned_cores[w] > 0)
                        continue;
                g->there[w] = g->retiring[w] = false;
                any = true;
        }
        return any;
}

/* ---- Deciding ---- */

static struct grow_view view_of(struct control *c, int64_t now_ns, int64_t interval_ns)
{
        struct growing *g = c->growing;
        for (int32_t i = 0; i < g->part.shape.nworker; i++) {
                g->busy[i] = c->global_alloc.busy_cores[g->part.worker[i]];
                g->part_retiring[i] = g->retiring[g->part.worker[i]];
        }
        return (struct grow_view){ .time_ns = now_ns,
                                   .interval_ns = interval_ns,
                                   .shape = &g->part.shape,
                                   .busy_cores = g->busy,
                                   .retiring = g->part_retiring };
}

static bool decide(struct control *c, const struct grow_view *view)
{
        struct growing *g = c->growing;
        struct lb_error err;
        bool changed = false;
        if (ask_grow(g->type, g->state, view, &g->decision, c->log, &err) < 0)
                control_refuse(c, g->type->name, "%s", err.text);
        for (int32_t i = 0; i < g->decision.nadd; i++)
                changed |= wake(c, g->decision.add[i]);
        for (int32_t i = 0; i < g->decision.nretire; i++)
                retire(c, g->decision.retire[i]);
        return changed || g->decision.nretire > 0;
}

void control_grow_poll(struct control *c, int64_t now_ns, int64_t interval_ns)
{
        struct growing *g = c->growing;
        if (!g)
                return;
        if (leave(c))
                part_set(&g->part, g->there);
        struct grow_view view = view_of(c, now_ns, interval_ns);
        ask_grow_observe(g->type, g->state, &view, c->log);
        if (g->solves.next_ns == 0)
                node_solved(&g->solves, now_ns - c->poll_ns, g->period_ns);
        if (!node_solve_is_due(&g->solves, now_ns, g->period_ns, c->poll_ns / 2))
                return;
        node_solved(&g->solves, now_ns, g->period_ns);
        if (decide(c, &view))
                change_graph(c, now_ns);
}
