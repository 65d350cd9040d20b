/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario/point.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "models/floor.h"
#include "policies/called.h"
#include "policies/host/ledger.h"
#include "policies/lp.h"
#include "policies/migrate.h"
#include "sim/engine/host.h"
#include "sim/scenario/bound.h"
#include "sim/scenario/shared.h"

uint64_t point_seed(const struct scenario *scenario, int32_t replicate)
{
        return scenario->seed + (uint64_t)replicate;
}

/* Everything a run needs beside the spec: memory that the spec points to. */
struct run {
        struct point_shared *shared;
        const struct workload *workload;
        double *speed, *link; /* [nnode] */
        bool *joined;         /* [nnode] */
        double *alloc_param, *lend_param, *place_param, *grow_param;
        double **host_param; /* NULL-ended */
        struct ledger_limits limits;
        struct sim_spec spec;
};

static double *policy_values(const struct scenario_point *point, const char *owner,
                             const struct lb_param *table)
{
        double *value = calloc(lb_param_count(table) + 1, sizeof(double));
        if (value)
                scenario_policy_values(point, owner, table, value);
        return value;
}

/* Every so-many-th node from that of an entry on. */
static int32_t step_of(const struct platform_speed *entry, int32_t nnode)
{
        return entry->every > 0 ? entry->every : nnode;
}

void point_node_speeds(const struct scenario_point *point, int32_t nnode, double *speed)
{
        for (int32_t n = 0; n < nnode; n++)
                speed[n] = 1;
        for (int32_t i = 0; i < point->nspeed; i++)
                for (int32_t n = point->speed[i].node; n < nnode;
                     n += step_of(&point->speed[i], nnode))
                        speed[n] = point->speed[i].factor;
}

static void set_nics(struct run *run, const struct scenario_point *point, int32_t nnode)
{
        for (int32_t n = 0; n < nnode; n++)
                run->link[n] = 1;
        for (int32_t i = 0; i < point->nspeed; i++) {
                const struct platform_speed *entry = &point->speed[i];
                for (int32_t n = entry->node; n < nnode; n += step_of(entry, nnode)) {
                        run->link[n] = entry->link;
                        run->joined[n] = entry->joined && n > 0;
                }
        }
}

static int set_nodes(struct run *run, const struct scenario_point *point, int32_t nnode)
{
        run->speed = calloc((size_t)nnode, sizeof(double));
        run->link = calloc((size_t)nnode, sizeof(double));
        run->joined = calloc((size_t)nnode, sizeof(bool));
        if (!run->speed || !run->link || !run->joined)
                return -1;
        point_node_speeds(point, nnode, run->speed);
        set_nics(run, point, nnode);
        run->spec.node_speed = run->speed;
        run->spec.node_link = run->link;
        run->spec.node_joined = run->joined;
        return 0;
}

static void run_finish(struct run *run)
{
        shared_workload_return(run->shared, run->workload);
        free(run->speed);
        free(run->link);
        free(run->joined);
        free(run->alloc_param);
        free(run->lend_param);
        free(run->place_param);
        free(run->grow_param);
        for (int i = 0; run->host_param && run->host_param[i]; i++)
                free(run->host_param[i]);
        free(run->host_param);
}

static int set_host(struct run *run, const struct scenario_point *point,
                    const struct sim_host *host)
{
        int count = 0;
        while (host->tables[count])
                count++;
        run->host_param = calloc((size_t)count + 2, sizeof(*run->host_param));
        if (!run->host_param)
                return -1;
        const struct lb_param *params;
        const char *own = system_own_policy(point->system, &params);
        for (int i = 0; i < count + (own != NULL); i++) {
                run->host_param[i] = i < count ? policy_values(point, host->name, host->tables[i])
                                               : policy_values(point, own, params);
                if (!run->host_param[i])
                        return -1;
        }
        run->spec.host_param = (const double *const *)run->host_param;
        return 0;
}

static int set_growth(struct run *run, const struct scenario_point *point)
{
        run->spec.grow = grow_find(point->system->grow);
        run->grow_param = policy_values(point, run->spec.grow->name, run->spec.grow->params);
        run->spec.grow_param = run->grow_param;
        return run->grow_param ? 0 : -1;
}

/* The policy may stand for several: `global` has two solvers. */
static int set_allocation(struct run *run, const struct scenario_point *point)
{
        const struct alloc_type *type = alloc_find(point->system->alloc);
        run->alloc_param = policy_values(point, type->name, type->params);
        if (!run->alloc_param)
                return -1;
        const struct alloc_variant *variant = alloc_variant(type, run->alloc_param);
        run->spec.alloc = variant ? lp_alloc_find(variant->name) : type;
        run->spec.alloc_param = run->alloc_param;
        return 0;
}

static int set_policies(struct run *run, const struct scenario_point *point)
{
        const struct lend_type *lend = lend_find(point->system->lend);
        const struct place_type *place = place_find(point->system->place);
        run->spec.lend = lend;
        run->spec.place = place;
        run->lend_param = policy_values(point, lend->name, lend->params);
        run->place_param = policy_values(point, place->name, place->params);
        if (set_allocation(run, point) < 0 || !run->lend_param || !run->place_param)
                return -1;
        run->spec.lend_param = run->lend_param;
        run->spec.place_param = run->place_param;
        return point->grows ? set_growth(run, point) : 0;
}

