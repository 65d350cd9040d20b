/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/balance.h"

#include <stdlib.h>
#include <string.h>

#include "graphs/library.h"

/*
 * For each node z, the appranks that are not adjacent to it compete for the other nodes
 * (Dinkelbach's method on the ratio |N(A)| / |A|). With p/q the smallest ratio known, give each of
 * them p units to place and each node room for q: by max-flow min-cut all units fit unless some A
 * has q |N(A)| < p |A|, and then the appranks on the source side of a minimum cut are such an A.
 *
 *   source --p--> appranks not adjacent to z --any--> nodes --q--> sink
 */
struct race {
        const struct graph *graph;
        igraph_t network; /* vertices: source, appranks, nodes, sink; edges: in the order of the
                             drawing */
        igraph_vector_t capacity;
        igraph_vector_int_t side; /* vertices on the source's side */
        bool *seen;               /* [nnode] */
        int32_t *shared;          /* [nnode] appranks in common with a node; 0 in between */
        bool *out;                /* [napprank] adjacent to z */
        int32_t best_nnode, best_size;
};

enum { FLOW_EFFORT_MAX = 1 << 22 }; /* nodes x edges that max-flow is run for: about a second */

static int32_t degree_of(const struct graph *graph, int32_t node)
{
        return graph->node_first[node + 1] - graph->node_first[node];
}

static igraph_integer_t sink_of(const struct graph *graph)
{
        return graph->napprank + graph->nnode + 1;
}

static igraph_error_t build_network(const struct graph *graph, igraph_t *network)
{
        igraph_vector_int_t ends;
        igraph_integer_t nedge = (igraph_integer_t)graph->napprank + graph->nedge + graph->nnode;
        igraph_error_t code = igraph_vector_int_init(&ends, 2 * nedge);
        if (code != IGRAPH_SUCCESS)
                return code;
        igraph_integer_t at = 0;
        for (int32_t a = 0; a < graph->napprank; a++) {
                VECTOR(ends)[at++] = 0;
                VECTOR(ends)[at++] = 1 + a;
        }
        for (int32_t e = 0; e < graph->nedge; e++) {
                VECTOR(ends)[at++] = 1 + graph->edge_apprank[e];
                VECTOR(ends)[at++] = 1 + graph->napprank + graph->edge_node[e];
        }
        for (int32_t n = 0; n < graph->nnode; n++) {
                VECTOR(ends)[at++] = 1 + graph->napprank + n;
                VECTOR(ends)[at++] = sink_of(graph);
        }
        code = igraph_create(network, &ends, sink_of(graph) + 1, IGRAPH_DIRECTED);
        igraph_vector_int_destroy(&ends);
        return code;
}

static void race_finish(struct race *race)
{
        igraph_destroy(&race->network);
        igraph_vector_destroy(&race->capacity);
        igraph_vector_int_destroy(&race->side);
        free(race->seen);
        free(race->shared);
        free(race->out);
}

static int race_init(struct race *race, const struct graph *graph, struct lb_error *err)
{
        *race = (struct race){ .graph = graph };
        race->seen = calloc((size_t)graph->nnode, sizeof(bool));
        race->shared = calloc((size_t)graph->nnode, sizeof(int32_t));
        race->out = calloc((size_t)graph->napprank, sizeof(bool));
        igraph_integer_t nedge = (igraph_integer_t)graph->napprank + graph->nedge + graph->nnode;
        igraph_error_t code =
            race->seen && race->shared && race->out ? IGRAPH_SUCCESS : IGRAPH_ENOMEM;
        if (code != IGRAPH_SUCCESS || (code = igraph_vector_init(&race->capacity, nedge)))
                goto error;
        if ((code = igraph_vector_int_init(&race->side, 0)))
                goto error_capacity;
        if ((code = build_network(graph, &race->network)))
                goto error_side;
        return 0;
error_side:
        igraph_vector_int_destroy(&race->side);
error_capacity:
        igraph_vector_destroy(&race->capacity);
error:
        free(race->seen);
        free(race->shared);
        free(race->out);
        return library_error(err, "worst load", code);
}

static void mark_out(struct race *race, int32_t node)
{
        const struct graph *graph = race->graph;
        memset(race->out, 0, (size_t)graph->napprank * sizeof(bool));
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++)
                race->out[graph->edge_apprank[graph->node_edge[i]]] = true;
}

