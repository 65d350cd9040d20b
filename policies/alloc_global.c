/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `global` (ICPP'22 5.4.2): every period, integer cores per worker such that the
 * largest work per core of any apprank is least, from the average busy cores summed over each
 * apprank's workers. Departures: the integer optimum itself rather than a rounded linear program
 * (which loses 2.7-6.4 %, the optimum 2.3-3.2 %; docs/facts.md O9), and the preference for the home
 * node as a second criterion.
 *
 * partition_nodes > 0 solves groups of that many consecutive nodes apart, as the paper suggests
 * above 32 nodes: helpers outside their apprank's group keep what they must have, one core.
 */
#include <math.h>
#include <string.h>

#include "policies/alloc_global.h"
#include "policies/alloc_impl.h"
#include "policies/average.h"
#include "policies/solve.h"

static const char *const solvers[] = { "exact", "lp", NULL };

const struct lb_param alloc_global_params[] = {
        [GLOBAL_PERIOD_S] = { .name = "period_s",
                              .unit = "s",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 2,
                              .min = 0.001,
                              .max = 3600,
                              .help = "how often global solves" },
        [GLOBAL_SOLVER] = { .name = "solver",
                            .unit = "",
                            .type = LB_PARAM_CHOICE,
                            .fallback = GLOBAL_SOLVER_EXACT,
                            .choices = solvers,
                            .help =
                                "the integer optimum, or the paper's linear program and rounding",
                            .differs = true,
                            .original = GLOBAL_SOLVER_LP },
        [GLOBAL_AVERAGE] = AVERAGE_PARAM_KIND,
        [GLOBAL_AVERAGE_S] = AVERAGE_PARAM_S,
        [GLOBAL_PARTITION_NODES] = { .name = "partition_nodes",
                                     .unit = "nodes",
                                     .type = LB_PARAM_INTEGER,
                                     .fallback = 0,
                                     .min = 0,
                                     .max = 4096,
                                     .help = "solve groups of so many nodes apart, 0: all at once; "
                                             "only "
                                             "where the graph stays within them is little lost" },
        [GLOBAL_LEXICOGRAPHIC] = { .name = "lexicographic",
                                   .unit = "",
                                   .type = LB_PARAM_SWITCH,
                                   .fallback = 0,
                                   .max = 1,
                                   .help = "with solver exact: after the worst apprank the next "
                                           "worst, and so on, before the fewest cores off home" },
        [GLOBAL_AVERAGE_ITERATIONS] = { .name = "average_iterations",
                                        .unit = "iterations",
                                        .type = LB_PARAM_NUMBER,
                                        .fallback = 0,
                                        .max = 1e6,
                                        .help = "global averages over so many iterations of the "
                                                "program where these take less than "
                                                "global_average_s; 0: over that alone" },
        [GLOBAL_PERIOD_ITERATIONS] = { .name = "period_iterations",
                                       .unit = "iterations",
                                       .type = LB_PARAM_NUMBER,
                                       .fallback = 0,
                                       .max = 1e6,
                                       .help = "global solves every so many iterations where these "
                                               "take less than period_s, unless solving takes a "
                                               "twentieth of that; 0: every period_s" },
        [GLOBAL_NPARAM] = { .name = NULL },
};

/* Layout: hands out offsets one after the other. */
static size_t take(size_t *end, size_t count, size_t size)
{
        size_t at = *end;
        *end = (at + count * size + 15) & ~(size_t)15;
        return at;
}

double global_period_s(const double *param)
{
        return param[GLOBAL_PERIOD_S];
}

double global_period_iterations(const double *param)
{
        return param[GLOBAL_PERIOD_ITERATIONS];
}

int32_t global_group_nodes(int32_t nnode, const double *param)
{
        int32_t n = (int32_t)param[GLOBAL_PARTITION_NODES];
        return n <= 0 || n > nnode ? nnode : n;
}

/* All groups together never hold more than the whole does, so sizes come from the whole. */
static void lay_out(struct global_state *s, const struct lb_shape *shape, const double *param)
{
        size_t nworker = (size_t)shape->nworker, napprank = (size_t)shape->napprank;
        int32_t size = global_group_nodes(shape->nnode, param);
        *s = (struct global_state){
                .nworker = shape->nworker,
                .napprank = shape->napprank,
                .ngroup = (shape->nnode + size - 1) / size,
                .lexicographic = param[GLOBAL_LEXICOGRAPHIC] > 0,
                .poll_s = shape->poll_s,
                .average_iterations = param[GLOBAL_AVERAGE_ITERATIONS],
        };
        s->end = (sizeof(*s) + 15) & ~(size_t)15;
        s->worker_apprank = take(&s->end, nworker, sizeof(int32_t));
        s->least = take(&s->end, nworker, sizeof(int32_t));
        s->load = take(&s->end, napprank, sizeof(double));
        s->group_load = take(&s->end, napprank, sizeof(double));
        s->group_now = take(&s->end, nworker, sizeof(int32_t));
        s->group_owned = take(&s->end, nworker, sizeof(int32_t));
        s->average = take(&s->end,
                          average_size(shape->nworker, (enum average_kind)param[GLOBAL_AVERAGE],
                                       param[GLOBAL_AVERAGE_S], shape->poll_s),
                          1);
        s->group = take(&s->end, (size_t)s->ngroup, sizeof(struct global_group));
}

static bool in_group(const struct lb_shape *shape, int32_t worker, int32_t first, int32_t end)
{
        int32_t node = shape->worker_node[worker];
        return node >= first && node < end;
}

/* An apprank belongs to the group of its first worker, the one at home. */
static bool apprank_in_group(const struct lb_shape *shape, int32_t apprank, int32_t first,
                             int32_t end)
{
        return in_group(shape, shape->apprank_first[apprank], first, end);
}

static bool counts(const struct lb_shape *shape, int32_t worker, int32_t first, int32_t end)
{
        return in_group(shape, worker, first, end) &&
               apprank_in_group(shape, shape->worker_apprank[worker], first, end);
}

static void group_size(struct global_group *g, const struct lb_shape *shape, int32_t first,
                       int32_t end)
{
        *g = (struct global_group){ .nnode = end - first };
        for (int32_t a = 0; a < shape->napprank; a++)
                g->napprank += apprank_in_group(shape, a, first, end);
        for (int32_t w = 0; w < shape->nworker; w++)
                g->nworker += counts(shape, w, first, end);
}

static void group_layout(struct global_group *g, size_t *end)
{
        size_t nworker = (size_t)g->nworker;
        g->cores = take(end, (size_t)g->nnode, sizeof(int32_t));
        g->apprank_first = take(end, (size_t)g->napprank + 1, sizeof(int32_t));
        g->worker_node = take(end, nworker, sizeof(int32_t));
        g->worker_apprank = take(end, nworker, sizeof(int32_t));
        g->worker_home = take(end, nworker, sizeof(bool));
        g->node_first = take(end, (size_t)g->nnode + 1, sizeof(int32_t));
        g->node_worker = take(end, nworker, sizeof(int32_t));
        g->talk_only = take(end, nworker, sizeof(bool));
        g->worker = take(end, nworker, sizeof(int32_t));
        g->apprank = take(end, (size_t)g->napprank, sizeof(int32_t));
}

/* Workers and appranks of the group, renumbered in the same order. */
static void group_workers(struct global_state *s, const struct global_group *g,
                          const struct lb_shape *shape, int32_t first, int32_t end)
{
        int32_t *apprank_first = global_at(s, g->apprank_first),
                *apprank = global_at(s, g->apprank);
        int32_t *worker_node = global_at(s, g->worker_node), *worker = global_at(s, g->worker);
        int32_t *worker_apprank = global_at(s, g->worker_apprank);
        bool *worker_home = global_at(s, g->worker_home), *talk_only = global_at(s, g->talk_only);
        int32_t na = 0, nw = 0;
        for (int32_t a = 0; a < shape->napprank; a++) {
                if (!apprank_in_group(shape, a, first, end))
                        continue;
                apprank_first[na] = nw;
                for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1]; w++) {
                        if (!in_group(shape, w, first, end))
                                continue;
                        worker[nw] = w;
                        worker_node[nw] = shape->worker_node[w] - first;
                        worker_apprank[nw] = na;
                        talk_only[nw] = lb_shape_least(shape, w) == 0;
                        worker_home[nw++] = shape->worker_home[w];
                }
                apprank[na++] = a;
        }
        apprank_first[na] = nw;
}

