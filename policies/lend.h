/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_LEND_H
#define LB_POLICIES_LEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * Lending policies (LeWI): which idle core goes to whom, which is reclaimed. Always local to a
 * node.
 *
 * - The host asks at each occasion; the answer is one action. Same life cycle, same purity as in
 *   policies/alloc.h.
 */

enum lend_occasion {
        LEND_OCCASION_NONE = 0,
        LEND_OWNED_IDLE,    /* `worker` has an idle core of its own and no task for it */
        LEND_BORROWED_IDLE, /* `worker` has finished with a borrowed core and has no task for it,
                               its apprank held more at the last poll */
        LEND_CORE_LENT,     /* a core lies in the node's pool: who may borrow it? */
        LEND_NEEDS_CORES,   /* `worker` has ready tasks and no core for them */
        LEND_TOOK_TASK, /* `worker` has just started a task, its apprank held more at the last poll,
                           and there is a core in the pool */
        LEND_POLLED,    /* likewise, at the node's poll */
};

enum lend_action {
        LEND_NOTHING = 0,
        LEND_LEND,    /* owned idle: into the pool */
        LEND_KEEP,    /* borrowed idle: stays with the borrower, who expects a task for it */
        LEND_BORROW,  /* lent: `borrower` takes it. Else: `worker` borrows from the pool, `count`
                         cores  where no ready task needs them yet */
        LEND_RECLAIM, /* needs: `worker` reclaims `count` of its lent cores */
};

/* An action that is none of these, a count below 0 of what is borrowed or reclaimed, and a borrower
 * that is no worker of the node end the run, on whatever occasion. */

/* What is known of the node's workers; arrays are [nworker], in the node's worker order. */
struct lend_view {
        int64_t time_ns;
        enum lend_occasion occasion;
        int32_t worker;
        int32_t nworker;
        int32_t pool; /* lent cores that nobody uses */
        const int32_t *owned_cores;
        const int32_t *lent_cores;       /* owned, not with their owner (in the pool or in use) */
        const int32_t *borrowed_cores;   /* used or kept, not owned */
        const int32_t *reclaiming_cores; /* asked back, not yet returned */
        const int32_t *running_tasks;
        const int32_t *tasks;            /* assigned and not finished, wherever they are */
        const int32_t *ready_tasks;      /* assigned, data here, waiting for a core */
        const int32_t *held_tasks_known; /* of the worker's whole apprank, as of the last poll */
        const int32_t
            *task_us; /* what its last tasks took here, for who learns(); 0: none has ended */
};

struct lend_decision {
        enum lend_action action;
        int32_t borrower; /* LEND_BORROW on LEND_CORE_LENT; else 0 */
        int32_t count;    /* LEND_RECLAIM, LEND_BORROW */
};

struct lend_type {
        const char *name;
        const char *help;
        const struct lb_param *params;
        size_t (*state_size)(int32_t nworker, const double *param);
        int (*init)(void *state, int32_t nworker, const double *param, struct lb_error *err);
        void (*decide)(void *state, const struct lend_view *view, struct lend_decision *out);
        /* Does it want to know what tasks take? NULL: no. */
        bool (*learns)(const double *param);
};

/* Those built in, NULL-ended. */
extern const struct lend_type *const lend_types[];

/* Policy 0 .., those of plugins (policies/plugin.h) behind those built in; NULL beyond the last. */
const struct lend_type *lend_at(int i);

/* By name, or NULL. */
const struct lend_type *lend_find(const char *name);

#endif
