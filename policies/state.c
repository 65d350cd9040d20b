/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/state.h"

#include <stdlib.h>

#include "policies/called.h"

/* Between the two calls: memory, and an error that says nothing yet. */
static void *memory(const char *policy, size_t size, struct lb_error *err)
{
        called_end();
        void *state = calloc(1, size > 0 ? size : 1);
        if (!state) {
                lb_error_fail(err, "out of memory for policy '%s'", policy);
                return NULL;
        }
        err->kind = LB_ERROR_NONE;
        err->text[0] = '\0';
        called_begin(policy, "init");
        return state;
}

/* Behind init(). */
static void *ready(const char *policy, void *state, int status, struct lb_error *err)
{
        called_end();
        if (status == 0)
                return state;
        free(state);
        if (!lb_error_accept(err))
                lb_error_fail(err,
                              "policy '%s' does not start, and what it says is no struct lb_error: "
                              "it is to use lb_error_set()",
                              policy);
        else if (err->text[0] == '\0')
                lb_error_fail(err, "policy '%s' does not start, and does not say why", policy);
        return NULL;
}

void *state_make_alloc(const struct alloc_type *type, const struct lb_shape *shape,
                       const double *param, struct lb_error *err)
{
        called_begin(type->name, "state_size");
        void *state = memory(type->name, type->state_size(shape, param), err);
        return state ? ready(type->name, state, type->init(state, shape, param, err), err) : NULL;
}

void *state_make_grow(const struct grow_type *type, const struct grow_shape *shape,
                      const double *param, struct lb_error *err)
{
        called_begin(type->name, "state_size");
        void *state = memory(type->name, type->state_size(shape, param), err);
        return state ? ready(type->name, state, type->init(state, shape, param, err), err) : NULL;
}

void *state_make(const struct state_counted *type, int32_t count, const double *param,
                 struct lb_error *err)
{
        called_begin(type->policy, "state_size");
        void *state = memory(type->policy, type->state_size(count, param), err);
        return state ? ready(type->policy, state, type->init(state, count, param, err), err) : NULL;
}
