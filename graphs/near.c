/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graphs/expand.h"

enum {
        RENAME_EFFORT = 1 << 24, /* edges to look at in renaming */
        RENAME_SWEEPS = 400,     /* exchanges tried per node, if the effort allows */
        CHECK_EFFORT = 1 << 20,  /* branch and bound per exchange: vertices times edges */
        CHECKS_MAX = 150,        /* exchanges that are looked at so closely */
        TRIES_MAX = 10000,       /* exchanges that are looked at at all */
        REFUSED_MAX = 64,        /* sets that have forbidden an exchange, to ask first */
        PROBES_PER_EDGE = 64,
};

/* ---- Renaming ---- */

struct renaming {
        const struct graph *graph;
        const struct distances *distances;
        int32_t *name;  /* [nnode] of each node */
        int32_t *homes; /* [nnode] appranks at home: only nodes of as many change names */
};

static double between(const struct renaming *renaming, int32_t from, int32_t to)
{
        return renaming->distances
            ->between[(size_t)renaming->name[from] * (size_t)renaming->distances->nnode +
                      (size_t)renaming->name[to]];
}

/* What the helper edges cost that begin or end at a node. */
static double cost_at(const struct renaming *renaming, int32_t node)
{
        const struct graph *graph = renaming->graph;
        double cost = 0;
        for (int32_t i = graph->node_first[node]; i < graph->node_first[node + 1]; i++) {
                int32_t apprank = graph->edge_apprank[graph->node_edge[i]];
                int32_t first = graph->apprank_first[apprank], home = graph->edge_node[first];
                if (home != node) {
                        cost += between(renaming, home, node);
                        continue;
                }
                for (int32_t e = first + 1; e < graph->apprank_first[apprank + 1]; e++)
                        cost += between(renaming, home, graph->edge_node[e]);
        }
        return cost;
}

static void exchange_names(struct renaming *renaming, int32_t n, int32_t m)
{
        int32_t name = renaming->name[n];
        renaming->name[n] = renaming->name[m];
        renaming->name[m] = name;
}

/* Exchange two nodes' names if that costs less, or not too much more for the temperature. */
static void try_names(struct renaming *renaming, double temperature, struct lb_random *random)
{
        uint64_t nnode = (uint64_t)renaming->graph->nnode;
        int32_t n = (int32_t)lb_random_below(random, nnode);
        int32_t m = (int32_t)lb_random_below(random, nnode);
        double chance = lb_random_open(random);
        if (n == m || renaming->homes[n] != renaming->homes[m])
                return;
        double before = cost_at(renaming, n) + cost_at(renaming, m);
        exchange_names(renaming, n, m);
        double more = cost_at(renaming, n) + cost_at(renaming, m) - before;
        if (more > -temperature * log(chance))
                exchange_names(renaming, n, m);
}

static void anneal(struct renaming *renaming, uint64_t seed)
{
        const struct graph *graph = renaming->graph;
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_GRAPH, UINT64_MAX - 2);
        double start = near_mean(graph, renaming->distances);
        int64_t per_try = 4 * ((int64_t)graph->nedge / graph->nnode + graph->degree);
        int64_t ntry = RENAME_EFFORT / per_try;
        if (ntry > (int64_t)RENAME_SWEEPS * graph->nnode)
                ntry = (int64_t)RENAME_SWEEPS * graph->nnode;
        for (int64_t i = 0; i < ntry; i++)
                try_names(renaming, start * (1 - (double)(i + 1) / (double)ntry), &random);
}

/* The graph under its new names: the appranks of a node move along with it. */
static struct graph *rename_graph(const struct renaming *renaming, struct lb_error *err)
{
        const struct graph *graph = renaming->graph;
        size_t napprank = (size_t)graph->napprank;
        int32_t *first = calloc(napprank + 1, sizeof(*first));
        int32_t *node = calloc((size_t)graph->nedge, sizeof(*node));
        int32_t *from = calloc(napprank, sizeof(*from)); /* old appranks by new number */
        int32_t *next = calloc((size_t)graph->nnode, sizeof(*next)); /* free number, by new name */
        struct graph *renamed = NULL;
        if (!first || !node || !from || !next) {
                lb_error_fail(err, "out of memory for a graph of %d appranks", graph->napprank);
                goto done;
        }
        for (int32_t a = graph->napprank - 1; a >= 0; a--)
                next[graph_home(a, graph->napprank, graph->nnode)] = a;
        for (int32_t a = 0; a < graph->napprank; a++)
                from[next[renaming->name[graph_home(a, graph->napprank, graph->nnode)]]++] = a;
        int32_t at = 0;
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t e = graph->apprank_first[from[a]];
                for (; e < graph->apprank_first[from[a] + 1]; e++)
                        node[at++] = renaming->name[graph->edge_node[e]];
                first[a + 1] = at;
        }
        renamed = graph_from_edges(graph->napprank, graph->nnode, first, node, err);
