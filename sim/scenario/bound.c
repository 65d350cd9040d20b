/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least time that a graph allows. Cores are divided into units of equal
 * speed, so that nodes of unequal speed, and a core that serves two appranks in
 * turn, are cores of the exact solver's. Units are whole, so its objective is a
 * little off; the cut that it proves that by is a bound whatever the units are.
 */
#include "sim/scenario/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/alloc.h"
#include "policies/host/ledger.h"
#include "policies/solve.h"
#include "sim/scenario/point.h"

enum { UNITS_OF_A_CORE = 1000, UNITS_MAX = 1 << 30 };

/* The graph as the solver sees it. */
struct problem {
        struct lb_shape shape;
        int32_t *cores;     /* [nnode] */
        bool *home, *talks; /* [nworker] */
        int32_t *owned;     /* [nworker] */
        double *load;       /* [napprank] */
        void *workspace;
        double units; /* of a core of speed 1 */
};

static void problem_finish(struct problem *p)
{
        free(p->cores);
        free(p->home);
        free(p->talks);
        free(p->owned);
        free(p->load);
        free(p->workspace);
}

static int problem_init(struct problem *p, const struct graph *g)
{
        size_t nedge = (size_t)g->nedge;
        *p = (struct problem){ .cores = calloc((size_t)g->nnode, sizeof(*p->cores)),
                               .home = calloc(nedge, sizeof(*p->home)),
                               .talks = calloc(nedge, sizeof(*p->talks)),
                               .owned = calloc(nedge, sizeof(*p->owned)),
                               .load = calloc((size_t)g->napprank, sizeof(*p->load)) };
        if (!p->cores || !p->home || !p->talks || !p->owned || !p->load)
                return -1;
        for (int32_t a = 0; a < g->napprank; a++)
                for (int32_t e = g->apprank_first[a]; e < g->apprank_first[a + 1]; e++) {
                        p->home[e] = e == g->apprank_first[a];
                        p->talks[e] = !p->home[e];
                }
        p->shape = (struct lb_shape){ .nnode = g->nnode,
                                      .napprank = g->napprank,
                                      .nworker = g->nedge,
                                      .cores = p->cores,
                                      .apprank_first = g->apprank_first,
                                      .worker_node = g->edge_node,
                                      .worker_apprank = g->edge_apprank,
                                      .worker_home = p->home,
                                      .node_first = g->node_first,
                                      .node_worker = g->node_edge,
                                      .talk_only = p->talks };
        return 0;
}

static double sum(const double *value, int32_t count)
{
        double total = 0;
        for (int32_t i = 0; i < count; i++)
                total += value[i];
        return total;
}

/* Cores times speed of each node, slow by the machine or by the workload. */
static void find_capacity(struct bound *b, const struct bound_case *c, int32_t iteration)
{
        point_node_speeds(c->point, b->nnode, b->speed);
        for (int32_t n = 0; n < b->nnode; n++) {
                b->speed[n] /= workload_node_factor(c->workload, n, iteration);
                b->capacity[n] =
                    b->speed[n] * c->point->value[SECTION_PLATFORM][PLATFORM_CORES_PER_NODE];
        }
}

/* A thousand of the slowest core, where that is not more than fits. */
static void set_units(struct problem *p, const struct bound *b, double cores_per_node)
{
        double slowest = 1;
        for (int32_t n = 0; n < b->nnode; n++)
                slowest = fmin(slowest, b->capacity[n] / cores_per_node);
        p->units = fmin(UNITS_OF_A_CORE / slowest, floor(UNITS_MAX / sum(b->capacity, b->nnode)));
        for (int32_t n = 0; n < b->nnode; n++)
                p->cores[n] = (int32_t)fmax(round(b->capacity[n] * p->units), b->napprank);
}

/* When an apprank's main program has done its serial part, on one core of its home, and has what
 * it waits for. */
static double start_s(const struct bound *b, const struct lb_shape *shape, int32_t apprank)
{
        int32_t home = shape->worker_node[shape->apprank_first[apprank]];
        return b->start_s[apprank] / b->speed[home];
}

