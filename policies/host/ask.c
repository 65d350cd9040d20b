/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/state.h"

void *ask_alloc_make(const struct alloc_type *type, const struct lb_shape *shape,
                     const double *param, struct decision_log *log, struct lb_error *err)
{
        void *state = state_make_alloc(type, shape, param, err);
        if (state)
                decision_log_begin_alloc(log, type, shape, param);
        return state;
}

void ask_alloc_free(const struct alloc_type *type, void *state)
{
        if (!state)
                return;
        called_begin(type->name, "release");
        type->release(state);
        called_end();
        free(state);
}

void *ask_lend_make(const struct lend_type *type, int32_t nworker, const double *param,
                    struct decision_log *log, struct lb_error *err)
{
        void *state = state_make(STATE_COUNTED(type), nworker, param, err);
        if (state)
                decision_log_begin_lend(log, type, nworker, param);
        return state;
}

void *ask_place_make(const struct place_type *type, int32_t nworker, const double *param,
                     struct decision_log *log, struct lb_error *err)
{
        void *state = state_make(STATE_COUNTED(type), nworker, param, err);
        if (state)
                decision_log_begin_place(log, type, nworker, param);
        return state;
}

void *ask_migrate_make(const struct migrate_type *type, int32_t nrank, const double *param,
                       struct decision_log *log, struct lb_error *err)
{
        void *state = state_make(STATE_COUNTED(type), nrank, param, err);
        if (state)
                decision_log_begin_migrate(log, type, nrank, param);
        return state;
}

void *ask_dpb_make(const struct dpb_type *type, int32_t nprocess, const double *param,
                   struct decision_log *log, struct lb_error *err)
{
        void *state = state_make(STATE_COUNTED(type), nprocess, param, err);
        if (state)
                decision_log_begin_dpb(log, type, nprocess, param);
        return state;
}

void *ask_pack_make(const struct pack_type *type, int32_t nprocess, const double *param,
                    struct decision_log *log, struct lb_error *err)
{
        void *state = state_make(STATE_COUNTED(type), nprocess, param, err);
        if (state)
                decision_log_begin_pack(log, type, nprocess, param);
        return state;
}

int32_t ask_pack(const struct pack_type *type, void *state, int32_t nprocess,
                 const struct pack_view *view, int32_t *cpu, struct decision_log *log,
                 struct lb_error *err)
{
        called_begin(type->name, "decide");
        int32_t used = type->decide(state, view, cpu);
        called_end();
        decision_log_pack(log, view, used, cpu);
        if (pack_check(nprocess, used, cpu, err) == 0)
                return used;
        for (int32_t i = 0; i < nprocess; i++)
                cpu[i] = i;
        return -1;
}

int ask_dpb(const struct dpb_type *type, void *state, int32_t nprocess, const struct dpb_view *view,
            int32_t *cpus, struct decision_log *log, struct lb_error *err)
{
        called_begin(type->name, "decide");
        enum dpb_action action = type->decide(state, view, cpus);
        called_end();
        decision_log_dpb(log, view, action, cpus);
        if (dpb_check(nprocess, view, cpus, err) == 0)
                return (int)action;
        memcpy(cpus, view->cpus, (size_t)nprocess * sizeof(*cpus));
        return -1;
}

void ask_observe(const struct ask_alloc *a, const struct alloc_view *view)
{
        called_begin(a->type->name, "observe");
        a->type->observe(a->state, view);
        called_end();
        decision_log_observe(a->log, view);
}

int ask_decide(const struct ask_alloc *a, const struct alloc_view *view, int32_t *owned_cores,
               struct lb_error *err)
{
        called_begin(a->type->name, "decide");
        a->type->decide(a->state, view, owned_cores);
        called_end();
        decision_log_decide(a->log, view, owned_cores);
        return alloc_check(&a->shape, owned_cores, err);
}

int ask_alloc_regraph(struct ask_alloc *a, const struct lb_shape *shape, const double *param,
                      const int32_t *worker, struct lb_error *err)
{
        void *state = ask_alloc_make(a->type, shape, param, NULL, err);
        if (!state)
                return -1;
        decision_log_regraph(a->log, a->type, shape, param, worker);
        if (a->type->carry) {
                called_begin(a->type->name, "carry");
                a->type->carry(state, a->state, worker);
                called_end();
        }
        ask_alloc_free(a->type, a->state);
        a->state = state;
        a->shape = *shape;
        return 0;
}

void ask_lend_wrong(const struct lend_view *view, const struct lend_decision *out,
                    char what[static ASK_WRONG_SIZE])
{
        if ((uint32_t)out->action > LEND_RECLAIM)
                snprintf(what, ASK_WRONG_SIZE, "lending action %d, allowed is 0 to %d",
                         (int)out->action, LEND_RECLAIM);
        else if (out->count < 0)
                snprintf(what, ASK_WRONG_SIZE, "%d cores are %s, allowed is 0 or more", out->count,
                         out->action == LEND_RECLAIM ? "reclaimed" : "borrowed");
        else
                snprintf(what, ASK_WRONG_SIZE, "worker %d borrows, there are %d", out->borrower,
                         view->nworker);
}

void *ask_grow_make(const struct grow_type *type, const struct grow_shape *shape,
                    const double *param, struct decision_log *log, struct lb_error *err)
{
        void *state = state_make_grow(type, shape, param, err);
        if (state)
                decision_log_begin_grow(log, type, shape, param);
        return state;
}

void ask_grow_observe(const struct grow_type *type, void *state, const struct grow_view *view,
                      struct decision_log *log)
{
        called_begin(type->name, "observe");
        type->observe(state, view);
        called_end();
        decision_log_grow(log, view, NULL);
}

int ask_grow(const struct grow_type *type, void *state, const struct grow_view *view,
             struct grow_decision *decision, struct decision_log *log, struct lb_error *err)
{
        called_begin(type->name, "decide");
        type->decide(state, view, decision);
        called_end();
        decision_log_grow(log, view, decision);
        return grow_check(view, decision, err);
}
