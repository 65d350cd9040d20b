/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_CACHE_H
#define LB_GRAPHS_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "graphs/graph.h"

/*
 * Graphs that were searched for are kept (ICPP'22 5.2: "each graph is stored ...
 * only created once"), in graph_cache_directory(), a file each. Links GPL libraries: for the
 * programs only; not thread-safe.
 *
 * - A file's name is the spec and the code that searches: another build of that code does not take
 *   what this one has made. In the file is a hash of name and edges.
 * - A file that is damaged, or holds another graph, is made anew, with a line on standard error; it
 *   is never used, and never an error.
 * - The cache keeps $LBSIM_CACHE_MB (256) at most: those that were not used longest leave. 0 keeps
 *   none.
 * - Processes may use it at the same time: a file appears whole, and any of them makes the same.
 *   Where it cannot be written, or there is none, the graph is made each time.
 */

/* The graph of a spec, from the cache, or made with graph_search() and kept. Degree 1 and the
 * complete graph have nothing to keep; those of the catalogue are kept there. Fails where
 * graph_search() does, or $LBSIM_CACHE_MB is not a number. */
struct graph *graph_obtain(const struct graph_spec *spec, struct lb_error *err);

/* The cache's file name of a spec, without the directory:
 * "graph-5d0c2a81-32x16-d3-best-s1-t20.json", and "-w8" after that for 8 nodes per switch; the
 * first part is a hash of the code that searches. */
enum { GRAPH_CACHE_NAME_SIZE = 160 };
void graph_cache_name(const struct graph_spec *spec, char name[static GRAPH_CACHE_NAME_SIZE]);

/* What is in the cache, the last used first. */
enum graph_cache_state {
        GRAPH_CACHE_GOOD = 0,
        GRAPH_CACHE_OTHER,   /* of another build's code: not used by this one */
        GRAPH_CACHE_DAMAGED, /* will be made anew */
};

struct graph_cache_entry {
        char name[GRAPH_CACHE_NAME_SIZE];
        int64_t size;   /* bytes */
        int64_t used_s; /* when it was used last, seconds since 1970 */
        enum graph_cache_state state;
};

struct graph_cache_list {
        struct graph_cache_entry *entry; /* [count] */
        int32_t count;
};

/* An empty list where there is no cache. */
int graph_cache_list(struct graph_cache_list *list, struct lb_error *err) LB_MUST_CHECK;
void graph_cache_list_finish(struct graph_cache_list *list);

/* Remove all graphs, and nothing else, from the cache. On success *count and *bytes are what was
 * removed. */
int graph_cache_clear(int32_t *count, int64_t *bytes, struct lb_error *err) LB_MUST_CHECK;

#endif
