/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_GRAPH_H
#define LB_GRAPHS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * Bipartite apprank-node graphs (ICPP'22 5.2): an edge says that the apprank can
 * execute tasks on the node, and is a worker process. This part of the room is free of GPL
 * libraries, so that a user's own program may link it; judging and drawing live in graphs/judge.h.
 *
 * - Appranks 0..napprank-1, nodes 0..nnode-1; apprank a has home node a * nnode / napprank.
 * - Edges are numbered apprank by apprank, the home edge first, the others by ascending node;
 *   an edge's number is the worker's number everywhere.
 * - No two edges join the same pair. "Biregular": every apprank has `degree` edges, every node
 *   napprank * degree / nnode.
 */
struct graph {
        int32_t napprank, nnode, nedge;
        int32_t degree; /* the largest degree of an apprank */
        bool biregular;
        int32_t *apprank_first; /* [napprank + 1], edges of apprank a: first[a] .. first[a+1]-1 */
        int32_t *edge_node;     /* [nedge] */
        int32_t *edge_apprank;  /* [nedge] */
        int32_t *node_first;    /* [nnode + 1], places in node_edge */
        int32_t *node_edge;     /* [nedge], edges of node n, ascending */
        char note[160];         /* what could not be had ("not biregular: ..."), or empty */
};

/* The largest graphs we make or read. */
enum graph_limit {
        GRAPH_APPRANK_MAX = 131072,
        GRAPH_NODE_MAX = 131072,
        GRAPH_EDGE_MAX = 1 << 24,
};

enum graph_method {
        GRAPH_METHOD_NONE = 0,
        GRAPH_METHOD_RANDOM,    /* configuration model with repair */
        GRAPH_METHOD_GREEDY,    /* apprank by apprank, a random node among those with most room */
        GRAPH_METHOD_CIRCULANT, /* the same offsets from the home node on every node */
        GRAPH_METHOD_BEST,      /* best of `trials` random, greedy and circulant graphs */
        GRAPH_METHOD_CATALOGUE, /* the best known of its size: graphs/catalogue.h */
};

/* What graph is asked for: the places of graph_params[] and the spec they make. */
enum graph_param {
        GRAPH_DEGREE,
        GRAPH_METHOD,
        GRAPH_SEED,
        GRAPH_TRIALS,
        GRAPH_NODES_PER_SWITCH,
        GRAPH_NPARAM
};
extern const struct lb_param graph_params[];

struct graph_spec {
        int32_t napprank, nnode, degree;
        enum graph_method method;
        uint64_t seed;
        int32_t trials;           /* GRAPH_METHOD_BEST only */
        int32_t nodes_per_switch; /* > 1: helpers near, see graphs/near.h; only by graph_search() */
};

/* The spec that value[GRAPH_NPARAM] of graph_params[] describes (a choice's place is not the enum's
 * value). */
struct graph_spec graph_spec_from(int32_t napprank, int32_t nnode, const double *value);

/* The name of a method as graph_params[] spells it; "none" for GRAPH_METHOD_NONE. */
const char *graph_method_name(enum graph_method method);

/*
 * Check a spec: 1 <= nnode <= napprank, 1 <= degree <= nnode, a known method, and the limits above.
 * Where napprank is not a multiple of nnode no graph is biregular; that is no error (see `note`),
 * except for GRAPH_METHOD_CIRCULANT.
 */
int graph_check_spec(const struct graph_spec *spec, struct lb_error *err) LB_MUST_CHECK;

/*
 * Make a graph, a function of the spec alone. Degree 1 has home edges only, degree = nnode is
 * complete. Where napprank is not a multiple of nnode (else it is exactly biregular), the degrees
 * of nodes differ by at most one and `note` says so; at degree 1 likewise. Fails where
 * graph_check_spec() does, or out of memory. GRAPH_METHOD_BEST and
 * GRAPH_METHOD_CATALOGUE are not made here but by graph_search() of graphs/search.h.
 */
struct graph *graph_create(const struct graph_spec *spec, struct lb_error *err);

/*
 * Build a graph from edges given apprank by apprank, home first.
 * node[first[a] .. first[a+1]-1] are the nodes of apprank a. Copies its arguments, sorts the
 * helpers. Fails on sizes beyond the limits, on a first node that is not the home node, and on
 * duplicates or nodes out of range.
 */
struct graph *graph_from_edges(int32_t napprank, int32_t nnode, const int32_t *first,
                               const int32_t *node, struct lb_error *err);

void graph_destroy(struct graph *graph);

/* The home node of an apprank among napprank appranks on nnode nodes. */
static inline int32_t graph_home(int32_t apprank, int32_t napprank, int32_t nnode)
{
        return (int32_t)((int64_t)apprank * nnode / napprank);
}

/* How many appranks a node is adjacent to. */
static inline int32_t graph_node_degree(const struct graph *graph, int32_t node)
{
        return graph->node_first[node + 1] - graph->node_first[node];
}

/*
 * Store and read a graph as JSON: {"appranks": V, "nodes": N, "degree": D, "graph": [[home, ...],
 * ...]}, with the spec's "method", "seed" and "trials" beside it unless spec is NULL. Reading is
 * strict: anything else in the file is an error with file, line, column and pointer.
 */
int graph_write_json(const struct graph *graph, const struct graph_spec *spec, const char *file,
                     struct lb_error *err) LB_MUST_CHECK;
struct graph *graph_read_json(const char *file, struct lb_error *err);

/* The same with a "check" beside them, which only the cache of graphs looks at (graphs/cache.h);
 * "" where the file has none. */
enum { GRAPH_CHECK_SIZE = 20 };
int graph_write_checked(const struct graph *graph, const struct graph_spec *spec, const char *check,
                        const char *file, struct lb_error *err) LB_MUST_CHECK;
struct graph *graph_read_checked(const char *file, char check[static GRAPH_CHECK_SIZE],
                                 struct lb_error *err);

/*
 * The directory that graphs are cached in: $LBSIM_CACHE, else $XDG_CACHE_HOME/lbsim, else
 * $HOME/.cache/lbsim; NULL where none of these is set or the path does not fit. Written into
 * path[size].
 */
const char *graph_cache_directory(char *path, unsigned size);

#endif
