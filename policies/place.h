/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PLACE_H
#define LB_POLICIES_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * Placement policies: a ready task goes to which worker of its apprank now, or is held; and how
 * many held tasks a worker takes when there is room. Local to an apprank.
 *
 * - Workers are the apprank's, home first (place 0), in the order of its edges.
 * - Same life cycle, same purity as in policies/alloc.h.
 */

enum { PLACE_HOLD = -1 };

enum place_occasion {
        PLACE_OCCASION_NONE = 0,
        PLACE_READY,     /* a task became ready: place() */
        PLACE_FINISHED,  /* a task of `worker` finished: refill() */
        PLACE_IDLE,      /* `worker` (home) has an idle core and no task: refill() */
        PLACE_REFRESHED, /* what is known of the cores changed: refill() */
        PLACE_ASKED,     /* `worker` says that its node has idle cores for it: refill() */
        PLACE_WAITING,   /* the same where none is held: "held" are tasks that wait at home for a
                            core, which `tasks` does not count: refill() */
};

/* What tasks are expected to cost, in tasks of mean cost (policies/host/costs.h). */
struct place_costs {
        const double *assigned; /* [nworker] of place_view.tasks */
        double held;            /* of all held tasks; the dearest are taken first */
        double next;            /* refill(): the one that `worker` would take first */
        double finished;        /* PLACE_FINISHED: that task; else the last one that finished */
};

/* Arrays are [nworker]. Remote figures are as old as the last poll. */
struct place_view {
        int64_t time_ns;
        enum place_occasion occasion;
        int32_t nworker;
        int32_t worker;       /* whom refill() asks about */
        int32_t data_worker;  /* where most bytes of the task's data are: "best by locality" */
        int64_t held_tasks;   /* ready tasks held by the apprank */
        const int32_t *tasks; /* assigned to the worker and not known to have finished */
        const int32_t *owned_cores;  /* owned via DROM, without lending and borrowing */
        const int32_t *target_cores; /* what the allocation policy wants the worker to own */
        const int32_t *usable_cores; /* owned - lent + borrowed */
        const bool *talk_only;       /* may own no core (policies/shape.h); NULL: none of them */
        int32_t asked_cores; /* PLACE_ASKED, PLACE_WAITING: idle cores that `worker` could use,
                                beyond usable_cores; else 0 */
        int64_t finished_ns; /* PLACE_FINISHED: how long that task executed; 0: not known, or it is
                                one of those that stay at home, which say nothing of others */
        const struct place_costs *costs; /* NULL: nothing is known of what tasks cost */
};

static inline bool place_is_asked(const struct place_view *view)
{
        return view->occasion == PLACE_ASKED || view->occasion == PLACE_WAITING;
}

struct place_type {
        const char *name;
        const char *help;
        const struct lb_param *params;
        size_t (*state_size)(int32_t nworker, const double *param);
        int (*init)(void *state, int32_t nworker, const double *param, struct lb_error *err);
        int32_t (*place)(void *state, const struct place_view *view); /* a worker or PLACE_HOLD */
        int64_t (*refill)(
            void *state,
            const struct place_view *view); /* held tasks to assign to view->worker now, 0 or
                                               more; as many as there are, if more */
        /* Does it learn from what finished tasks took? Then refill() is called for each that
         * finishes, also while none is held. NULL: no. */
        bool (*learns)(const double *param);
};

/* Those built in, NULL-ended. */
extern const struct place_type *const place_types[];

/* Policy 0 .., those of plugins (policies/plugin.h) behind those built in; NULL beyond the last. */
const struct place_type *place_at(int i);

/* By name, or NULL. */
const struct place_type *place_find(const char *name);

#endif