done:
        free(first);
        free(node);
        free(from);
        free(next);
        return renamed;
}

static struct graph *rename_nearer(const struct graph *graph, const struct distances *distances,
                                   uint64_t seed, struct lb_error *err)
{
        size_t nnode = (size_t)graph->nnode;
        struct renaming renaming = { .graph = graph, .distances = distances };
        struct graph *renamed = NULL;
        renaming.name = calloc(nnode, sizeof(int32_t));
        renaming.homes = calloc(nnode, sizeof(int32_t));
        if (!renaming.name || !renaming.homes) {
                lb_error_fail(err, "out of memory for %d nodes", graph->nnode);
        } else {
                for (int32_t n = 0; n < graph->nnode; n++)
                        renaming.name[n] = n;
                for (int32_t a = 0; a < graph->napprank; a++)
                        renaming.homes[graph_home(a, graph->napprank, graph->nnode)]++;
                anneal(&renaming, seed);
                renamed = rename_graph(&renaming, err);
        }
        free(renaming.name);
        free(renaming.homes);
        return renamed;
}

/* ---- Exchanges ---- */

struct exchanges {
        const struct distances *distances;
        struct graph *graph; /* the best so far */
        int32_t size_max;
        int32_t nnode, size; /* the isoperimetric number to keep */
        int32_t nrefused, nchecked;
        struct expansion refused[REFUSED_MAX];
        struct lb_random random;
};

static bool has_node(const struct graph *graph, int32_t apprank, int32_t node)
{
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1]; e++)
                if (graph->edge_node[e] == node)
                        return true;
        return false;
}

static double gain(const struct exchanges *exchanges, int32_t e, int32_t f)
{
        const struct graph *graph = exchanges->graph;
        const double *distance = exchanges->distances->between;
        size_t n = (size_t)graph->nnode;
        size_t a = (size_t)graph->edge_node[graph->apprank_first[graph->edge_apprank[e]]] * n;
        size_t b = (size_t)graph->edge_node[graph->apprank_first[graph->edge_apprank[f]]] * n;
        size_t i = (size_t)graph->edge_node[e], j = (size_t)graph->edge_node[f];
        return distance[a + i] + distance[b + j] - distance[a + j] - distance[b + i];
}

/* Two helper edges whose exchange brings helpers nearer; false: none was found. */
static bool draw_exchange(struct exchanges *exchanges, int32_t *e, int32_t *f)
{
        const struct graph *graph = exchanges->graph;
        for (int64_t probe = 0; probe < (int64_t)PROBES_PER_EDGE * graph->nedge; probe++) {
                *e = (int32_t)lb_random_below(&exchanges->random, (uint64_t)graph->nedge);
                *f = (int32_t)lb_random_below(&exchanges->random, (uint64_t)graph->nedge);
                int32_t a = graph->edge_apprank[*e], b = graph->edge_apprank[*f];
                bool home = *e == graph->apprank_first[a] || *f == graph->apprank_first[b];
                if (!home && gain(exchanges, *e, *f) > 1e-9 &&
                    !has_node(graph, a, graph->edge_node[*f]) &&
                    !has_node(graph, b, graph->edge_node[*e]))
                        return true;
        }
        return false;
}

static struct graph *exchanged(const struct graph *graph, int32_t e, int32_t f,
                               struct lb_error *err)
{
        int32_t *node = malloc((size_t)graph->nedge * sizeof(*node));
        if (!node) {
                lb_error_fail(err, "out of memory for a graph of %d edges", graph->nedge);
                return NULL;
        }
        memcpy(node, graph->edge_node, (size_t)graph->nedge * sizeof(*node));
        node[e] = graph->edge_node[f];
        node[f] = graph->edge_node[e];
        struct graph *out =
            graph_from_edges(graph->napprank, graph->nnode, graph->apprank_first, node, err);
        free(node);
        return out;
}

static int32_t count_nodes(const struct graph *graph, const struct expansion *set, bool *seen)
{
        int32_t count = 0;
        memset(seen, 0, (size_t)graph->nnode * sizeof(bool));
        for (int32_t i = 0; i < set->size; i++) {
                int32_t a = set->set[i];
                for (int32_t e = graph->apprank_first[a]; e < graph->apprank_first[a + 1]; e++) {
                        count += !seen[graph->edge_node[e]];
                        seen[graph->edge_node[e]] = true;
                }
        }
        return count;
}

