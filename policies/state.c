/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/state.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policies/called.h"

/* Behind a state nothing is to be written: a size that is too small, which would spoil the host's
 * own memory, is seen there. */
enum { GUARD = 1024, UNTOUCHED = 0xa5 };
static size_t beyond; /* bytes that are watched */

void state_guard(void)
{
        beyond = GUARD;
}

static size_t least(size_t size)
{
        return size > 0 ? size : 1;
}

/* Between the two calls: memory, and an error that says nothing yet. */
static void *memory(const char *policy, size_t size, struct lb_error *err)
{
        called_end();
        char *state = size < SIZE_MAX - GUARD ? calloc(1, least(size) + beyond) : NULL;
        if (!state) {
                lb_error_fail(err, "out of memory for policy '%s'", policy);
                return NULL;
        }
        memset(state + least(size), UNTOUCHED, beyond);
        err->kind = LB_ERROR_NONE;
        err->text[0] = '\0';
        called_begin(policy, "init");
        return state;
}

static bool is_untouched(const char *state, size_t size)
{
        const unsigned char *behind = (const unsigned char *)state + least(size);
        for (size_t i = 0; i < beyond; i++)
                if (behind[i] != UNTOUCHED)
                        return false;
        return true;
}

/* Behind init(). */
static void *ready(const char *policy, void *state, size_t size, int status, struct lb_error *err)
{
        called_end();
        bool within = is_untouched(state, size);
        if (status == 0 && within)
                return state;
        free(state);
        if (!within)
                lb_error_fail(err,
                              "policy '%s': init() writes beyond the %zu bytes that state_size() "
                              "asks for",
                              policy, size);
        else if (!lb_error_accept(err))
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
        size_t size = type->state_size(shape, param);
        void *state = memory(type->name, size, err);
        return state ? ready(type->name, state, size, type->init(state, shape, param, err), err)
                     : NULL;
}

void *state_make_grow(const struct grow_type *type, const struct grow_shape *shape,
                      const double *param, struct lb_error *err)
{
        called_begin(type->name, "state_size");
        size_t size = type->state_size(shape, param);
        void *state = memory(type->name, size, err);
        return state ? ready(type->name, state, size, type->init(state, shape, param, err), err)
                     : NULL;
}

void *state_make(const struct state_counted *type, int32_t count, const double *param,
                 struct lb_error *err)
{
        called_begin(type->policy, "state_size");
        size_t size = type->state_size(count, param);
        void *state = memory(type->policy, size, err);
        return state ? ready(type->policy, state, size, type->init(state, count, param, err), err)
                     : NULL;
}
