/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_RUNTIME_RECORD_H
#define LB_REAL_RUNTIME_RECORD_H

#include "real/data/after.h"
#include "real/runtime/process.h"

/*
 * record.c: the tasks of an apprank as they were, each with what it comes after; record_keep.c: of
 * its last iterations; record_print.c: one of them; record_write.c: --tasks FILE. With the lock,
 * but for starting and writing.
 */

/* Why there is no such file; the highest of all appranks' is said. */
enum record_reason {
        RECORD_FINE,
        RECORD_LIGHT,
        RECORD_BEYOND,
        RECORD_SHORT,
        RECORD_MANY,
        RECORD_MEMORY,
        RECORD_NREASON
};

/* Nodes are numbered from 1 in the order of their making; 0: none. */
struct record_node {
        int64_t ns; /* at speed 1 */
        int64_t bytes;
        bool stays;     /* at home */
        int32_t within; /* the first node of the task that it runs with; 0: none */
        int32_t priority;
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

/* Since when the main program goes on, 0: it waits; and what it had spent by then. */
struct record_main {
        int64_t since_ns, mpi_ns, light_ns;
};

struct record {
        enum record_reason reason; /* not fine: nothing more is recorded */
        struct record_graph now;   /* of the present iteration; its arrays are for all of them */
        struct record_graph *kept; /* [nfree] without memory, and nkept of the last ones */
        int32_t nfree, nkept, kept_room, ndropped;
        int64_t kept_lines, kept_edges;
        struct record_main main;
        int64_t main_ns; /* what is recorded of it */
        bool ordered;    /* some task waits for another, or has children */
};

/* A task's part in it; the root's as well. */
struct recorded {
        int32_t first, part; /* nodes: where it begins, and what it does now */
        int32_t from;        /* what its children come after; 0: nothing since its last wait */
        int32_t child;       /* the newest that it has not waited for */
        int64_t done_ns;     /* of its own work, in parts before the present one */
        int64_t children_ns; /* of its work, what is its children's */
        int32_t whole;       /* what is within it, and its children, is within that node; 0: none */
        bool waited;         /* the main program: for all of its children */
        struct after *after; /* its children's order */
};

/* Of all iterations that are kept, and of one. */
enum { RECORD_NODE_MAX = 1 << 20, RECORD_EDGE_MAX = 1 << 23 };

/* Parts of tasks, and of the main program, that are shorter are not told apart. */
enum { RECORD_PART_NS = 20000 };

/* realloc() where count items fill the array; NULL out of memory, and the array is as it was. */
void *record_grown(void *array, int32_t count, int32_t *room, size_t size);

/* A part of the main program has ended. */
void record_main_part(struct process *p, int64_t own_ns);

/* Who has no tasks has one that lasts nothing: no apprank, and no iteration, is lost. */
static inline int64_t record_lines(const struct record_graph *graph)
{
        return graph->nnode > 0 ? graph->nnode : 1;
}

/* The iteration, of all that there were; ndropped and the nkept after it are there. */
const struct record_graph *record_kept(const struct record *record, int32_t iteration);

/* Nothing more is recorded, and nothing will be written. */
void record_give_up(struct record *record, enum record_reason reason);
static inline bool record_is_on(const struct process *p)
{
        return p->record && !p->record->reason;
}

/* The graph's tasks as lines of CSV, numbered from 0 in an order in which they could run, as near
 * to that of their making as can be. False out of memory. */
bool record_print(const struct record_graph *graph, int32_t iteration, int32_t apprank, FILE *out);

#endif