/* Nodes of the group: cores less what workers that belong to another group must have. */
static void group_nodes_fill(struct global_state *s, const struct global_group *g,
                             const struct lb_shape *shape, int32_t first, int32_t end)
{
        int32_t *cores = global_at(s, g->cores), *node_first = global_at(s, g->node_first);
        int32_t *node_worker = global_at(s, g->node_worker);
        const int32_t *worker_node = global_at(s, g->worker_node);
        for (int32_t n = first; n < end; n++) {
                cores[n - first] = shape->cores[n];
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++)
                        if (!counts(shape, shape->node_worker[i], first, end))
                                cores[n - first] -= lb_shape_least(shape, shape->node_worker[i]);
        }
        memset(node_first, 0, ((size_t)g->nnode + 1) * sizeof(int32_t));
        for (int32_t w = 0; w < g->nworker; w++)
                node_first[worker_node[w] + 1]++;
        for (int32_t n = 0; n < g->nnode; n++)
                node_first[n + 1] += node_first[n];
        for (int32_t w = 0; w < g->nworker; w++) /* counting sort: advances each node's start ... */
                node_worker[node_first[worker_node[w]]++] = w;
        memmove(node_first + 1, node_first, (size_t)g->nnode * sizeof(int32_t)); /* ... and back */
        node_first[0] = 0;
}

