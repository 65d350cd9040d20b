/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `cut`: helpers where the minimum cut binds (ICPP'22 5.2 leaves growing the
 * graph to the future; the method is ours). With the present helpers the exact solver gives the
 * least work per core t of the worst apprank, and the cut that forbids less: appranks whose workers
 * are all on nodes that are full. Only a helper of one of these appranks on another node can
 * relieve it. With all work on all cores, t would be the goal g.
 *
 *         while t > (1 + gain) g and the last starts were of use:
 *                 add  the apprank of the cut that lacks most cores for g,
 *                      to the node outside it with most cores beyond what its own appranks need
 *
 * - Several appranks may be stuck alike, and then the first helpers gain nothing: so wishes are
 *   tried together, and those are kept up to the last that brings t down by the share `grow_gain`.
 * - A gain of `grow_steady_gain` counts as well, once it has been to be had for `grow_steady_s`.
 * - First by whole cores, as they are owned. Where nothing more is to be had so, by parts of a
 * core: lending divides cores in time. (Two appranks of 5.6 busy cores on 8 cores each cannot spare
 * a core, but 2.4 cores' time for a neighbour; n-body with a slow node.)
 * - A helper that owns in both optima nothing but what it must have is idle. After `grow_idle_s` of
 *   that it is retired, if t then is no larger, or within half the gain of g; one that came for
 *   `grow_steady_gain` after `grow_steady_idle_s`.
 *
 * Known value: loads of 90, 10, 10 and 10 on 4 nodes of 48 cores: t = 90/48 without helpers; those
 * of apprank 0 on the three other nodes bring it down to 90/86, 90/117 and 90/144 = g.
 */
#include "policies/grow_cut.h"

#include <math.h>
#include <string.h>

#include "policies/grow_impl.h"
#include "policies/solve.h"

static struct cut_state state_of(const struct grow_shape *shape, const double *param)
{
        int32_t degree = (int32_t)param[GROW_DEGREE];
        degree = degree < shape->nnode ? degree : shape->nnode;
        return (struct cut_state){
                .shape = *shape,
                .degree = degree,
                .nedge = shape->napprank * degree,
                .parts = (int32_t)param[GROW_PARTS],
                .kind = (enum average_kind)param[GROW_AVERAGE],
                .average_s = param[GROW_AVERAGE_S],
                .gain = param[GROW_GAIN],
                .least_gain = param[GROW_GAIN],
                .steady_gain = param[GROW_STEADY_GAIN],
                .steady_ns = (int64_t)(param[GROW_STEADY_S] * 1e9),
                .lacking_since = NEVER,
                .idle_ns = (int64_t)(param[GROW_IDLE_S] * 1e9),
                .lesser_idle_ns = (int64_t)(param[GROW_STEADY_IDLE_S] * 1e9),
        };
}

static size_t cut_size(const struct grow_shape *shape, const double *param)
{
        struct cut_state state = state_of(shape, param);
        struct cut c;
        return cut_lay_out(&c, &state, NULL);
}

static int cut_init(void *state, const struct grow_shape *shape, const double *param,
                    struct lb_error *err)
{
        (void)err;
        struct cut_state *s = state;
        *s = state_of(shape, param);
        struct cut c;
        cut_lay_out(&c, s, state);
        average_init(c.average, shape->napprank, s->kind, s->average_s, shape->poll_s);
        return 0;
}

/* What an apprank's workers do together does not depend on the graph. */
static void cut_observe(void *state, const struct grow_view *view)
{
        struct cut c;
        cut_lay_out(&c, state, state);
        memset(c.busy, 0, (size_t)c.state->shape.napprank * sizeof(double));
        if (c.state->keep == 0)
                c.state->keep = view->shape->apprank_first[1];
        for (int32_t w = 0; w < view->shape->nworker; w++)
                c.busy[view->shape->worker_apprank[w]] += view->busy_cores[w];
        struct alloc_view sums = {
                .time_ns = view->time_ns,
                .interval_ns = view->interval_ns,
                .busy_cores = c.busy,
        };
        average_observe(c.average, &sums);
}

/* ---- Growing ---- */

/* Who lacks how much for the goal, and which nodes have anything to give for it. */
static void weigh(struct cut *c, double per_unit)
{
        const struct grow_shape *fixed = &c->state->shape;
        memset(c->surplus, 0, (size_t)fixed->nnode * sizeof(double));
        for (int32_t a = 0; a < fixed->napprank; a++) {
                c->missing[a] = c->load[a] / per_unit;
                for (int32_t w = c->apprank_first[a]; w < c->apprank_first[a + 1]; w++)
                        c->missing[a] -= c->owned[w];
                c->surplus[fixed->home[a]] -= c->missing[a];
        }
        solve_cut(&c->shape, c->workspace, c->apprank_in_cut, c->node_in_cut);
}

static int32_t neediest(const struct cut *c)
{
        int32_t best = -1;
        for (int32_t a = 0; a < c->state->shape.napprank; a++)
                if (c->apprank_in_cut[a] && c->count[a] < c->state->degree &&
                    (best < 0 || c->missing[a] > c->missing[best]))
                        best = a;
        return best;
}

static bool is_there(const struct cut *c, const struct grow_view *view, struct grow_edge edge)
{
        const struct lb_shape *now = view->shape;
        for (int32_t w = now->apprank_first[edge.apprank]; w < now->apprank_first[edge.apprank + 1];
             w++)
                if (now->worker_node[w] == edge.node)
                        return true;
        int32_t first = edge.apprank * c->state->degree;
        for (int32_t slot = first; slot < first + c->count[edge.apprank]; slot++)
                if (c->node[slot] == edge.node)
                        return true;
        return false;
}

/* Less than a unit to spare is nothing: who starts a helper for it takes what others need. */
static int32_t roomiest(const struct cut *c, const struct grow_view *view, int32_t apprank)
{
        int32_t best = -1;
        for (int32_t n = 0; n < c->state->shape.nnode; n++) {
                if (c->node_in_cut[n] || c->surplus[n] < 1 ||
                    c->workers[n] >= c->state->shape.cores[n])
                        continue;
                if ((best < 0 || c->surplus[n] > c->surplus[best]) &&
                    !is_there(c, view, (struct grow_edge){ apprank, n }))
                        best = n;
        }
        return best;
}

static bool pick(struct cut *c, const struct grow_view *view, double per_unit,
                 struct grow_edge *edge)
{
        weigh(c, per_unit);
        for (;;) {
                edge->apprank = neediest(c);
                if (edge->apprank < 0)
                        return false;
                edge->node = roomiest(c, view, edge->apprank);
                if (edge->node >= 0)
                        return true;
                c->apprank_in_cut[edge->apprank] = false;
        }
}

static void grow(struct cut *c, const struct grow_view *view, double goal, int32_t divided,
                 struct grow_decision *out)
{
        double now = cut_solve(c, divided), kept = now, enough = goal * (1 + c->state->gain);
        int32_t tried = out->nadd, patience = c->state->shape.napprank;
        struct grow_edge edge;
        while (tried < out->room && tried - out->nadd < patience && now > enough &&
               pick(c, view, goal / divided, &edge)) {
                c->workers[edge.node]++;
                cut_put(c, edge, false);
                out->add[tried++] = edge;
                now = cut_solve(c, divided);
                if (now <= kept * (1 - c->state->gain)) {
                        kept = now;
                        out->nadd = tried;
                }
        }
        while (tried-- > out->nadd) { /* each is the last of its row */
                int32_t a = out->add[tried].apprank;
                c->workers[out->add[tried].node]--;
                cut_drop(c, a, a * c->state->degree + c->count[a] - 1);
        }
}

/* Is all as well as it was, or well enough? */
static bool is_well(struct cut *c, const double *allowed)
{
        return cut_solve(c, 1) <= allowed[0] && cut_solve(c, c->state->parts) <= allowed[1];
}

/* Idle helpers hold a core each until they are retired; more helpers are no cure for that. They
 * are still there. */
static void shed(struct cut *c)
{
        for (int32_t a = 0; a < c->state->shape.napprank; a++) {
                int32_t home = a * c->state->degree;
                for (int32_t slot = home + c->count[a] - 1; slot > home; slot--)
                        if (c->there[slot] && c->since[slot] != NEVER)
                                cut_drop(c, a, slot);
        }
}

/* With all that is there, idle ones too, is there room for the wished for, and do they gain
 * anything? Those of appranks that have all the helpers they may have must wait. */
static bool gains(struct cut *c, struct grow_decision *out)
{
        const int32_t divided[2] = { 1, c->state->parts };
        double before[2];
        bool any = false;
        int32_t nadd = 0;
        for (int i = 0; i < 2; i++)
                before[i] = cut_solve(c, divided[i]);
        cut_put_aside(c);
        for (int32_t i = 0; i < out->nadd; i++) {
                if (c->count[out->add[i].apprank] == c->state->degree)
                        continue;
                cut_put(c, out->add[i], false);
                out->add[nadd++] = out->add[i];
        }
        out->nadd = nadd;
        for (int i = 0; i < 2; i++)
                any = any || cut_solve(c, divided[i]) <= before[i] * (1 - c->state->gain);
        cut_put_back(c);
        return any;
}

static void grow_needed(struct cut *c, const struct grow_view *view, double goal,
                        const double *allowed, struct grow_decision *out)
{
        cut_put_aside(c);
        shed(c);
        if (!is_well(c, allowed))
                cut_put_back(c);
        grow(c, view, goal, 1, out);
        grow(c, view, goal, c->state->parts, out);
        cut_put_back(c);
        if (out->nadd > 0 && !gains(c, out))
                out->nadd = 0; /* until some idle ones are gone */
}

/* ---- Retiring ---- */

/* Helpers that own in the last optimum more than they must: since when they have been idle becomes
 * never. */
static void watch(struct cut *c)
{
        for (int32_t a = 0; a < c->state->shape.napprank; a++)
                for (int32_t k = 0; k < c->count[a]; k++)
                        if (c->owned[c->apprank_first[a] + k] > 1)
                                c->since[a * c->state->degree + k] = NEVER;
}

/* The others: since now, or since before. */
static void note_idle(struct cut *c, int64_t time_ns)
{
        for (int32_t i = 0; i < c->state->nedge; i++)
                if (c->since[i] == NEVER)
                        c->since[i] = time_ns;
}

/* The helper that has been idle for longest, and long enough, of an apprank with more than it had
 * at the start; false where there is none. */
static bool idlest(const struct cut *c, int64_t time_ns, int32_t *apprank, int32_t *slot)
{
        int64_t longest = -1;
        for (int32_t a = 0; a < c->state->shape.napprank; a++) {
                for (int32_t k = 1; k < c->count[a] && c->count[a] > c->state->keep; k++) {
                        int32_t i = a * c->state->degree + k;
                        int64_t idle = c->since[i] == NEVER ? -1 : time_ns - c->since[i];
                        int64_t enough =
                            c->lesser[i] ? c->state->lesser_idle_ns : c->state->idle_ns;
                        if (!c->there[i] || idle < enough || idle <= longest)
                                continue;
                        longest = idle;
                        *apprank = a;
                        *slot = i;
                }
        }
        return longest >= 0;
}

static void retire(struct cut *c, const struct grow_view *view, const double *allowed,
                   struct grow_decision *out)
{
        int32_t apprank, slot;
        while (out->nretire < out->room && idlest(c, view->time_ns, &apprank, &slot)) {
                struct grow_edge edge = { apprank, c->node[slot] };
                cut_drop(c, apprank, slot);
                if (is_well(c, allowed)) {
                        out->retire[out->nretire++] = edge;
                        continue;
                }
                cut_put(c, edge, true);
                c->since[apprank * c->state->degree + c->count[apprank] - 1] = view->time_ns + 1;
        }
}

/* Least work per core if any core could do any work. */
static double goal_of(struct cut *c)
{
        const struct grow_shape *fixed = &c->state->shape;
        double work = 0, cores = 0;
        for (int32_t a = 0; a < fixed->napprank; a++) {
                c->load[a] = average_get(c->average, a);
                work += c->load[a];
        }
        for (int32_t n = 0; n < fixed->nnode; n++)
                cores += fixed->cores[n];
        return work / cores;
}

/* A small gain is worth a helper where it lasts: a load that moves has it for a while, and the
 * helper is in the way of what comes next. */
static void choose_gain(struct cut_state *s, const double *least, double goal, int64_t time_ns)
{
        s->gain = s->least_gain;
        if (fmax(least[0], least[1]) <= goal * (1 + s->steady_gain))
                s->lacking_since = NEVER;
        else if (s->lacking_since == NEVER)
                s->lacking_since = time_ns;
        else if (s->steady_gain > 0 && time_ns - s->lacking_since >= s->steady_ns)
                s->gain = fmin(s->gain, s->steady_gain);
}

static void cut_decide(void *state, const struct grow_view *view, struct grow_decision *out)
{
        struct cut c;
        cut_lay_out(&c, state, state);
        out->nadd = out->nretire = 0;
        double goal = goal_of(&c);
        cut_build(&c, view);
        if (goal <= 0)
                return;
        const int32_t divided[2] = { 1, c.state->parts };
        double least[2], allowed[2];
        note_idle(&c, view->time_ns);
        for (int i = 0; i < 2; i++) {
                least[i] = cut_solve(&c, divided[i]);
                watch(&c);
        }
        choose_gain(c.state, least, goal, view->time_ns);
        for (int i = 0; i < 2; i++)
                allowed[i] = fmax(goal * (1 + c.state->gain / 2), least[i]);
        grow_needed(&c, view, goal, allowed, out);
        if (out->nadd == 0 && view->nstarting == 0)
                retire(&c, view, allowed, out);
}

const struct grow_type grow_cut = {
        .name = "cut",
        .help = "helpers across the minimum cut of the optimum; those of no use are retired",
        .params = grow_params,
        .state_size = cut_size,
        .init = cut_init,
        .observe = cut_observe,
        .decide = cut_decide,
};
