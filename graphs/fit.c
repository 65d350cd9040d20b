/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct fit {
        const struct graph *graph;
        int32_t *node;  /* [nedge] of each edge, as moved */
        int32_t *spare; /* [nnode] cores without a worker; below 0: too few */
        int32_t nmoved;
};

static bool has(const struct fit *fit, int32_t apprank, int32_t node)
{
        const int32_t *first = fit->graph->apprank_first;
        for (int32_t e = first[apprank]; e < first[apprank + 1]; e++)
                if (fit->node[e] == node)
                        return true;
        return false;
}

/* The node with the most to spare that the apprank is not on yet; -1: none. */
static int32_t place_for(const struct fit *fit, int32_t apprank)
{
        int32_t best = -1;
        for (int32_t n = 0; n < fit->graph->nnode; n++)
                if (fit->spare[n] > 0 && (best < 0 || fit->spare[n] > fit->spare[best]) &&
                    !has(fit, apprank, n))
                        best = n;
        return best;
}

static int32_t fullest(const struct fit *fit)
{
        int32_t worst = 0;
        for (int32_t n = 1; n < fit->graph->nnode; n++)
                if (fit->spare[n] < fit->spare[worst])
                        worst = n;
        return worst;
}

/* The helper on a node that has the best place to go to; false where none has any. */
static bool move_one(struct fit *fit, int32_t from)
{
        const struct graph *graph = fit->graph;
        int32_t moved = -1, to = -1;
        for (int32_t e = 0; e < graph->nedge; e++) {
                int32_t apprank = graph->edge_apprank[e];
                if (fit->node[e] != from || e == graph->apprank_first[apprank])
                        continue;
                int32_t place = place_for(fit, apprank);
                if (place < 0 || (to >= 0 && fit->spare[place] <= fit->spare[to]))
                        continue;
                moved = e;
                to = place;
        }
        if (moved < 0)
                return false;
        fit->node[moved] = to;
        fit->spare[from]++;
        fit->spare[to]--;
        fit->nmoved++;
        return true;
}

static int move_all(struct fit *fit, const int32_t *cores, struct lb_error *err)
{
        for (int32_t from = fullest(fit); fit->spare[from] < 0; from = fullest(fit))
                if (!move_one(fit, from))
                        return lb_error_set(err,
                                            "node %" PRId32 " has %" PRId32 " cores for %" PRId32
                                            " workers, each must own at least one, and other nodes "
                                            "cannot take them: lower the degree or the appranks "
                                            "per node",
                                            from, cores[from], cores[from] - fit->spare[from]);
        return 0;
}

static int replace(struct graph **graph, const struct fit *fit, struct lb_error *err)
{
        struct graph *fitting = graph_from_edges((*graph)->napprank, (*graph)->nnode,
                                                 (*graph)->apprank_first, fit->node, err);
        if (!fitting)
                return -1;
        snprintf(fitting->note, sizeof(fitting->note),
                 "not biregular: %" PRId32 " helper%s moved from nodes with too few cores",
                 fit->nmoved, lb_s(fit->nmoved));
        graph_destroy(*graph);
        *graph = fitting;
        return 0;
}

int graph_fit(struct graph **graph, const int32_t *cores, struct lb_error *err)
{
        const struct graph *g = *graph;
        struct fit fit = { .graph = g,
                           .node = calloc((size_t)g->nedge + 1, sizeof(int32_t)),
                           .spare = calloc((size_t)g->nnode + 1, sizeof(int32_t)) };
        int status = -1;
        if (fit.node && fit.spare) {
                memcpy(fit.node, g->edge_node, (size_t)g->nedge * sizeof(int32_t));
                for (int32_t n = 0; n < g->nnode; n++)
                        fit.spare[n] = cores[n] - graph_node_degree(g, n);
                status = move_all(&fit, cores, err);
        } else {
                lb_error_fail(err, "out of memory");
        }
        if (status == 0 && fit.nmoved > 0)
                status = replace(graph, &fit, err);
        free(fit.node);
        free(fit.spare);
        return status;
}