static size_t size_of_groups(const struct global_state *s, const struct lb_shape *shape,
                             int32_t size)
{
        size_t end = s->end;
        for (int32_t i = 0; i < s->ngroup; i++) {
                int32_t first = i * size;
                int32_t last = first + size < shape->nnode ? first + size : shape->nnode;
                struct global_group g;
                group_size(&g, shape, first, last);
                group_layout(&g, &end);
        }
        return end;
}

size_t global_state_size(const struct lb_shape *shape, const double *param)
{
        struct global_state s;
        lay_out(&s, shape, param);
        return size_of_groups(&s, shape, global_group_nodes(shape->nnode, param));
}

int global_state_init(struct global_state *s, const struct lb_shape *shape, const double *param,
                      struct lb_error *err)
{
        for (int32_t n = 0; n < shape->nnode; n++)
                if (alloc_least(shape, n) > shape->cores[n])
                        return lb_error_set(err, "node %d has %d cores for %d workers", n,
                                            shape->cores[n], alloc_least(shape, n));
        int32_t size = global_group_nodes(shape->nnode, param);
        lay_out(s, shape, param);
        average_init(global_at(s, s->average), shape->nworker,
                     (enum average_kind)param[GLOBAL_AVERAGE], param[GLOBAL_AVERAGE_S],
                     shape->poll_s);
        memcpy(global_at(s, s->worker_apprank), shape->worker_apprank,
               (size_t)shape->nworker * sizeof(int32_t));
        int32_t *least = global_at(s, s->least);
        for (int32_t w = 0; w < shape->nworker; w++)
                least[w] = lb_shape_least(shape, w);
        struct global_group *group = global_at(s, s->group);
        for (int32_t i = 0; i < s->ngroup; i++) {
                int32_t first = i * size;
                int32_t last = first + size < shape->nnode ? first + size : shape->nnode;
                group_size(&group[i], shape, first, last);
                group_layout(&group[i], &s->end);
                group_workers(s, &group[i], shape, first, last);
                group_nodes_fill(s, &group[i], shape, first, last);
        }
        return 0;
}

void global_observe(void *state, const struct alloc_view *view)
{
        struct global_state *s = state;
        double limit_s = s->average_iterations * (double)view->iteration_ns * 1e-9;
        if (limit_s > 0)
                average_limit(global_at(s, s->average), limit_s);
        average_observe(global_at(s, s->average), view);
}

void global_carry(void *state, const void *before, const int32_t *worker)
{
        struct global_state *s = state;
        const struct global_state *b = before;
        average_carry(global_at(s, s->average),
                      (const struct average *)((const char *)b + b->average), worker);
}

/* Work summed across all workers of the apprank, those outside its group included; returns the sum
 * of all. */
static double sum_loads(struct global_state *s)
{
        double *load = global_at(s, s->load), sum = 0;
        const struct average *average = global_at(s, s->average);
        const int32_t *apprank = global_at(s, s->worker_apprank);
        memset(load, 0, (size_t)s->napprank * sizeof(double));
        for (int32_t w = 0; w < s->nworker; w++) {
                double busy = average_get(average, w);
                load[apprank[w]] += busy;
                sum += busy;
        }
        return sum;
}