static int run_init(struct run *run, struct point_shared *shared,
                    const struct scenario_point *point, uint64_t seed, struct lb_error *err)
{
        *run =
            (struct run){ .shared = shared, .workload = shared_workload(shared, point, seed, err) };
        if (!run->workload)
                return -1;
        const double *platform = point->value[SECTION_PLATFORM];
        run->spec = (struct sim_spec){
                .system = point->system,
                .appranks_per_node = (int32_t)platform[PLATFORM_APPRANKS_PER_NODE],
                .workload = run->workload,
                .cores_per_node = (int32_t)platform[PLATFORM_CORES_PER_NODE],
                .network = point->value[SECTION_NETWORK],
                .power = point->value[SECTION_POWER],
                .runtime = point->value[SECTION_RUNTIME],
                .lewi = point->lewi,
                .drom = point->drom,
                .seed = seed,
                .series_s = point->value[SECTION_OUTPUT][OUTPUT_SERIES_S],
        };
        const char *host = point->system->host;
        int status = set_nodes(run, point, (int32_t)platform[PLATFORM_NODES]);
        if (status == 0)
                status =
                    host ? set_host(run, point, sim_host_find(host)) : set_policies(run, point);
        if (status < 0) {
                run_finish(run);
                return lb_error_fail(err, "out of memory");
        }
        return 0;
}

/* What the graph allows, where it stays as it is. */
static int set_cut(struct run *run, struct bound_case *c, struct lb_error *err)
{
        struct bound bound;
        run->limits.cut = NAN;
        if (c->point->system->host || c->point->grows)
                return 0;
        if (shared_drawn(run->shared, c->workload, &c->drawn_ns, err) < 0 ||
            bound_find(&bound, c, err) < 0)
                return -1;
        if (bound.perfect_s > 0)
                run->limits.cut = bound.least_s / bound.perfect_s;
        bound_finish(&bound);
        return 0;
}

static int set_limits(struct run *run, const struct scenario_point *point,
                      const struct graph *graph, struct lb_error *err)
{
        struct floor_ratio ratio;
        struct bound_case c = { .point = point, .workload = run->workload, .graph = graph };
        if (shared_floor(run->shared, run->workload, point, run->speed, &ratio, err) < 0)
                return -1;
        run->limits.floor = ratio.informed;
        run->limits.floor_blind = ratio.blind;
        run->spec.limits = &run->limits;
        return set_cut(run, &c, err);
}

enum { VALUES_SIZE = CALLED_WHERE_SIZE - 64 };

/* "point 3: graph.degree 2, system.name mine"; without a sweep "point 0" */
static void name_point(const struct scenario *scenario, int64_t point,
                       char text[static CALLED_WHERE_SIZE])
{
        snprintf(text, CALLED_WHERE_SIZE, "point %" PRId64, point);
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                lb_text_add(text, VALUES_SIZE, "%s %s %s", c ? "," : ":",
                            scenario_column(scenario, c), scenario_point_text(scenario, point, c));
}

static void tell_where(const struct scenario *scenario, int64_t point, int32_t replicate)
{
        char text[CALLED_WHERE_SIZE];
        name_point(scenario, point, text);
        called_where("%s; replicate %" PRId32, text, replicate);
}

/* Wrong input that only a run finds, of which file; and with which values of the sweep a run
 * failed, for instance since a policy's answer is none. */
static void say_where(const struct scenario *scenario, int64_t point, int32_t replicate,
                      struct lb_error *err)
{
        char text[CALLED_WHERE_SIZE];
        name_point(scenario, point, text);
        bool sweeps = scenario_ncolumn(scenario) > 0;
        if (err->kind == LB_ERROR_INPUT && sweeps)
                lb_error_prefix(err, "%.300s: %s: ", scenario->json.file, text);
        else if (err->kind == LB_ERROR_INPUT)
                lb_error_prefix(err, "%.300s: ", scenario->json.file);
        else if (err->kind == LB_ERROR_OTHER && sweeps)
                lb_error_prefix(err, "%s; replicate %" PRId32 ": ", text, replicate);
}

int point_trace(const struct scenario *scenario, struct point_shared *shared, int64_t point,
                int32_t replicate, const struct sim_trace *trace, struct sim_result *result,
                const volatile int *stop, struct lb_error *err)
{
        struct scenario_point config;
        memset(result, 0, sizeof(*result));
        tell_where(scenario, point, replicate);
        if (scenario_point_get(scenario, point, &config, err) < 0)
                return -1;
        struct run run;
        const struct graph *graph = shared_graph(shared, point, err);
        int status =
            graph ? run_init(&run, shared, &config, point_seed(scenario, replicate), err) : -1;
        if (status == 0) {
                run.spec.graph = graph;
                shared_set_threads(shared, &run.spec);
                run.spec.trace = trace;
                run.spec.decisions = trace ? trace->decisions : NULL;
                run.spec.decisions_failure = trace ? trace->decisions_failure : NULL;
                status = set_limits(&run, &config, graph, err);
                if (status == 0)
                        status = sim_run(&run.spec, result, stop, err);
                run_finish(&run);
        }
        scenario_point_finish(&config);
        if (status < 0)
                say_where(scenario, point, replicate, err);
        return status;
}

int point_run(const struct scenario *scenario, struct point_shared *shared, int64_t point,
              int32_t replicate, struct sim_result *result, const volatile int *stop,
              struct lb_error *err)
{
        return point_trace(scenario, shared, point, replicate, NULL, result, stop, err);
}

double point_cost(const struct scenario *scenario, int64_t point)
{
        struct scenario_point config;
        struct lb_error err;
        if (scenario_point_get(scenario, point, &config, &err) < 0)
                return 0;
        double cost = scenario_tasks(&config);
        if (config.degree > 1 || config.grows)
                cost *= 2; /* messages, lending and decisions */
        scenario_point_finish(&config);
        return cost;
}
