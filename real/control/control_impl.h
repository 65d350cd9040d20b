/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_CONTROL_IMPL_H
#define LB_REAL_CONTROL_CONTROL_IMPL_H

#include <stdatomic.h>
#include <stddef.h>

#include "policies/alloc.h"
#include "real/control/control.h"
#include "policies/host/ask.h"
#include "policies/host/node.h"
#include "real/control/part.h"

/*
 * What the files of the control have in common. At polls, as in lbsim
 * (sim/systems/offload/control.c):
 *
 *   every worker --board--> leader: measured busy cores --mail--> decider (global policies)
 *                             |                                      |
 *                             +--board: targets, epoch <----mail-----+
 *                                         |
 *   every worker: claims, gives up --mail--> home: cores known there --> placement
 *
 * - "worker" counts the job's workers, "local" the node's (its place in node_worker), "place" the
 *   apprank's, home first.
 * - Everything is allocated at creation.
 */
enum { NONE = -1 };

/* An allocation policy and what its views are made of; arrays are [nworker] of its shape. */
struct allocating {
        struct ask_alloc ask; /* its state is NULL where it is not decided here */
        double *busy_cores;
        int32_t *owned_cores, *target;
        bool *told; /* global: who has told its figures at all, */
        int32_t ntold;
        int64_t observed_ns;
        bool decided; /* target is there */
};

/* The leader's; arrays are [nlocal]. */
struct measuring {
        int64_t *load_ns, *at_ns; /* as at the last poll */
        double *busy_cores;       /* mean since then */
        bool *measured;           /* there is one */
        int32_t *told_owned;      /* to the decider, with busy_cores */
        double *told_busy;
        int64_t at_poll_ns; /* or when it began */
        bool begun, polled;
        int32_t *published; /* targets from the decider */
        bool has_published;
        bool *home, *talk_only; /* of the shape of this node alone, as what follows */
        int32_t *count_up, *zeros, bounds[2];
};

struct lending {
        const struct lend_type *type;
        void *state;
        int32_t *figure[9]; /* [nlocal] each, of the view */
        bool learns;        /* what tasks take */
        struct lend_view view;
        bool *kept_free;     /* [ncore] own and idle, not lent: more are owned than should be */
        int64_t *offered_ns; /* [ncore] own, to be given up at the next poll; since when, or 0 */
        int32_t asked;       /* own cores asked back that may not have been seen to return */
};

struct known_cores { /* of a worker, as its home knows them */
        int32_t owned, target, usable;
};

struct placing {
        const struct place_type *type;
        void *state;                      /* NULL: not at home */
        int32_t *owned, *target, *usable; /* [nplace] */
        int64_t held, told_held, finished_ns;
        bool learns; /* of every finished task */
        const struct place_costs *costs;
};

/* asks.c; at home [nplace] who has been told that none is held, and what the last mail asked for.
 */
struct asking {
        bool on, gives_waiting, *refused;
        bool asked, came; /* a helper has, tasks have, since the last poll */
        int32_t nrefused, cores;
};

/* Arrays are [napprank]. */
struct migrating {
        const struct migrate_type *type;
        void *state; /* NULL: tasks do not migrate */
        struct control_load *told;
        int64_t *load; /* what was told, and what is on its way there */
        int32_t *order;
        int64_t outstanding, changes; /* of all, as told */
        struct migrate_move *move;
};

struct control {
        struct control_spec spec;
        const struct job *job;
        const struct alloc_type *alloc;
        int32_t node, local, nlocal, ncore;
        int32_t first, place, nplace; /* the apprank's workers: first .. first + nplace - 1 */
        const int32_t *node_worker;   /* [nlocal] */
        struct board_worker *own;     /* row_of(local) */
        bool lewi, drom, boundary, leads, decides;
        atomic_bool holds; /* owners stay those of the start */
        int64_t longest_poll_ns, poll_ns, phase_ns, polled_ns;
        struct node_solves solves;
        int64_t iteration_ns, iterated_ns; /* what one takes, 0: not known; when the last ended */
        uint32_t epoch;                    /* of the targets that the last poll acted on */
        int32_t *initial;                  /* [job->nworker] cores owned at the start */
        int64_t held_known;                /* by the apprank */
        int64_t seen_cpu_ns;               /* own tasks, as at the last poll */
        int64_t seen_useful_ns;

        struct measuring measuring;
        struct allocating node_alloc, global_alloc;
        struct lending lending;
        struct placing placing;
        struct asking asking;
        struct migrating migrating;
        struct growing *growing; /* grow.c; NULL: the graph stays, or is not decided here */
        struct known_cores told; /* to the home */

        int32_t *list; /* [2 nlocal] scratch */
        struct mail *outgoing, *incoming;
        size_t mail_bytes_max;
        struct decision_log *log; /* NULL: not asked for */
        struct control_figures figures;
        struct control_block *blocks; /* all memory given out by control_take() */
        bool no_memory;
};

/* Cores that a call has made usable: gained[] of control.h. */
struct gain {
        int32_t *core, count;
};

