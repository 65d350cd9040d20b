/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_GROW_H
#define LB_POLICIES_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"
#include "policies/shape.h"

/*
 * Growth policies: which helpers to start and which to retire while the program runs, so that the
 * graph of appranks and nodes is what the load needs (ICPP'22 5.2, "Dynamic work
 * spreading", left there as future work).
 *
 * - Life cycle and purity as in policies/alloc.h: a constant table, memory from the host, observe()
 *   every poll_s, decide() every "grow_period_s", no allocation in decide().
 * - The graph changes, so a policy is made for nodes and appranks, and sees the present workers at
 *   each call. Workers are numbered as in the shape of that view; between two calls numbers change.
 * - An apprank keeps as many workers as it had at the first observe().
 * - What decide() writes is a wish: the host starts the process, which takes "start_s", and lets a
 *   helper finish the tasks it has before it goes. A policy wishes for no more workers on a node
 *   than it has cores, counting those that are being started, for no two of one apprank on one
 *   node, and never retires a worker at home or one that is being retired.
 */

/* Places of the parameters that all growth policies share; those without "host" are the policy's.
 */
enum grow_param {
        GROW_PERIOD_S,    /* host: how often decide() is called */
        GROW_START_S,     /* host: from the wish for a helper until it is there */
        GROW_START_CPU_S, /* host: processor time of that, on the helper's node */
        GROW_DEGREE,      /* workers of an apprank, at most */
        GROW_GAIN,        /* what makes a start worth it: share of the time saved */
        GROW_IDLE_S,      /* a helper that is of no use for so long is retired */
        GROW_PARTS,       /* a core is divisible into so many parts, by lending */
        GROW_AVERAGE,     /* how busy cores are averaged: the parameters of `global` */
        GROW_AVERAGE_S,
        GROW_STEADY_GAIN,   /* a lesser gain, which is worth it where it lasts; 0: none is */
        GROW_STEADY_S,      /* for so long */
        GROW_STEADY_IDLE_S, /* as GROW_IDLE_S, of helpers that came for that */
        GROW_START_CORES,   /* host: grow_start_degree() */
        GROW_NPARAM
};
extern const struct lb_param grow_params[];

/* What does not change. Arrays belong to the host and outlive the policy's state. */
struct grow_shape {
        int32_t nnode, napprank;
        const int32_t *cores; /* [nnode] of each node */
        const int32_t *home;  /* [napprank] node of each apprank's own process */
        double poll_s;        /* how often the host calls observe(), s */
};

struct grow_edge {
        int32_t apprank, node;
};

struct grow_view {
        int64_t time_ns;              /* now */
        int64_t interval_ns;          /* what busy_cores is the mean over */
        const struct lb_shape *shape; /* the workers that are there, in global scope */
        const double *busy_cores;     /* [shape->nworker] mean cores executing tasks or runtime */
        const bool *retiring;         /* [shape->nworker] finishing their tasks, to go then */
        const struct grow_edge *starting; /* [nstarting] on their way */
        int32_t nstarting;
};

struct grow_decision {
        int32_t room; /* of either array */
        int32_t nadd, nretire;
        struct grow_edge *add, *retire; /* [room], of the host */
};

struct grow_type {
        const char *name;
        const char *help;              /* one line */
        const struct lb_param *params; /* [GROW_NPARAM] or more, begins as grow_params[] */
        size_t (*state_size)(const struct grow_shape *shape, const double *param);
        int (*init)(void *state, const struct grow_shape *shape, const double *param,
                    struct lb_error *err);
        void (*observe)(void *state, const struct grow_view *view);
        void (*decide)(void *state, const struct grow_view *view, struct grow_decision *out);
};

/* Those built in, NULL-ended. */
extern const struct grow_type *const grow_types[];

/* By name, or NULL. */
const struct grow_type *grow_find(const char *name);

/*
 * Workers of an apprank at the start, its own included: `degree`, or more where nodes have cores
 * for them: up to GROW_DEGREE, as long as a node has GROW_START_CORES cores, and half of them,
 * beyond one for each worker. One that no load calls for owns a core, which others borrow; one that
 * is missing when the load moves is missed until it has been started, if it ever is. The least
 * `cores` of a node, and the most `appranks` at home on one, count. param[GROW_NPARAM]. Degree 1
 * stays.
 */
int32_t grow_start_degree(const double *param, int32_t degree, int32_t nnode, int32_t cores,
                          int32_t appranks);

/*
 * Check a decision against the rules above: workers per node, no pair twice, nobody at home retired
 * and nobody twice. Returns -1 and says what is wrong.
 */
int grow_check(const struct grow_view *view, const struct grow_decision *decision,
               struct lb_error *err) LB_MUST_CHECK;

#endif
