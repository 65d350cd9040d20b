/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/search.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"
#include "graphs/catalogue.h"
#include "graphs/expand.h"
#include "graphs/near.h"
#include "graphs/spectrum.h"

enum {
        CACHE_VERSION = 2,
        PATH_SIZE = 4096,
        TRIAL_EFFORT = 1 << 20, /* branch and bound per trial: vertices times edges */
};

/* One of the graphs to choose from. */
struct trial {
        struct graph *graph;
        int32_t nnode, size;    /* the isoperimetric number, |N(A)| / |A| */
        double second_singular; /* < 0: not needed so far */
};

static struct graph_spec trial_spec(const struct graph_spec *spec, int32_t trial)
{
        static const enum graph_method methods[] = { GRAPH_METHOD_CIRCULANT, GRAPH_METHOD_GREEDY,
                                                     GRAPH_METHOD_RANDOM };
        struct graph_spec one = *spec;
        one.method = methods[trial % 3];
        if (one.method == GRAPH_METHOD_CIRCULANT && spec->napprank % spec->nnode != 0)
                one.method = GRAPH_METHOD_GREEDY;
        uint64_t key = lb_random_key(spec->seed, LB_RANDOM_GRAPH);
        one.seed = lb_random_at(key, GRAPH_METHOD_BEST, (uint64_t)trial);
        return one;
}

static int try_one(const struct graph_spec *spec, struct trial *trial, struct lb_error *err)
{
        *trial = (struct trial){ .graph = graph_create(spec, err), .second_singular = -1 };
        if (!trial->graph)
                return -1;
        int32_t size_max = spec->napprank > 1 ? spec->napprank / 2 : 1;
        int64_t budget = TRIAL_EFFORT / (trial->graph->nedge + 64);
        struct expansion found;
        if (expansion_guess(trial->graph, size_max, &found, err)) {
                graph_destroy(trial->graph);
                return -1;
        }
        int failed = expansion_improve(trial->graph, size_max, budget, false, &found, err);
        trial->nnode = found.nnode;
        trial->size = found.size;
        expansion_finish(&found);
        if (failed)
                graph_destroy(trial->graph);
        return failed;
}

static int need_second(struct trial *trial, struct lb_error *err)
{
        struct spectrum spectrum;
        if (trial->second_singular >= 0)
                return 0;
        if (spectrum_compute(trial->graph, &spectrum, err))
                return -1;
        trial->second_singular = spectrum.second_singular;
        return 0;
}

/* Does a come before b? Ties beyond rounding go to the earlier. */
static int is_better(struct trial *a, struct trial *b, bool *better, struct lb_error *err)
{
        int64_t x = (int64_t)a->nnode * b->size, y = (int64_t)b->nnode * a->size;
        *better = x > y;
        if (x != y)
                return 0;
        if (need_second(a, err) || need_second(b, err))
                return -1;
        *better = a->second_singular < b->second_singular - 1e-9;
        return 0;
}

static struct graph *search_best(const struct graph_spec *spec, struct lb_error *err)
{
        struct trial best = { 0 };
        for (int32_t i = 0; i < spec->trials; i++) {
                struct graph_spec one = trial_spec(spec, i);
                struct trial trial;
                bool better = true;
                if (try_one(&one, &trial, err))
                        goto error;
                if (best.graph && is_better(&trial, &best, &better, err)) {
                        graph_destroy(trial.graph);
                        goto error;
                }
                graph_destroy(better ? best.graph : trial.graph);
                if (better)
                        best = trial;
        }
        return best.graph;
error:
        graph_destroy(best.graph);
        return NULL;
}

/* Degree 1 and the complete graph: nothing to choose. */
static bool is_unique(const struct graph_spec *spec)
{
        return spec->degree == 1 || spec->degree == spec->nnode;
}

static struct graph *make_graph(const struct graph_spec *spec, struct lb_error *err)
{
        if (spec->method == GRAPH_METHOD_BEST && !is_unique(spec))
                return search_best(spec, err);
        if (spec->method == GRAPH_METHOD_CATALOGUE && !is_unique(spec))
                return catalogue_obtain(spec, err);
        struct graph_spec one = *spec;
        if (is_unique(spec))
                one.method = GRAPH_METHOD_RANDOM;
        return graph_create(&one, err);
}

struct graph *graph_search(const struct graph_spec *spec, struct lb_error *err)
{
        if (graph_check_spec(spec, err))
                return NULL;
        struct graph *graph = make_graph(spec, err);
        if (!graph || is_unique(spec) || spec->nodes_per_switch <= 1)
                return graph;
        struct distances distances;
        struct graph *near = NULL;
        if (!distances_of_switches(spec->nnode, spec->nodes_per_switch, &distances, err)) {
                near = near_arrange(graph, &distances, spec->seed, err);
                distances_finish(&distances);
        }
        graph_destroy(graph);
        return near;
}

void graph_cache_name(const struct graph_spec *spec, char *name, size_t size)
{
        char trials[16] = "", near[16] = "";
        if (spec->method == GRAPH_METHOD_BEST)
                snprintf(trials, sizeof(trials), "-t%d", spec->trials);
        if (spec->nodes_per_switch > 1)
                snprintf(near, sizeof(near), "-w%d", spec->nodes_per_switch);
        snprintf(name, size, "graph-v%d-%dx%d-d%d-%s-s%llu%s%s.json", CACHE_VERSION, spec->napprank,
                 spec->nnode, spec->degree, graph_method_name(spec->method),
                 (unsigned long long)spec->seed, trials, near);
}

/* A stored graph must be what its name says. */
static struct graph *read_cached(const struct graph_spec *spec, const char *path,
                                 struct lb_error *err)
{
        struct graph *graph = graph_read_json(path, err);
        if (!graph)
                return NULL;
        if (graph->napprank == spec->napprank && graph->nnode == spec->nnode &&
            graph->degree == spec->degree &&
            graph->biregular == (spec->napprank % spec->nnode == 0))
                return graph;
        lb_error_set(err,
                     "%s: a %sgraph of %d appranks, %d nodes and degree %d, not the one its name "
                     "tells: remove the file to have it made anew",
                     path, graph->biregular ? "" : "not biregular ", graph->napprank, graph->nnode,
                     graph->degree);
        graph_destroy(graph);
        return NULL;
}

/* A cache that cannot be written is no error: the graph is made again next time. */
static void keep_cached(const struct graph *graph, const struct graph_spec *spec,
                        const char *directory, const char *path)
{
        struct lb_error ignored;
        int failed =
            lb_make_directory(directory, &ignored) || graph_write_json(graph, spec, path, &ignored);
        (void)failed;
}

struct graph *graph_obtain(const struct graph_spec *spec, struct lb_error *err)
{
        if (graph_check_spec(spec, err))
                return NULL;
        char directory[PATH_SIZE], name[128], path[PATH_SIZE + sizeof(name) + 1];
        bool kept = is_unique(spec) || spec->method == GRAPH_METHOD_CATALOGUE;
        if (kept || !graph_cache_directory(directory, sizeof(directory)))
                return graph_search(spec, err);
        graph_cache_name(spec, name, sizeof(name));
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        if (access(path, F_OK) == 0)
                return read_cached(spec, path, err);

        struct graph *graph = graph_search(spec, err);
        if (graph)
                keep_cached(graph, spec, directory, path);
        return graph;
}