/* Zeroed memory that control_destroy() frees; NULL out of memory, which control_taken() then tells
 * of whatever was taken so far: -1, nothing of it to be used. */
void *control_take(struct control *c, size_t count, size_t size);
int control_taken(const struct control *c, struct lb_error *err) LB_MUST_CHECK;

static inline struct board_worker *row_of(const struct control *c, int32_t local)
{
        return board_worker(c->spec.board, local);
}

static inline bool is_home(const struct control *c, int32_t local)
{
        return c->job->shape.worker_home[c->node_worker[local]];
}

static inline int32_t figure(const _Atomic int32_t *figure)
{
        return atomic_load_explicit(figure, memory_order_relaxed);
}

static inline int32_t own_usable(const struct control *c)
{
        return node_usable(figure(&c->own->owned), figure(&c->own->lent),
                           figure(&c->own->borrowed));
}

/* Cores that a worker of the node is to own. */
static inline int32_t target_of(const struct control *c, int32_t local)
{
        int32_t target = figure(&row_of(c, local)->target);
        return target > 0 ? target : c->initial[c->node_worker[local]];
}

static inline int32_t owner_of(const struct control *c, int32_t core)
{
        return c->spec.cores_type->owner(c->spec.cores, core);
}

static inline bool usable(const struct control *c, int32_t core)
{
        return c->spec.cores_type->usable(c->spec.cores, core);
}

/* Ends the job: policy `name` has decided what cannot be. */
_Noreturn void control_refuse(const struct control *c, const char *name, const char *format, ...)
    LB_PRINTF(3, 4);

/* mail.c: what workers tell each other. */
int control_mail_create(struct control *c, struct lb_error *err);
void control_mail_cores(
    struct control *c); /* to the home, what it may count on here, if it changed */
void control_mail_held(
    struct control *c); /* to the helpers, what the apprank holds, if it changed */
void control_mail_busy(struct control *c); /* to the decider, what was measured on the node */
void control_mail_targets(struct control *c, int32_t node,
                          const int32_t *target); /* [job->nworker] */

void control_mail_ask(struct control *c, int32_t cores); /* to the home; the others from there */
void control_mail_tasks(struct control *c, int32_t place, bool any); /* are some held? */

/* asks.c: idle cores ask for held tasks. */
int control_asks_create(struct control *c, struct lb_error *err);
void control_ask_next(struct control *c); /* some core is in the pool, perhaps */
/* At a poll of a helper: its home may believe otherwise though nothing has changed. */
bool control_ask_retell(struct control *c, const struct known_cores *now);
void control_ask_refused(struct control *c);
void control_ask_invited(struct control *c);
void control_ask_held(struct control *c);      /* at home: a task is held */
void control_ask_iteration(struct control *c); /* what was borrowed in the last one is forgotten */

/* measure.c: the leader's part of a poll. */
int control_measure_create(struct control *c, struct lb_error *err);
void control_measure_poll(struct control *c, int64_t now_ns);
int control_host_arrays(struct control *c, struct allocating *a, struct lb_error *err);
int control_host_alloc(struct control *c, struct allocating *a, struct lb_error *err);

/* global.c: the decider's part of a poll. */
int control_global_create(struct control *c, struct lb_error *err);
void control_global_poll(struct control *c, int64_t now_ns);
void control_global_told(struct control *c, int32_t worker, double busy_cores, int32_t owned);

/* ownership.c: cores change owner. */
void control_ownership_poll(struct control *c, int64_t now_ns, bool *idle, struct gain *gain);
bool control_ownership_due(const struct control *c); /* is there something to claim? */
void control_ownership_claim(struct control *c, int64_t now_ns, struct gain *gain);
bool control_ownership_leave(struct control *c, int32_t core); /* at a task's end: given up now? */

/* lend.c: cores change hands. */
int control_lend_create(struct control *c, struct lb_error *err);
void control_keep_free(struct control *c, int32_t core, bool keep); /* an own one that is idle */
/* An own core that has just come and is idle: lent at once where there is no task for it? */
bool control_lend_spare(struct control *c, int64_t now_ns, int32_t core, const struct gain *gain);
void control_lend_poll(struct control *c, struct gain *gain);

/* grow.c: helpers wake and go to sleep; the decider's part. All but create take what does not grow
 * and do nothing. */
int control_grow_create(struct control *c, struct lb_error *err);
void control_grow_destroy(struct control *c);
void control_grow_poll(struct control *c, int64_t now_ns, int64_t interval_ns);
/* Who is there: what an allocation policy sees of them in place of all, and what it decides. */
struct alloc_view control_grow_view(struct control *c, const struct alloc_view *all,
                                    int32_t **target);
void control_grow_spread(struct control *c); /* targets to all, 0 for those who sleep */

/* migrate.c: tasks go to other ranks. */
int control_migrate_create(struct control *c, struct lb_error *err);

/* place.c: tasks find a worker. */
int control_place_create(struct control *c, struct lb_error *err);
void control_place_know(struct control *c, int32_t place, const struct known_cores *cores);

#endif
