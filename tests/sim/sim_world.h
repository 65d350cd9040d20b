/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_SIM_WORLD_H
#define LB_TESTS_SIM_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphs/graph.h"
#include "models/platform.h"
#include "policies/system.h"
#include "sim/engine/host.h"
#include "sim/engine/sim.h"

/* A simulated run put together by hand: defaults everywhere, to be changed before world_run(). */
struct world {
        int32_t nnode, cores, appranks_per_node, degree;
        const char *system;
        bool lewi, drom, original;
        uint64_t seed;
        int32_t threads; /* as sim_spec.threads, even where it is no faster */
        bool divides_when_faster;
        const char *undivided;
        double workload[WORKLOAD_NPARAM], network[NETWORK_NPARAM], runtime[RUNTIME_NPARAM];
        const struct lend_type *lend_by; /* NULL: the system's */
        double alloc[16], lend[16], place[16], grow[16];
        double grow_idle_s; /* 0: the default */
        bool grows_fast;    /* helpers that come and go all the time */
        double speed[4096];
        const double *load_ms;
        const struct trace *trace;
        const struct taskgraph *graph;
        double series_s;
        double host[8][64]; /* of a system with a host: the values of its tables */
        const double *table[8];
};

/* A host of its own: its tables. */
static inline void world_tables(struct world *w)
{
        const char *name = system_find(w->system)->host;
        const struct lb_param *const *tables = name ? sim_host_find(name)->tables : NULL;
        for (int i = 0; tables && tables[i]; i++) {
                w->table[i] = w->host[i];
                lb_param_defaults(tables[i], w->host[i]);
        }
}

static inline void world_init(struct world *w, int32_t nnode, int32_t cores, int32_t degree,
                              const char *system)
{
        memset(w, 0, sizeof(*w));
        w->nnode = nnode;
        w->cores = cores;
        w->degree = degree;
        w->appranks_per_node = 1;
        w->system = system;
        w->lewi = system_find(system)->lewi;
        w->drom = system_find(system)->drom;
        w->seed = 1;
        lb_param_defaults(workload_params, w->workload);
        lb_param_defaults(network_params, w->network);
        lb_param_defaults(runtime_params, w->runtime);
        for (int n = 0; n < 4096; n++)
                w->speed[n] = 1;
        world_tables(w);
}

/* Set a parameter by its word: of the workload or the system's host, in all tables that have it. */
static inline void world_set(struct world *w, const char *name, const char *word)
{
        const char *host = system_find(w->system)->host;
        const struct lb_param *const *tables = host ? sim_host_find(host)->tables : NULL;
        struct lb_error err = { .text = "there is no such parameter" };
        int place = lb_param_find(workload_params, name), wrong = 1;
        if (place >= 0)
                wrong = lb_param_parse(&workload_params[place], word, &w->workload[place], &err);
        for (int i = 0; tables && tables[i] && wrong >= 0; i++) {
                place = lb_param_find(tables[i], name);
                if (place >= 0)
                        wrong = lb_param_parse(&tables[i][place], word, &w->host[i][place], &err);
        }
        if (wrong) {
                fprintf(stderr, "%s = %s: %s\n", name, word, err.text);
                abort();
        }
}

static inline void world_params(const struct world *w, const struct lb_param *table, double *value)
{
        lb_param_defaults(table, value);
        for (int i = 0; w->original && table[i].name; i++)
                if (table[i].differs)
                        value[i] = table[i].original;
}

/* The machine of offloading: a policy of each kind. */
static inline void world_policies(struct world *w, struct sim_spec *spec)
{
        const struct system_type *system = spec->system;
        spec->alloc = alloc_find(system->alloc);
        spec->alloc_param = w->alloc;
        spec->lend = w->lend_by ? w->lend_by : lend_find(system->lend);
        spec->lend_param = w->lend;
        spec->place = place_find(system->place);
        spec->place_param = w->place;
        world_params(w, spec->alloc->params, w->alloc);
        world_params(w, spec->lend->params, w->lend);
        world_params(w, spec->place->params, w->place);
        if (!system->grow)
                return;
        spec->grow = grow_find(system->grow);
        spec->grow_param = w->grow;
        world_params(w, spec->grow->params, w->grow);
        if (w->grows_fast) {
                w->grow[GROW_PERIOD_S] = w->grow[GROW_START_S] = 0.02;
                w->grow[GROW_GAIN] = w->grow[GROW_START_CPU_S] = 0;
                w->grow[GROW_IDLE_S] = w->grow[GROW_AVERAGE_S] = 0.1;
        }
        if (w->grow_idle_s > 0)
                w->grow[GROW_IDLE_S] = w->grow_idle_s;
}

static inline int world_run(struct world *w, struct sim_result *result, struct lb_error *err)
{
        const struct system_type *system = system_find(w->system);
        int32_t napprank = w->nnode * w->appranks_per_node;
        struct graph_spec graph_spec = { napprank, w->nnode, w->degree, GRAPH_METHOD_CIRCULANT,
                                         1,        1,        0 };
        struct graph *graph = graph_create(&graph_spec, err);
        struct workload_spec workload_spec = { .nnode = w->nnode,
                                               .cores_per_node = w->cores,
                                               .appranks_per_node = w->appranks_per_node,
                                               .param = w->workload,
                                               .load_ms = w->load_ms,
                                               .nload = w->load_ms ? napprank : 0,
                                               .trace = w->trace,
                                               .graph = w->graph,
                                               .seed = w->seed };
        struct workload *workload = workload_create(&workload_spec, err);
        memset(result, 0, sizeof(*result));
        int status = -1;
        if (graph && workload) {
                struct sim_spec spec = {
                        .system = system,
                        .appranks_per_node = w->appranks_per_node,
                        .graph = graph,
                        .workload = workload,
                        .cores_per_node = w->cores,
                        .node_speed = w->speed,
                        .network = w->network,
                        .runtime = w->runtime,
                        .lewi = w->lewi,
                        .drom = w->drom,
                        .seed = w->seed,
                        .series_s = w->series_s,
                        .threads = w->threads,
                        .divides_always = !w->divides_when_faster,
                        .undivided = &w->undivided,
                };
                if (system->host)
                        spec.host_param = w->table;
                else
                        world_policies(w, &spec);
                status = sim_run(&spec, result, NULL, err);
        }
        workload_destroy(workload);
        graph_destroy(graph);
        return status;
}

/* One that must be possible; sim_result_finish() when done. */
static inline struct sim_result world_result(struct world *w)
{
        struct sim_result result;
        struct lb_error err;
        if (world_run(w, &result, &err) < 0) {
                fprintf(stderr, "%s: %s\n", w->system, err.text);
                abort();
        }
        return result;
}

/* What it comes to, metric[METRIC_COUNT]. */
static inline void world_metrics(struct world *w, double *metric)
{
        struct sim_result result = world_result(w);
        memcpy(metric, result.metric, sizeof(result.metric));
        sim_result_finish(&result);
}

#endif
