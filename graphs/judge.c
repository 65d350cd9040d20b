/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/judge.h"

#include <stdlib.h>

#include "graphs/balance.h"
#include "graphs/expand.h"
#include "graphs/library.h"
#include "graphs/spectrum.h"

/* The default budget is so many vertices times edges: a vertex of the search tree costs O(edges).
 */
#define DEFAULT_EFFORT ((int64_t)1 << 26)

static int check_connected(const struct graph *graph, bool *connected, struct lb_error *err)
{
        igraph_vector_int_t ends;
        igraph_error_t code = igraph_vector_int_init(&ends, 2 * (igraph_integer_t)graph->nedge);
        if (code != IGRAPH_SUCCESS)
                return library_error(err, "connectivity", code);
        for (int32_t e = 0; e < graph->nedge; e++) {
                VECTOR(ends)[2 * e] = graph->edge_apprank[e];
                VECTOR(ends)[2 * e + 1] = graph->napprank + graph->edge_node[e];
        }
        igraph_t both;
        code = igraph_create(&both, &ends, graph->napprank + graph->nnode, IGRAPH_UNDIRECTED);
        igraph_vector_int_destroy(&ends);
        if (code != IGRAPH_SUCCESS)
                return library_error(err, "connectivity", code);
        igraph_bool_t answer = false;
        code = igraph_is_connected(&both, &answer, IGRAPH_WEAK);
        igraph_destroy(&both);
        *connected = answer;
        return code == IGRAPH_SUCCESS ? 0 : library_error(err, "connectivity", code);
}

/* The best set there is, or one and a bound: from the spectrum, and from branch and bound. */
static int find_expansion(const struct graph *graph, int64_t budget,
                          const struct spectrum *spectrum, struct expansion *found,
                          struct lb_error *err)
{
        int32_t size_max = graph->napprank > 1 ? graph->napprank / 2 : 1;
        int32_t low_nnode, low_size;
        if (spectrum_bound(graph, spectrum, size_max, &low_nnode, &low_size, err) ||
            expansion_guess(graph, size_max, found, err))
                return -1;
        found->low_nnode = low_nnode;
        found->low_size = low_size;
        found->exact = (int64_t)low_nnode * found->size == (int64_t)found->nnode * low_size;
        if (found->exact || !expansion_improve(graph, size_max, budget, true, found, err))
                return 0;
        expansion_finish(found);
        return -1;
}

static int judge_expansion(const struct graph *graph, int64_t budget,
                           const struct spectrum *spectrum, struct graph_judgement *out,
                           struct lb_error *err)
{
        struct expansion found;
        if (find_expansion(graph, budget, spectrum, &found, err))
                return -1;
        out->isoperimetric = (double)found.nnode / found.size;
        out->lower_nnode = found.exact ? found.nnode : found.low_nnode;
        out->lower_size = found.exact ? found.size : found.low_size;
        out->isoperimetric_lower = (double)out->lower_nnode / out->lower_size;
        out->exact = found.exact;
        out->scaled = out->isoperimetric * graph->napprank / graph->nnode;
        out->set_nnode = found.nnode;
        out->set_size = found.size;
        out->set = found.set;
        return 0;
}

static int judge_balance(const struct graph *graph, struct graph_judgement *out,
                         struct lb_error *err)
{
        int32_t nnode, size;
        if (balance_worst_set(graph, &nnode, &size, &out->worst_load_exact, err))
                return -1;
        out->worst_load =
            size == 0 ? graph->napprank : (double)graph->napprank * nnode / graph->nnode / size;
        return 0;
}

int graph_judge(const struct graph *graph, int64_t budget, struct graph_judgement *out,
                struct lb_error *err)
{
        library_quiet();
        *out = (struct graph_judgement){ 0 };
        struct spectrum spectrum;
        if (budget <= 0)
                budget = DEFAULT_EFFORT / (graph->nedge + 64);
        if (check_connected(graph, &out->connected, err) ||
            spectrum_compute(graph, &spectrum, err) ||
            judge_expansion(graph, budget, &spectrum, out, err) || judge_balance(graph, out, err)) {
                graph_judgement_finish(out);
                return -1;
        }
        out->second_singular = spectrum.second_singular;
        return 0;
}

void graph_judgement_finish(struct graph_judgement *judgement)
{
        free(judgement->set);
        *judgement = (struct graph_judgement){ 0 };
}