struct lb_shape global_group_shape(struct global_state *s, int32_t group)
{
        const struct global_group *g = (struct global_group *)global_at(s, s->group) + group;
        return (struct lb_shape){
                .nnode = g->nnode,
                .napprank = g->napprank,
                .nworker = g->nworker,
                .cores = global_at(s, g->cores),
                .apprank_first = global_at(s, g->apprank_first),
                .worker_node = global_at(s, g->worker_node),
                .worker_apprank = global_at(s, g->worker_apprank),
                .worker_home = global_at(s, g->worker_home),
                .node_first = global_at(s, g->node_first),
                .node_worker = global_at(s, g->node_worker),
                .talk_only = global_at(s, g->talk_only),
                .poll_s = s->poll_s,
        };
}

static void decide_group(struct global_state *s, int32_t i, const struct alloc_view *view,
                         global_solve *solve, int32_t *owned_cores)
{
        const struct global_group *g = (struct global_group *)global_at(s, s->group) + i;
        const int32_t *worker = global_at(s, g->worker), *apprank = global_at(s, g->apprank);
        const double *load = global_at(s, s->load);
        double *group_load = global_at(s, s->group_load);
        int32_t *now = global_at(s, s->group_now), *answer = global_at(s, s->group_owned);
        for (int32_t a = 0; a < g->napprank; a++)
                group_load[a] = load[apprank[a]];
        for (int32_t w = 0; w < g->nworker; w++)
                now[w] = view->owned_cores[worker[w]];

        struct lb_shape shape = global_group_shape(s, i);
        struct solve_instance instance = { .shape = &shape,
                                           .load = group_load,
                                           .owned_cores = now };
        if (solve(s, i, &instance, answer) < 0)
                memcpy(answer, now, (size_t)g->nworker * sizeof(int32_t));
        for (int32_t w = 0; w < g->nworker; w++)
                owned_cores[worker[w]] = answer[w];
}

void global_decide(struct global_state *s, const struct alloc_view *view, global_solve *solve,
                   int32_t *owned_cores)
{
        if (sum_loads(s) <= 0) { /* nothing measured: leave things as they are */
                memcpy(owned_cores, view->owned_cores, (size_t)s->nworker * sizeof(int32_t));
                return;
        }
        /* Helpers outside their apprank's group. */
        memcpy(owned_cores, global_at(s, s->least), (size_t)s->nworker * sizeof(int32_t));
        for (int32_t i = 0; i < s->ngroup; i++)
                decide_group(s, i, view, solve, owned_cores);
}

/* The exact solver's workspace lies behind the shared state. */
static size_t exact_size(const struct lb_shape *shape, const double *param)
{
        return global_state_size(shape, param) + solve_workspace_size(shape);
}

static int exact_solve(struct global_state *s, int32_t group, const struct solve_instance *instance,
                       int32_t *owned_cores)
{
        (void)group;
        struct lb_error err;
        void *workspace = global_at(s, s->end);
        return s->lexicographic ? solve_lexicographic(instance, workspace, owned_cores, NULL, &err)
                                : solve_exact(instance, workspace, owned_cores, NULL, &err);
}

static int exact_init(void *state, const struct lb_shape *shape, const double *param,
                      struct lb_error *err)
{
        return global_state_init(state, shape, param, err);
}

static void exact_decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        global_decide(state, view, exact_solve, owned_cores);
}

/* From the present ownership, as tests/bench measures it: 0.050 ms at 32 nodes, growing with the
 * power 1.39 up to 4096. */
static double exact_cost_s(int32_t nnode, const double *param)
{
        (void)param;
        return 0.050e-3 * pow(nnode / 32.0, 1.39);
}

static const struct alloc_variant variants[] = {
        { "global-lp", GLOBAL_SOLVER, GLOBAL_SOLVER_LP, "the linear program needs GLPK" },
        { .name = NULL },
};

const struct alloc_type alloc_global = {
        .name = "global",
        .help = "least work per core of the worst apprank, over all nodes",
        .scope = ALLOC_SCOPE_GLOBAL,
        .params = alloc_global_params,
        .state_size = exact_size,
        .init = exact_init,
        .observe = global_observe,
        .decide = exact_decide,
        .release = alloc_release_nothing,
        .carry = global_carry,
        .period_s = global_period_s,
        .period_iterations = global_period_iterations,
        .group_nodes = global_group_nodes,
        .cost_s = exact_cost_s,
        .variants = variants,
};
