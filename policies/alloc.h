/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_ALLOC_H
#define LB_POLICIES_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"
#include "policies/shape.h"

/*
 * Allocation policies (DROM): from measured busy cores to owned cores per worker.
 *
 * - A policy is a constant table. The host owns the memory: it asks state_size(), hands over zeroed
 *   memory of that size (aligned for any type), calls init() once, then observe() every
 *   shape->poll_s and decide() whenever it wants a decision.
 * - init() returns 0 where the policy is ready. Anything else is a failure, for policies of every
 *   kind: it has filled `err`, holds nothing, and is not asked again.
 * - decide() neither allocates nor reads anything but its state and the view: same calls, same
 *   decisions, in any process. State has no pointer into itself; it may be copied with memcpy
 *   together with the shape and parameter arrays it was made with.
 * - What decide() writes is a target: every worker at least one core (a talk-only one none:
 *   lb_shape_least()), the sum over each node's
 *   workers exactly the node's cores. When and how cores change hands is the host's business.
 */

enum alloc_scope {
        ALLOC_SCOPE_NONE = 0,
        ALLOC_SCOPE_NODE,   /* decides for one node from what its workers measure */
        ALLOC_SCOPE_GLOBAL, /* decides for all nodes at once */
};

struct alloc_view {
        int64_t time_ns;     /* now */
        int64_t interval_ns; /* what busy_cores is the mean over */
        const double
            *busy_cores; /* [nworker] mean number of cores executing tasks or runtime code */
        const int32_t *owned_cores; /* [nworker] owned now */
        int64_t iteration_ns;       /* what an iteration of the program takes, a mean of the last
                                       few; 0: not known, or it has none */
};

/* Where a choice of a parameter stands for another policy, with the same table of parameters. */
struct alloc_variant {
        const char *name; /* of the other policy; NULL ends a list of variants */
        int param, choice;
        const char *needs; /* what programs that lack it would need, in a sentence's words */
};

struct alloc_type {
        const char *name;
        const char *help; /* one line */
        enum alloc_scope scope;
        const struct lb_param *params; /* ends with a NULL name */
        size_t (*state_size)(const struct lb_shape *shape, const double *param);
        int (*init)(void *state, const struct lb_shape *shape, const double *param,
                    struct lb_error *err);
        void (*observe)(void *state, const struct alloc_view *view);
        void (*decide)(void *state, const struct alloc_view *view, int32_t *owned_cores);
        void (*release)(void *state); /* what init() took beyond its state; most take nothing */
        /* The graph has changed: take over what was observed. `before` is the old state, worker[]
         * the new number of each old worker, or, of one that is gone, that of its apprank at home;
         * -1 where the scope has none. NULL: the policy starts anew. */
        void (*carry)(void *state, const void *before, const int32_t *worker);

        /* What hosts must know beside the decisions, of a policy of global scope. They ask by the
         * functions below, which know what NULL means; the names of parameters mean nothing to
         * them. */
        double (*period_s)(const double *param); /* between decisions; NULL: 2 s */
        /* The same in iterations, where these take less; NULL or 0: period_s alone. */
        double (*period_iterations)(const double *param);
        /* How many consecutive nodes are decided together, each group on a node of its own, beside
         * the others. NULL: all nodes. */
        int32_t (*group_nodes)(int32_t nnode, const double *param);
        /* Processor time of a decision for so many nodes, s, for a host that only models it. NULL:
         * none. */
        double (*cost_s)(int32_t nnode, const double *param);
        const struct alloc_variant *variants; /* NULL: none */
};

/* Those built in and free of GPL libraries, NULL-ended. global-lp is in policies/lp.h. */
extern const struct alloc_type *const alloc_types[];

/* Policy 0 .., those of plugins (policies/plugin.h) behind those built in; NULL beyond the last. */
const struct alloc_type *alloc_at(int i);

/* By name, or NULL. */
const struct alloc_type *alloc_find(const char *name);

/* What the slots say, with what NULL means, within what a host can act on: a period of 1 ms to 1 h,
 * 1 .. nnode nodes, no less than no time. */
double alloc_period_s(const struct alloc_type *type, const double *param);
/* Until the next decision for nnode nodes, where an iteration takes iteration_ns (0: not known): by
 * iterations where the policy says so, but not so short that deciding takes a twentieth of it. */
int64_t alloc_period_ns(const struct alloc_type *type, int32_t nnode, int64_t iteration_ns,
                        const double *param);
int32_t alloc_group_nodes(const struct alloc_type *type, int32_t nnode, const double *param);
double alloc_cost_s(const struct alloc_type *type, int32_t nnode, const double *param);

/* The variant that the values ask for, or NULL: the policy itself. */
const struct alloc_variant *alloc_variant(const struct alloc_type *type, const double *param);

/*
 * Which helpers are talk-only, by choice: those of nodes that have fewer cores than workers, all,
 * or none. The papers have none: every worker owns a core there (DLB's minimum).
 */
enum alloc_talk { ALLOC_TALK_SCARCE, ALLOC_TALK_HELPERS, ALLOC_TALK_NEVER };
extern const char *const alloc_talk_choices[]; /* their names, NULL-ended */

/* Writes talk_only[nworker]; returns how many are. sleeps[nworker], or NULL: helpers that are not
 * there until they are woken, and then bring a core. They are talk-only from the start on where
 * none could come to them: the node has but one for each apprank, or fewer. */
int32_t alloc_talk_only(const struct lb_shape *shape, const bool *sleeps, enum alloc_talk choice,
                        bool *talk_only);

/* What the workers of a node own at least together, cores. */
int32_t alloc_least(const struct lb_shape *shape, int32_t node);

/*
 * The initial ownership of ICPP'22 5.4: one core per helper (none where it is talk-only), the rest
 * divided equally among the node's appranks, remainders to the last (as the original does;
 * docs/facts.md O5). Writes owned_cores[nworker]. Fails, naming the node, where a node has fewer
 * cores than workers that must own one.
 */
int alloc_initial(const struct lb_shape *shape, int32_t *owned_cores,
                  struct lb_error *err) LB_MUST_CHECK;

/*
 * Check a target: every worker >= 1 (talk-only ones >= 0) and each node's sum equal to its cores.
 * Returns -1 and says where not.
 */
int alloc_check(const struct lb_shape *shape, const int32_t *owned_cores,
                struct lb_error *err) LB_MUST_CHECK;

#endif
