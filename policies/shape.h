/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SHAPE_H
#define LB_POLICIES_SHAPE_H

#include <stdbool.h>
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

#endif
