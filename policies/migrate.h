/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_MIGRATE_H
#define LB_POLICIES_MIGRATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * Migration policies (CHAMELEON paper 3.4): which of its waiting tasks a rank pushes to which
 * other rank, from loads that all ranks exchange all the time. Every rank decides alone.
 *
 * - Same life cycle and purity as in policies/alloc.h; the state is one rank's and is flat: it may
 *   be copied.
 * - Load metric and strategy are the policy's, as in CHAMELEON's tools interface (docs/facts.md C7:
 *   determine_local_load, select_num_tasks_to_offload, select_num_tasks_to_replicate).
 * - Loads are old by up to two exchanges, and a task that is on its way is in nobody's queue.
 * - The host asks again only when something in the view may have changed.
 */

/* What a rank knows of itself. */
struct migrate_local {
        int32_t nthread;  /* worker threads */
        int64_t queued;   /* own tasks that wait; only they can migrate */
        int64_t copies;   /* own tasks that wait here and, replicated, elsewhere */
        int64_t received; /* migrated tasks that wait here */
        int64_t running;
        int64_t sent; /* own tasks sent to others whose results are not back */
};

struct migrate_view {
        int64_t time_ns;
        int32_t rank, nrank;
        struct migrate_local local; /* now */
        const int64_t *load;        /* [nrank] as the last exchange brought them */
        const int32_t *order;       /* [nrank] the ranks by ascending load, equal ones by number */
        int32_t position;           /* of `rank` in order[] */
        int64_t load_sum;
        const int32_t *sending; /* [nrank] messages with tasks to a rank that are not yet sent */
        int64_t changes; /* exchanges that showed another number of outstanding tasks, so far */
};

/* So many tasks go to a rank. */
struct migrate_move {
        int32_t rank;
        int64_t ntask;
};

struct migrate_type {
        const char *name;
        const char *help;
        const struct lb_param *params;
        size_t (*state_size)(int32_t nrank, const double *param);
        int (*init)(void *state, int32_t nrank, const double *param, struct lb_error *err);
        /* The number that the rank tells the others. */
        int64_t (*load)(const void *state, const struct migrate_local *local);
        /* Writes move[], at most nrank of them to different other ranks, at most local.queued tasks
         * together and at least one each; returns how many moves. */
        int32_t (*decide)(void *state, const struct migrate_view *view, struct migrate_move *move);
        /* As decide(), asked once when the tasks of a taskwait are there: tasks that are copied to
         * another rank and may run at either. */
        int32_t (*replicate)(void *state, const struct migrate_view *view,
                             struct migrate_move *move);
        /* NULL, or how many ranks, counted from the end of order[], may push at these loads: of any
         * other decide() would return 0 and change nothing, so a host need not ask. The view is
         * without what one rank alone has: rank, local, position, sending. load() of such a policy
         * does not depend on what decide() changes. */
        int32_t (*pushers)(const void *state, const struct migrate_view *view);
};

/* Those built in, NULL-ended. */
extern const struct migrate_type *const migrate_types[];

/* Policy 0 .., those of plugins (policies/plugin.h) behind those built in; NULL beyond the last. */
const struct migrate_type *migrate_at(int i);

/* By name, or NULL. */
const struct migrate_type *migrate_find(const char *name);

/* Names of those built in, NULL-ended: the choices of a parameter, in the order of migrate_types[].
 */
extern const char *const migrate_names[];

/* The parameters of all policies of migrate_types[]: one table. */
extern const struct lb_param migrate_params[];

/*
 * Check moves: to other ranks, at least one task each, no more than are waiting. Returns -1 and
 * says what is wrong.
 */
int migrate_check(const struct migrate_view *view, const struct migrate_move *move, int32_t nmove,
                  struct lb_error *err) LB_MUST_CHECK;

#endif
