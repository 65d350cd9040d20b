/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/search.h"

#include "base/random.h"
#include "graphs/catalogue.h"
#include "graphs/expand.h"
#include "graphs/near.h"
#include "graphs/spectrum.h"

enum {
        TRIAL_EFFORT = 1 << 20, /* branch and bound per trial: vertices times edges */
        /* Beyond so many nodes that is too little to find a better set than local search did: none
         * in 130 graphs of 128 to 256 nodes and degrees 2 to 8. */
        TRIAL_NODE_MAX = 128,
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
        int failed = spec->nnode > TRIAL_NODE_MAX
                         ? 0
                         : expansion_improve(trial->graph, size_max, budget, false, &found, err);
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

bool graph_is_unique(const struct graph_spec *spec)
{
        return spec->degree == 1 || spec->degree == spec->nnode;
}

static struct graph *make_graph(const struct graph_spec *spec, struct lb_error *err)
{
        if (spec->method == GRAPH_METHOD_BEST && !graph_is_unique(spec))
                return search_best(spec, err);
        if (spec->method == GRAPH_METHOD_CATALOGUE && !graph_is_unique(spec))
                return catalogue_obtain(spec, err);
        struct graph_spec one = *spec;
        if (graph_is_unique(spec))
                one.method = GRAPH_METHOD_RANDOM;
        return graph_create(&one, err);
}

struct graph *graph_search(const struct graph_spec *spec, struct lb_error *err)
{
        if (graph_check_spec(spec, err))
                return NULL;
        struct graph *graph = make_graph(spec, err);
        if (!graph || graph_is_unique(spec) || spec->nodes_per_switch <= 1)
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
