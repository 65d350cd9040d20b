/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_STATE_H
#define LB_POLICIES_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/alloc.h"
#include "policies/grow.h"

/*
 * A policy's state, from state_size() to init(): how every host and the replay begin, so that one
 * rule holds for all kinds of policy.
 *
 * - Memory is zeroed, aligned for any type, and there is some even where state_size() says 0.
 * - init() returns 0 where the policy is ready. Anything else, negative or positive, is a failure:
 *   the policy holds nothing then, release() is not called, and `err` is init()'s, or says that
 *   init() failed where it said nothing.
 * - Where policies are guarded, what init() writes behind the state is a failure, too, and named.
 * - Both calls are on record (policies/called.h).
 *
 * Each returns the state, the caller's to free(); NULL on failure.
 */

/* From now on. For policies of a user's own: each state is a kilobyte longer. */
void state_guard(void);

void *state_make_alloc(const struct alloc_type *type, const struct lb_shape *shape,
                       const double *param, struct lb_error *err);
void *state_make_grow(const struct grow_type *type, const struct grow_shape *shape,
                      const double *param, struct lb_error *err);

/* Kinds of policy that know only how many there are: workers, ranks, processes. */
struct state_counted {
        const char *policy; /* its name */
        size_t (*state_size)(int32_t count, const double *param);
        int (*init)(void *state, int32_t count, const double *param, struct lb_error *err);
};

/* The part of a lend_type, place_type, migrate_type, dpb_type or pack_type that is needed here. */
#define STATE_COUNTED(type)                                                                        \
        &(const struct state_counted)                                                              \
        {                                                                                          \
                (type)->name, (type)->state_size, (type)->init                                     \
        }

void *state_make(const struct state_counted *type, int32_t count, const double *param,
                 struct lb_error *err);

#endif