/* Least time where each apprank has the cores that it was given at first. */
static int solve_own(struct bound *b, struct problem *p, const struct bound_case *c,
                     double *least_s, struct lb_error *err)
{
        int32_t cores = (int32_t)c->point->value[SECTION_PLATFORM][PLATFORM_CORES_PER_NODE];
        for (int32_t n = 0; n < b->nnode; n++)
                p->cores[n] = cores;
        p->shape.talk_only = NULL; /* without LeWI each helper has a core */
        if (alloc_initial(&p->shape, p->owned, err) < 0)
                return -1;
        memset(b->apprank_in_cut, 0, (size_t)b->napprank * sizeof(bool));
        memset(b->node_in_cut, 0, (size_t)b->nnode * sizeof(bool));
        int32_t worst = 0;
        for (int32_t a = 0; a < b->napprank; a++) {
                double speed = 0;
                for (int32_t w = p->shape.apprank_first[a]; w < p->shape.apprank_first[a + 1]; w++)
                        speed += p->owned[w] * b->capacity[p->shape.worker_node[w]] / cores;
                double time_s = (b->work_s[a] - b->serial_s[a]) / speed + start_s(b, &p->shape, a);
                worst = time_s > *least_s ? a : worst;
                *least_s = fmax(*least_s, time_s);
        }
        b->apprank_in_cut[worst] = true;
        return 0;
}

static bool is_in_cut(const struct bound *b, const struct problem *p, int32_t apprank)
{
        const struct lb_shape *shape = &p->shape;
        for (int32_t w = shape->apprank_first[apprank]; w < shape->apprank_first[apprank + 1]; w++)
                if (!b->node_in_cut[shape->worker_node[w]])
                        return false;
        return true;
}

/* All work that can only be done on the nodes of the cut, over what these can do. */
static double cut_s(const struct bound *b, const struct problem *p)
{
        double work_s = 0, capacity = 0;
        for (int32_t a = 0; a < b->napprank; a++)
                work_s += is_in_cut(b, p, a) ? b->work_s[a] : 0;
        for (int32_t n = 0; n < b->nnode; n++)
                capacity += b->node_in_cut[n] ? b->capacity[n] : 0;
        return capacity > 0 ? work_s / capacity : 0;
}

static int solve_graph(struct bound *b, struct problem *p, double *least_s, struct lb_error *err)
{
        memcpy(p->load, b->work_s, (size_t)b->napprank * sizeof(double));
        const struct solve_instance instance = { .shape = &p->shape, .load = p->load };
        if (solve_check(&p->shape, err) < 0 ||
            solve_exact(&instance, p->workspace, p->owned, NULL, err) < 0)
                return -1;
        solve_cut(&p->shape, p->workspace, b->apprank_in_cut, b->node_in_cut);
        *least_s = cut_s(b, p);
        return 0;
}

/* First its serial part, then the rest on all cores that it can reach: the longest that takes. */
static void add_serial(struct bound *b, const struct problem *p, double *least_s)
{
        const struct lb_shape *shape = &p->shape;
        double all = sum(b->capacity, b->nnode);
        for (int32_t a = 0; a < b->napprank; a++) {
                double capacity = 0;
                for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1]; w++)
                        capacity += b->capacity[shape->worker_node[w]];
                capacity = b->reach == BOUND_ANY ? all : capacity;
                double time_s = start_s(b, shape, a) + (b->work_s[a] - b->serial_s[a]) / capacity;
                if (!(b->start_s[a] > 0) || time_s <= *least_s)
                        continue;
                *least_s = time_s;
                b->serial = a;
        }
}

static int solve_iteration(struct bound *b, struct problem *p, const struct bound_case *c,
                           double *least_s, struct lb_error *err)
{
        double perfect_s = sum(b->work_s, b->napprank) / sum(b->capacity, b->nnode);
        int status = 0;
        *least_s = 0;
        b->serial = -1;
        if (b->reach == BOUND_OWN)
                status = solve_own(b, p, c, least_s, err);
        else if (b->reach == BOUND_GRAPH)
                status = solve_graph(b, p, least_s, err);
        *least_s = fmax(*least_s, perfect_s);
        if (b->reach != BOUND_OWN)
                add_serial(b, p, least_s);
        return status;
}

