/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_RUNTIME_RECORD_H
#define LB_REAL_RUNTIME_RECORD_H

#include "real/data/after.h"
#include "real/runtime/process.h"

/*
 * record.c: the tasks of an apprank as they were, each with what it comes after, of its last
 * iterations; record_print.c: one of them; record_write.c: --tasks FILE. With the lock, but for
 * starting and writing.
 */

/* Why there is no such file; the highest of all appranks' is said. */
enum record_reason {
        RECORD_FINE,
        RECORD_LIGHT,
        RECORD_BEYOND,
        RECORD_MANY,
        RECORD_MEMORY,
        RECORD_NREASON
};

/* Nodes are numbered from 1 in the order of their making; 0: none. */
struct record_node {
        int64_t ns; /* at speed 1 */
        int64_t bytes;
        bool stays;      /* at home */
        int32_t end;     /* of its task: who waits for the task comes after that */
        int32_t sibling; /* in a list of what is to be waited for */
};
struct record_edge {
        int32_t node, after; /* < 0: after the end of that one's task */
};
struct record_graph {
        struct record_node *node; /* [nnode] */
        struct record_edge *edge; /* [nedge] */
        int32_t nnode, nedge, node_room, edge_room;
};

struct record {
        enum record_reason reason; /* not fine: nothing more is recorded */
        struct record_graph now;   /* of the present iteration */
        struct record_graph *kept; /* [nkept] of the last ones; before them: */
        int32_t nkept, kept_room, ndropped;
};

/* The graph's tasks as lines of CSV, numbered from 0 in an order in which they could run, as near
 * to that of their making as can be. False out of memory. */
bool record_print(const struct record_graph *graph, int32_t iteration, int32_t apprank, FILE *out);

#endif
