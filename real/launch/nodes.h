/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_NODES_H
#define LB_REAL_LAUNCH_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "real/node/cpu_order.h"

struct options;

/*
 * The nodes of a job: from a host file, a Slurm allocation, or virtual ones on this machine, in
 * that order.
 *
 * - Nodes have the cores that are found there, or as many as --cores asks for.
 * - No two nodes have the same name; virtual ones have none.
 */
struct nodes {
        bool virtual_nodes;
        int32_t nnode, room;
        char **name;            /* [nnode]; NULL where virtual */
        int32_t *cores;         /* [nnode] of each; NULL where virtual */
        int32_t *line;          /* [nnode] of the host file; 0: of none */
        int32_t cores_per_node; /* the most of any */
        char note[256];         /* what a user should know, or empty */
};

/* As the options and the environment say. `graph_nodes`: nodes of the graph file, 0 without one. */
int nodes_init(struct nodes *nodes, const struct options *options, int32_t graph_nodes,
               struct lb_error *err) LB_MUST_CHECK;
void nodes_finish(struct nodes *nodes);

/* Is the node of a host file or allocation this machine, by its name up to the domain? */
bool nodes_is_here(const struct nodes *nodes, int32_t node);

/* Of a host file, the nodes that are this machine: can what is started here have their cores? */
int nodes_check_here(const struct nodes *nodes, const char *file, enum cpu_hint hint,
                     struct lb_error *err) LB_MUST_CHECK;

/* The node of that name; -1: none. */
int32_t nodes_find(const struct nodes *nodes, const char *name);

/* ---- Private to nodes*.c, and for tests ---- */

/* Add a node; a name that there is already is an error. */
int nodes_add(struct nodes *nodes, const char *name, int32_t cores,
              struct lb_error *err) LB_MUST_CHECK;

/* "host slots=N" (Open MPI) and "host:N" (MPICH), one a line, '#' begins a comment. */
int nodes_read_hostfile(struct nodes *nodes, const char *file, struct lb_error *err) LB_MUST_CHECK;

/* Slurm's "n[1-3,07],login" and "8(x3),4". */
int nodes_read_slurm(struct nodes *nodes, const char *nodelist, const char *cpus,
                     struct lb_error *err) LB_MUST_CHECK;

#endif
