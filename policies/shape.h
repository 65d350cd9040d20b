/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SHAPE_H
#define LB_POLICIES_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a policy knows of the machine for as long as it lives: the nodes, appranks and workers in
 * its scope. A policy of node scope sees one node (node 0, its workers only, appranks renumbered).
 *
 * - Workers are numbered apprank by apprank; in global scope the home worker comes first.
 * - A talk-only worker may own no core: it has messages and borrows. An apprank's home is none,
 *   since the main program needs a core.
 * - The arrays belong to the host and outlive the policy's state.
 */
struct lb_shape {
        int32_t nnode, napprank, nworker;
        const int32_t *cores; /* [nnode] cores of each node */
        const int32_t
            *apprank_first; /* [napprank + 1] workers of apprank a: first[a] .. first[a+1]-1 */
        const int32_t *worker_node;    /* [nworker] */
        const int32_t *worker_apprank; /* [nworker] */
        const bool *worker_home;       /* [nworker] on the apprank's home node? */
        const int32_t *node_first;     /* [nnode + 1] places in node_worker */
        const int32_t *node_worker;    /* [nworker] workers of node n, ascending */
        const bool *talk_only;         /* [nworker] may own no core; NULL: none of them */
        double poll_s;                 /* how often the host calls observe(), s */
};

/* What the worker owns at least, cores. */
static inline int32_t lb_shape_least(const struct lb_shape *shape, int32_t worker)
{
        return shape->talk_only && shape->talk_only[worker] ? 0 : 1;
}

/* What belongs to the shape of one node alone; arrays are by its workers, in its order, and one
 * longer where they say so. */
struct lb_shape_alone {
        const bool *home, *talk_only; /* talk_only is not read where the whole has none */
        const int32_t *count_up;      /* [+ 1] 0, 1, 2, ... */
        const int32_t *zeros;
        const int32_t *bounds; /* [2] 0, workers */
};

/* Each worker of the node is an apprank of its own. */
static inline struct lb_shape lb_shape_of_node(const struct lb_shape *all, int32_t node,
                                               const struct lb_shape_alone *alone)
{
        return (struct lb_shape){
                .nnode = 1,
                .napprank = alone->bounds[1],
                .nworker = alone->bounds[1],
                .cores = &all->cores[node],
                .apprank_first = alone->count_up,
                .worker_node = alone->zeros,
                .worker_apprank = alone->count_up,
                .worker_home = alone->home,
                .node_first = alone->bounds,
                .node_worker = alone->count_up,
                .talk_only = all->talk_only ? alone->talk_only : NULL,
                .poll_s = all->poll_s,
        };
}

#endif
