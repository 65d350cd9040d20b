/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_ALLOC_GLOBAL_H
#define LB_POLICIES_ALLOC_GLOBAL_H

#include "policies/alloc.h"
#include "policies/average.h"
#include "policies/solve.h"

/*
 * What `global` and `global-lp` share (private to this room): parameters, the average of busy
 * cores, its sum over each apprank's workers, and the partition into groups of nodes.
 */
enum global_param {
        GLOBAL_PERIOD_S,
        GLOBAL_SOLVER, /* which of the two policies it is */
        GLOBAL_AVERAGE,
        GLOBAL_AVERAGE_S,
        GLOBAL_PARTITION_NODES,
        GLOBAL_LEXICOGRAPHIC,
        GLOBAL_AVERAGE_ITERATIONS,
        GLOBAL_PERIOD_ITERATIONS,
        GLOBAL_NPARAM
};
enum global_solver { GLOBAL_SOLVER_EXACT, GLOBAL_SOLVER_LP };
extern const struct lb_param alloc_global_params[];

/* One group of nodes as a shape of its own; arrays lie in the state, at byte offsets. */
struct global_group {
        int32_t nnode, napprank, nworker;
        size_t cores, apprank_first, worker_node, worker_apprank, worker_home, node_first,
            node_worker, talk_only; /* offsets of the shape's arrays */
        size_t worker;              /* offset of [nworker] numbers in the whole shape */
        size_t apprank;             /* offset of [napprank] numbers in the whole shape */
};

struct global_state {
        int32_t nworker, napprank, ngroup;
        bool lexicographic;
        double poll_s, average_iterations;
        size_t worker_apprank;         /* offset of int32_t [nworker], of the whole shape */
        size_t least;                  /* offset of int32_t [nworker], of the whole shape */
        size_t load;                   /* offset of double [napprank] */
        size_t group_load;             /* offset of double [napprank] */
        size_t group_now, group_owned; /* offsets of int32_t [nworker] */
        size_t average;                /* offset of struct average */
        size_t group;                  /* offset of struct global_group [ngroup] */
        size_t end;                    /* offset of what the solver adds */
};

/* Bytes of the shared state, a multiple of 16; init lays it out. */
size_t global_state_size(const struct lb_shape *shape, const double *param);
int global_state_init(struct global_state *state, const struct lb_shape *shape, const double *param,
                      struct lb_error *err);
void global_observe(void *state, const struct alloc_view *view);
void global_carry(void *state, const void *before, const int32_t *worker);
double global_period_s(const double *param);
double global_period_iterations(const double *param);
int32_t global_group_nodes(int32_t nnode, const double *param);

/* The shape of a group: pointers into the state. */
struct lb_shape global_group_shape(struct global_state *state, int32_t group);

/*
 * Solve one group: load and ownership now are in `instance`, the answer goes to owned_cores[nworker
 * of the group]. Returns -1 where there is no answer: the group then stays as it is.
 */
typedef int global_solve(struct global_state *state, int32_t group,
                         const struct solve_instance *instance, int32_t *owned_cores);

/* What both policies' decide() do, with the solver that tells them apart. */
void global_decide(struct global_state *state, const struct alloc_view *view, global_solve *solve,
                   int32_t *owned_cores);

/* A typed pointer at an offset of the state. */
static inline void *global_at(struct global_state *state, size_t offset)
{
        return (char *)state + offset;
}

#endif
