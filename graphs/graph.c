/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = { "random", "greedy", "circulant", "best", "catalogue", NULL };

const struct lb_param graph_params[] = {
        [GRAPH_DEGREE] = { .name = "degree",
                           .unit = "nodes",
                           .type = LB_PARAM_INTEGER,
                           .fallback = 4,
                           .min = 1,
                           .max = 4096,
                           .help = "nodes per apprank, its home node included; 1: no offloading" },
        [GRAPH_METHOD] = { .name = "method",
                           .type = LB_PARAM_CHOICE,
                           .fallback = GRAPH_METHOD_BEST - 1,
                           .choices = methods,
                           .help = "how the graph is made; catalogue: the best known of its size" },
        [GRAPH_SEED] = { .name = "seed",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 1,
                         .min = 0,
                         .max = LB_PARAM_WHOLE_MAX,
                         .help = "seed of the graph's random choices" },
        [GRAPH_TRIALS] = { .name = "trials",
                           .unit = "graphs",
                           .type = LB_PARAM_INTEGER,
                           .fallback = 20,
                           .min = 1,
                           .max = 100000,
                           .help = "graphs that method best chooses from" },
        [GRAPH_NODES_PER_SWITCH] = { .name = "nodes_per_switch",
                                     .unit = "nodes",
                                     .type = LB_PARAM_INTEGER,
                                     .fallback = 0,
                                     .min = 0,
                                     .max = GRAPH_NODE_MAX,
                                     .help = "helpers on nodes of the same switch, where that "
                                             "costs no expansion; 0: all nodes are equally near" },
        { .name = NULL },
};

struct graph_spec graph_spec_from(int32_t napprank, int32_t nnode, const double *value)
{
        return (struct graph_spec){
                .napprank = napprank,
                .nnode = nnode,
                .degree = (int32_t)value[GRAPH_DEGREE],
                .method = (enum graph_method)((int)value[GRAPH_METHOD] + 1),
                .seed = (uint64_t)value[GRAPH_SEED],
                .trials = (int32_t)value[GRAPH_TRIALS],
                .nodes_per_switch = (int32_t)value[GRAPH_NODES_PER_SWITCH],
        };
}

const char *graph_method_name(enum graph_method method)
{
        return method >= GRAPH_METHOD_RANDOM && method <= GRAPH_METHOD_CATALOGUE
                   ? methods[method - 1]
                   : "none";
}

static int check_size(int32_t napprank, int32_t nnode, int64_t nedge, struct lb_error *err)
{
        if (nnode < 1 || nnode > GRAPH_NODE_MAX)
                return lb_error_set(err, "%d nodes: from 1 to %d are allowed", nnode,
                                    GRAPH_NODE_MAX);
        if (napprank < 1 || napprank > GRAPH_APPRANK_MAX)
                return lb_error_set(err, "%d appranks: from 1 to %d are allowed", napprank,
                                    GRAPH_APPRANK_MAX);
        if (napprank < nnode)
                return lb_error_set(err, "%d appranks on %d nodes: every node needs an apprank",
                                    napprank, nnode);
        if (nedge > GRAPH_EDGE_MAX)
                return lb_error_set(err, "%lld edges (appranks x degree): at most %d are allowed",
                                    (long long)nedge, GRAPH_EDGE_MAX);
        return 0;
}

int graph_check_spec(const struct graph_spec *spec, struct lb_error *err)
{
        if (check_size(spec->napprank, spec->nnode, 0, err))
                return -1;
        if (spec->degree < 1 || spec->degree > spec->nnode)
                return lb_error_set(err, "degree %d on %d nodes: from 1 to %d are allowed",
                                    spec->degree, spec->nnode, spec->nnode);
        if (spec->method < GRAPH_METHOD_RANDOM || spec->method > GRAPH_METHOD_CATALOGUE)
                return lb_error_set(err, "unknown graph method %d", (int)spec->method);
        if (spec->method == GRAPH_METHOD_CIRCULANT && spec->napprank % spec->nnode != 0)
                return lb_error_set(
                    err, "%d appranks on %d nodes: method circulant needs a multiple of the nodes",
                    spec->napprank, spec->nnode);
        if (spec->method == GRAPH_METHOD_BEST && spec->trials < 1)
                return lb_error_set(err, "%d trials: at least 1 is needed", spec->trials);
        return check_size(spec->napprank, spec->nnode, (int64_t)spec->napprank * spec->degree, err);
}

static int compare_nodes(const void *a, const void *b)
{
        int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
        return (x > y) - (x < y);
}

