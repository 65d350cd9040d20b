/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_GRAPHS_MADE_H
#define LB_TESTS_GRAPHS_MADE_H

#include <stdio.h>
#include <stdlib.h>

#include "graphs/judge.h"

/* What graph_create() or graph_search() makes, which must be possible; the caller destroys it. */
static inline struct graph *graph_made(struct graph *(*make)(const struct graph_spec *spec,
                                                             struct lb_error *err),
                                       const struct graph_spec *spec)
{
        struct lb_error err = { 0 };
        struct graph *graph = make(spec, &err);
        if (!graph) {
                fprintf(stderr, "%d appranks, %d nodes, degree %d, method %s: %s\n", spec->napprank,
                        spec->nnode, spec->degree, graph_method_name(spec->method), err.text);
                abort();
        }
        return graph;
}

static inline struct graph *made(int32_t napprank, int32_t nnode, int32_t degree,
                                 enum graph_method method, uint64_t seed)
{
        struct graph_spec spec = { .napprank = napprank,
                                   .nnode = nnode,
                                   .degree = degree,
                                   .method = method,
                                   .seed = seed,
                                   .trials = 1 };
        return graph_made(graph_create, &spec);
}

/* graph_judge(), likewise; graph_judgement_finish() when done. */
static inline struct graph_judgement judged(const struct graph *graph, int64_t budget)
{
        struct graph_judgement judgement;
        struct lb_error err = { 0 };
        if (graph_judge(graph, budget, &judgement, &err)) {
                fprintf(stderr, "%s\n", err.text);
                abort();
        }
        return judgement;
}

#endif