static void set_capacities(struct race *race)
{
        const struct graph *graph = race->graph;
        igraph_integer_t at = 0;
        double any = (double)race->best_nnode * graph->napprank;
        for (int32_t a = 0; a < graph->napprank; a++)
                VECTOR(race->capacity)[at++] = race->out[a] ? 0 : race->best_nnode;
        for (int32_t e = 0; e < graph->nedge; e++)
                VECTOR(race->capacity)[at++] = any;
        for (int32_t n = 0; n < graph->nnode; n++)
                VECTOR(race->capacity)[at++] = race->best_size;
}

/* Count an apprank's nodes that were not seen before. */
static int32_t see(struct race *race, int32_t apprank)
{
        const struct graph *graph = race->graph;
        int32_t count = 0;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1];
             e++) {
                count += !race->seen[graph->edge_node[e]];
                race->seen[graph->edge_node[e]] = true;
        }
        return count;
}

static bool keep_if_better(struct race *race, int32_t nnode, int32_t size)
{
        if (size == 0 || (race->best_size > 0 &&
                          (int64_t)nnode * race->best_size >= (int64_t)race->best_nnode * size))
                return false;
        race->best_nnode = nnode;
        race->best_size = size;
        return true;
}

/* All appranks that miss a node, as one set: all nodes that have edges, but those whose appranks
 * are all adjacent to it. */
static void try_all_outside(struct race *race, int32_t node, int32_t connected)
{
        const struct graph *graph = race->graph;
        int32_t outside = graph->napprank - degree_of(graph, node), covered = connected;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t a = graph->edge_apprank[graph->node_edge[i]];
                for (int32_t e = graph->apprank_first[a]; e < graph->apprank_first[a + 1]; e++) {
                        int32_t other = graph->edge_node[e];
                        covered -= ++race->shared[other] == degree_of(graph, other);
                }
        }
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t a = graph->edge_apprank[graph->node_edge[i]];
                for (int32_t e = graph->apprank_first[a]; e < graph->apprank_first[a + 1]; e++)
                        race->shared[graph->edge_node[e]] = 0;
        }
        keep_if_better(race, covered, outside);
}

/* The appranks on the source's side of the last minimum cut, as a set; false: no better one. */
static bool try_side(struct race *race)
{
        const struct graph *graph = race->graph;
        int32_t nnode = 0, size = 0;
        memset(race->seen, 0, (size_t)graph->nnode * sizeof(bool));
        for (igraph_integer_t i = 0; i < igraph_vector_int_size(&race->side); i++) {
                igraph_integer_t vertex = VECTOR(race->side)[i];
                if (vertex < 1 || vertex > graph->napprank || race->out[vertex - 1])
                        continue;
                nnode += see(race, (int32_t)(vertex - 1));
                size++;
        }
        return keep_if_better(race, nnode, size);
}

static igraph_error_t run_node(struct race *race, int32_t node)
{
        mark_out(race, node);
        bool better = true;
        while (better) {
                set_capacities(race);
                igraph_real_t value;
                igraph_error_t code =
                    igraph_maxflow(&race->network, &value, NULL, NULL, &race->side, NULL, 0,
                                   sink_of(race->graph), &race->capacity, NULL);
                if (code != IGRAPH_SUCCESS)
                        return code;
                better = try_side(race);
        }
        return IGRAPH_SUCCESS;
}

int balance_worst_set(const struct graph *graph, int32_t *nnode, int32_t *size, bool *exact,
                      struct lb_error *err)
{
        library_quiet();
        *nnode = *size = 0;
        *exact = true;
        if (graph->nedge == (int64_t)graph->napprank * graph->nnode)
                return 0;
        struct race race;
        if (race_init(&race, graph, err))
                return -1;

        igraph_error_t code = IGRAPH_SUCCESS;
        int32_t connected = 0;
        for (int32_t n = 0; n < graph->nnode; n++)
                connected += degree_of(graph, n) > 0;
        for (int32_t n = 0; n < graph->nnode; n++)
                try_all_outside(&race, n, connected);
        *exact = (int64_t)graph->nnode * graph->nedge <= FLOW_EFFORT_MAX;
        for (int32_t n = 0; n < graph->nnode && *exact && code == IGRAPH_SUCCESS; n++)
                code = run_node(&race, n);
        *nnode = race.best_nnode;
        *size = race.best_size;
        race_finish(&race);
        return code == IGRAPH_SUCCESS ? 0 : library_error(err, "worst load", code);
}