/* Check the nodes of one apprank, copied and with the helpers sorted. */
static int check_apprank(const struct graph *graph, int32_t apprank, struct lb_error *err)
{
        const int32_t *node = graph->edge_node + graph->apprank_first[apprank];
        int32_t degree = graph->apprank_first[apprank + 1] - graph->apprank_first[apprank];
        int32_t home = graph_home(apprank, graph->napprank, graph->nnode);

        if (node[0] != home)
                return lb_error_set(err, "apprank %d: first node %d must be its home node %d",
                                    apprank, node[0], home);
        for (int32_t i = 1; i < degree; i++) {
                if (node[i] < 0 || node[i] >= graph->nnode)
                        return lb_error_set(err, "apprank %d: node %d, from 0 to %d are allowed",
                                            apprank, node[i], graph->nnode - 1);
                if (node[i] == home || (i > 1 && node[i] == node[i - 1]))
                        return lb_error_set(err, "apprank %d: node %d twice", apprank, node[i]);
        }
        return 0;
}

static int copy_edges(struct graph *graph, const int32_t *first, const int32_t *node,
                      struct lb_error *err)
{
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t begin = first[a] - first[0], end = first[a + 1] - first[0];
                if (end <= begin || end > graph->nedge)
                        return lb_error_set(err, "apprank %d: no nodes, its home node is needed",
                                            a);
                graph->apprank_first[a] = begin;
                graph->apprank_first[a + 1] = end;
                graph->degree = end - begin > graph->degree ? end - begin : graph->degree;
                for (int32_t e = begin; e < end; e++) {
                        graph->edge_node[e] = node[first[0] + e];
                        graph->edge_apprank[e] = a;
                }
                qsort(graph->edge_node + begin + 1, (size_t)(end - begin - 1), sizeof(int32_t),
                      compare_nodes);
                if (check_apprank(graph, a, err))
                        return -1;
        }
        return 0;
}

static void index_nodes(struct graph *graph)
{
        int32_t *first = graph->node_first;
        for (int32_t e = 0; e < graph->nedge; e++)
                first[graph->edge_node[e] + 1]++;
        for (int32_t n = 0; n < graph->nnode; n++)
                first[n + 1] += first[n];
        for (int32_t e = 0; e < graph->nedge; e++)
                graph->node_edge[first[graph->edge_node[e]]++] = e;
        for (int32_t n = graph->nnode; n > 0; n--) /* each place has moved on to the next node's */
                first[n] = first[n - 1];
        first[0] = 0;
}

static void judge_regular(struct graph *graph)
{
        int32_t low = INT32_MAX, high = 0, node_low = INT32_MAX, node_high = 0;
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t degree = graph->apprank_first[a + 1] - graph->apprank_first[a];
                low = degree < low ? degree : low;
                high = degree > high ? degree : high;
        }
        for (int32_t n = 0; n < graph->nnode; n++) {
                int32_t degree = graph_node_degree(graph, n);
                node_low = degree < node_low ? degree : node_low;
                node_high = degree > node_high ? degree : node_high;
        }
        graph->biregular = low == high && node_low == node_high;
        if (!graph->biregular)
                snprintf(graph->note, sizeof(graph->note),
                         "not biregular: %d to %d nodes per apprank, %d to %d appranks per node",
                         low, high, node_low, node_high);
}

static struct graph *graph_alloc(int32_t napprank, int32_t nnode, int32_t nedge,
                                 struct lb_error *err)
{
        struct graph *graph = calloc(1, sizeof(*graph));
        if (!graph)
                goto error;
        graph->napprank = napprank;
        graph->nnode = nnode;
        graph->nedge = nedge;
        graph->apprank_first = calloc((size_t)napprank + 1, sizeof(int32_t));
        graph->edge_node = calloc((size_t)nedge, sizeof(int32_t));
        graph->edge_apprank = calloc((size_t)nedge, sizeof(int32_t));
        graph->node_first = calloc((size_t)nnode + 1, sizeof(int32_t));
        graph->node_edge = calloc((size_t)nedge, sizeof(int32_t));
        if (!graph->apprank_first || !graph->edge_node || !graph->edge_apprank ||
            !graph->node_first || !graph->node_edge)
                goto error;
        return graph;
error:
        graph_destroy(graph);
        lb_error_fail(err, "out of memory for a graph of %d edges", nedge);
        return NULL;
}

struct graph *graph_from_edges(int32_t napprank, int32_t nnode, const int32_t *first,
                               const int32_t *node, struct lb_error *err)
{
        if (check_size(napprank, nnode, 0, err))
                return NULL;
        int64_t nedge = (int64_t)first[napprank] - first[0];
        if (check_size(napprank, nnode, nedge, err))
                return NULL;
        if (nedge < napprank) {
                lb_error_set(err, "%lld edges for %d appranks: each needs its home node",
                             (long long)nedge, napprank);
                return NULL;
        }
        struct graph *graph = graph_alloc(napprank, nnode, (int32_t)nedge, err);
        if (!graph)
                return NULL;
        if (copy_edges(graph, first, node, err)) {
                graph_destroy(graph);
                return NULL;
        }
        index_nodes(graph);
        judge_regular(graph);
        return graph;
}

void graph_destroy(struct graph *graph)
{
        if (!graph)
                return;
        free(graph->apprank_first);
        free(graph->edge_node);
        free(graph->edge_apprank);
        free(graph->node_first);
        free(graph->node_edge);
        free(graph);
}