static bool is_less(const struct exchanges *exchanges, int32_t nnode, int32_t size)
{
        return (int64_t)nnode * exchanges->size < (int64_t)exchanges->nnode * size;
}

/* Does a set that forbade an exchange before forbid this one, too? */
static bool is_refused(const struct exchanges *exchanges, const struct graph *graph, bool *seen)
{
        for (int32_t i = 0; i < exchanges->nrefused; i++)
                if (is_less(exchanges, count_nodes(graph, &exchanges->refused[i], seen),
                            exchanges->refused[i].size))
                        return true;
        return false;
}

/* Is it proven that the number is kept? A set that says otherwise is remembered. */
static int check_kept(struct exchanges *exchanges, const struct graph *graph, bool *kept,
                      struct lb_error *err)
{
        struct expansion found;
        int64_t budget = CHECK_EFFORT / (graph->nedge + 64);
        if (expansion_guess(graph, exchanges->size_max, &found, err))
                return -1;
        if (!is_less(exchanges, found.nnode, found.size) &&
            expansion_improve(graph, exchanges->size_max, budget, false, &found, err)) {
                expansion_finish(&found);
                return -1;
        }
        bool less = is_less(exchanges, found.nnode, found.size);
        *kept = found.exact && !less;
        if (less && exchanges->nrefused < REFUSED_MAX)
                exchanges->refused[exchanges->nrefused++] = found;
        else
                expansion_finish(&found);
        return 0;
}

/* Returns 1 when an exchange was found (made or not), 0 when there is none, -1 on failure. */
static int try_exchange(struct exchanges *exchanges, bool *seen, struct lb_error *err)
{
        int32_t e, f;
        if (!draw_exchange(exchanges, &e, &f))
                return 0;
        struct graph *graph = exchanged(exchanges->graph, e, f, err);
        if (!graph)
                return -1;
        bool kept = false;
        if (!is_refused(exchanges, graph, seen)) {
                exchanges->nchecked++;
                if (check_kept(exchanges, graph, &kept, err)) {
                        graph_destroy(graph);
                        return -1;
                }
        }
        graph_destroy(kept ? exchanges->graph : graph);
        if (kept)
                exchanges->graph = graph;
        return 1;
}

/* The number to keep; *exact is false where it is not known, and then nothing can be proven. */
static int measure(struct exchanges *exchanges, bool *exact, struct lb_error *err)
{
        const struct graph *graph = exchanges->graph;
        struct expansion worst;
        int64_t budget = 8 * (CHECK_EFFORT / (graph->nedge + 64));
        if (expansion_guess(graph, exchanges->size_max, &worst, err))
                return -1;
        int failed = expansion_improve(graph, exchanges->size_max, budget, false, &worst, err);
        *exact = worst.exact;
        exchanges->nnode = worst.nnode;
        exchanges->size = worst.size;
        expansion_finish(&worst);
        return failed;
}

static int exchange_nearer(struct exchanges *exchanges, struct lb_error *err)
{
        bool exact;
        if (measure(exchanges, &exact, err))
                return -1;
        bool *seen = calloc((size_t)exchanges->graph->nnode, sizeof(bool));
        if (!seen)
                return lb_error_fail(err, "out of memory for %d nodes", exchanges->graph->nnode);
        int more = exact;
        for (int32_t i = 0; i < TRIES_MAX && more > 0 && exchanges->nchecked < CHECKS_MAX; i++)
                more = try_exchange(exchanges, seen, err);
        free(seen);
        return more < 0 ? -1 : 0;
}

struct graph *near_arrange(const struct graph *graph, const struct distances *distances,
                           uint64_t seed, struct lb_error *err)
{
        struct exchanges exchanges = { .distances = distances };
        exchanges.size_max = graph->napprank > 1 ? graph->napprank / 2 : 1;
        exchanges.graph = rename_nearer(graph, distances, seed, err);
        if (!exchanges.graph)
                return NULL;
        lb_random_init(&exchanges.random, seed, LB_RANDOM_GRAPH, UINT64_MAX - 3);
        int failed = graph->degree > 1 ? exchange_nearer(&exchanges, err) : 0;
        for (int32_t i = 0; i < exchanges.nrefused; i++)
                expansion_finish(&exchanges.refused[i]);
        if (!failed)
                return exchanges.graph;
        graph_destroy(exchanges.graph);
        return NULL;
}
