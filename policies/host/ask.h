/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_ASK_H
#define LB_POLICIES_HOST_ASK_H

#include "policies/alloc.h"
#include "policies/called.h"
#include "policies/dpb.h"
#include "policies/grow.h"
#include "policies/host/decision_log.h"
#include "policies/lend.h"
#include "policies/migrate.h"
#include "policies/pack.h"
#include "policies/place.h"

/*
 * How hosts, simulated or live, make and call policies: each call is on record (policies/called.h)
 * and written down where there is a log (NULL: none), and what a policy decides is checked before
 * anything acts on it, since it may be a plugin's.
 */

/* ---- Life cycle: states by the rule of policies/state.h, NULL on failure ---- */

void *ask_alloc_make(const struct alloc_type *type, const struct lb_shape *shape,
                     const double *param, struct decision_log *log, struct lb_error *err);
void ask_alloc_free(const struct alloc_type *type, void *state); /* takes NULL */
void *ask_lend_make(const struct lend_type *type, int32_t nworker, const double *param,
                    struct decision_log *log, struct lb_error *err);
/* Is it to be shown what tasks take? */
static inline bool ask_lend_learns(const struct lend_type *type, const double *param)
{
        return type->learns && type->learns(param);
}
void *ask_place_make(const struct place_type *type, int32_t nworker, const double *param,
                     struct decision_log *log, struct lb_error *err);
/* Is ask_refill() to be called for each finished task, also while none is held? */
static inline bool ask_place_learns(const struct place_type *type, const double *param)
{
        return type->learns && type->learns(param);
}
void *ask_migrate_make(const struct migrate_type *type, int32_t nrank, const double *param,
                       struct decision_log *log, struct lb_error *err);
void *ask_dpb_make(const struct dpb_type *type, int32_t nprocess, const double *param,
                   struct decision_log *log, struct lb_error *err);
void *ask_pack_make(const struct pack_type *type, int32_t nprocess, const double *param,
                    struct decision_log *log, struct lb_error *err);
void *ask_grow_make(const struct grow_type *type, const struct grow_shape *shape,
                    const double *param, struct decision_log *log, struct lb_error *err);

/* ---- Calls ---- */

/* An allocation policy where it is called from. */
struct ask_alloc {
        const struct alloc_type *type;
        void *state;
        struct lb_shape shape;
        struct decision_log *log;
};

/* Make it anew for a graph that has changed: worker[], of the workers there were before, as for
 * alloc_type.carry. On failure it is as it was. */
int ask_alloc_regraph(struct ask_alloc *a, const struct lb_shape *shape, const double *param,
                      const int32_t *worker, struct lb_error *err) LB_MUST_CHECK;

void ask_observe(const struct ask_alloc *a, const struct alloc_view *view);
int ask_decide(const struct ask_alloc *a, const struct alloc_view *view, int32_t *owned_cores,
               struct lb_error *err) LB_MUST_CHECK;

/* How many CPUs are used; -1 and what is wrong, each process then on its own. */
int32_t ask_pack(const struct pack_type *type, void *state, int32_t nprocess,
                 const struct pack_view *view, int32_t *cpu, struct decision_log *log,
                 struct lb_error *err) LB_MUST_CHECK;

/* An enum dpb_action; -1 and what is wrong, with what each process has. */
int ask_dpb(const struct dpb_type *type, void *state, int32_t nprocess, const struct dpb_view *view,
            int32_t *cpus, struct decision_log *log, struct lb_error *err) LB_MUST_CHECK;

void ask_grow_observe(const struct grow_type *type, void *state, const struct grow_view *view,
                      struct decision_log *log);
/* Checked as well. */
int ask_grow(const struct grow_type *type, void *state, const struct grow_view *view,
             struct grow_decision *decision, struct decision_log *log,
             struct lb_error *err) LB_MUST_CHECK;

/* Is it an answer that there is (policies/lend.h)? */
static inline bool ask_lend_is_right(const struct lend_view *view, const struct lend_decision *out)
{
        if ((uint32_t)out->action < LEND_BORROW)
                return true;
        return (uint32_t)out->action <= LEND_RECLAIM && out->count >= 0 &&
               (out->action == LEND_RECLAIM || (uint32_t)out->borrower < (uint32_t)view->nworker);
}

/* What is wrong with it, for who refuses it. */
enum { ASK_WRONG_SIZE = 160 };
void ask_lend_wrong(const struct lend_view *view, const struct lend_decision *out,
                    char what[static ASK_WRONG_SIZE]);

/* False where the answer is none: for the caller to refuse, ask_lend_wrong(). */
static inline bool ask_lend(const struct lend_type *type, void *state, const struct lend_view *view,
                            struct lend_decision *out, struct decision_log *log)
{
        *out = (struct lend_decision){ .action = LEND_NOTHING };
        called_begin(type->name, "decide");
        type->decide(state, view, out);
        called_end();
        if (log)
                decision_log_lend(log, view, out);
        return ask_lend_is_right(view, out);
}

/* A place, or PLACE_HOLD; anything else is for the caller to refuse: ask_place_is_right(). */
static inline int32_t ask_place(const struct place_type *type, void *state,
                                const struct place_view *view, struct decision_log *log)
{
        called_begin(type->name, "place");
        int32_t to = type->place(state, view);
        called_end();
        if (log)
                decision_log_place(log, view, to);
        return to;
}

static inline bool ask_place_is_right(const struct place_view *view, int32_t to)
{
        return to == PLACE_HOLD || (to >= 0 && to < view->nworker);
}

/* The number that a rank tells the others. */
static inline int64_t ask_load(const struct migrate_type *type, const void *state,
                               const struct migrate_local *local, struct decision_log *log)
{
        called_begin(type->name, "load");
        int64_t load = type->load(state, local);
        called_end();
        if (log)
                decision_log_load(log, local, load);
        return load;
}

/* Moves, or copies where it `replicates`, checked; -1 and what is wrong. */
static inline int32_t ask_migrate(const struct migrate_type *type, void *state, bool replicates,
                                  const struct migrate_view *view, struct migrate_move *move,
                                  struct decision_log *log, struct lb_error *err)
{
        called_begin(type->name, replicates ? "replicate" : "decide");
        int32_t nmove = (replicates ? type->replicate : type->decide)(state, view, move);
        called_end();
        if (log)
                decision_log_migrate(log, replicates, view, move, nmove);
        return nmove == 0 || migrate_check(view, move, nmove, err) == 0 ? nmove : -1;
}

/* How many ranks may push; of a policy that says it. */
static inline int32_t ask_pushers(const struct migrate_type *type, const void *state,
                                  const struct migrate_view *view)
{
        called_begin(type->name, "pushers");
        int32_t count = type->pushers(state, view);
        called_end();
        return count < 0 ? 0 : count < view->nrank ? count : view->nrank;
}

/* How many; below 0 it is no answer, which is for the caller to refuse. */
static inline int64_t ask_refill(const struct place_type *type, void *state,
                                 const struct place_view *view, struct decision_log *log)
{
        called_begin(type->name, "refill");
        int64_t count = type->refill(state, view);
        called_end();
        if (log)
                decision_log_refill(log, view, count);
        return count;
}

#endif