static double work_ns(const struct bound *b, const struct bound_case *c, int32_t iteration,
                      int32_t apprank, const struct work *meant)
{
        if (c->drawn_ns)
                return c->drawn_ns[(int64_t)(iteration - b->first) * b->napprank + apprank] +
                       (double)meant->serial_ns;
        return work_meant_ns(meant);
}

/* Fills work_s; returns whether it is other work than before. */
static bool next_work(struct bound *b, const struct bound_case *c, int32_t iteration,
                      struct work *work)
{
        bool changed = false;
        workload_iteration(c->workload, iteration, work);
        b->tasks = 0;
        for (int32_t a = 0; a < b->napprank; a++) {
                double work_s = work_ns(b, c, iteration, a, &work[a]) * 1e-9;
                b->tasks += (double)work[a].ntask;
                changed |=
                    work_s != b->work_s[a] || (double)work[a].serial_ns * 1e-9 != b->serial_s[a];
                b->work_s[a] = work_s;
                b->serial_s[a] = (double)work[a].serial_ns * 1e-9;
                b->start_s[a] = (double)work[a].start_ns * 1e-9;
        }
        return changed;
}

static int solve_all(struct bound *b, struct problem *p, const struct bound_case *c,
                     struct lb_error *err)
{
        struct work *work = calloc((size_t)b->napprank, sizeof(*work));
        double least_s = 0;
        int status = work ? 0 : lb_error_fail(err, "out of memory");
        for (int32_t i = b->first; status == 0 && i < b->last; i++) {
                bool others = i == b->first || workload_nodes_change(c->workload, i);
                if (others) {
                        find_capacity(b, c, i);
                        set_units(p, b, c->point->value[SECTION_PLATFORM][PLATFORM_CORES_PER_NODE]);
                }
                if (next_work(b, c, i, work) || others)
                        status = solve_iteration(b, p, c, &least_s, err);
                b->least_s += least_s / (b->last - b->first);
                b->perfect_s +=
                    sum(b->work_s, b->napprank) / sum(b->capacity, b->nnode) / (b->last - b->first);
        }
        free(work);
        return status;
}

static enum bound_reach reach_of(const struct scenario_point *point)
{
        const char *host = point->system->host;
        if (host && strcmp(host, "chameleon") == 0)
                return BOUND_ANY;
        bool moves = host || point->lewi || point->drom;
        return moves ? BOUND_GRAPH : BOUND_OWN;
}

int bound_find(struct bound *b, const struct bound_case *c, struct lb_error *err)
{
        struct problem p;
        size_t na = (size_t)c->graph->napprank, nn = (size_t)c->graph->nnode;
        int32_t niteration = workload_niteration(c->workload);
        *b = (struct bound){ .reach = reach_of(c->point),
                             .napprank = c->graph->napprank,
                             .nnode = c->graph->nnode,
                             .work_s = calloc(na, sizeof(double)),
                             .serial_s = calloc(na, sizeof(double)),
                             .start_s = calloc(na, sizeof(double)),
                             .capacity = calloc(nn, sizeof(double)),
                             .speed = calloc(nn, sizeof(double)),
                             .apprank_in_cut = calloc(na, sizeof(bool)),
                             .node_in_cut = calloc(nn, sizeof(bool)),
                             .first = ledger_first_steady(niteration),
                             .last = niteration };
        int status = problem_init(&p, c->graph);
        if (status == 0 && b->work_s && b->serial_s && b->start_s && b->capacity && b->speed &&
            b->apprank_in_cut && b->node_in_cut)
                p.workspace = malloc(solve_workspace_size(&p.shape));
        if (!p.workspace)
                status = lb_error_fail(err, "out of memory");
        else
                status = solve_all(b, &p, c, err);
        problem_finish(&p);
        if (status < 0)
                bound_finish(b);
        return status;
}

void bound_finish(struct bound *b)
{
        free(b->work_s);
        free(b->serial_s);
        free(b->start_s);
        free(b->capacity);
        free(b->speed);
        free(b->apprank_in_cut);
        free(b->node_in_cut);
        memset(b, 0, sizeof(*b));
}

bool bound_is_proper(const struct bound *b)
{
        static const double same = 1.002; /* units are whole */
        return b->least_s > same * b->perfect_s;
}
