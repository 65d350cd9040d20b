/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_ALLOC_IMPL_H
#define LB_POLICIES_ALLOC_IMPL_H

#include "policies/alloc.h"

/*
 * For implementers of allocation policies: a new one is one file and its name here.
 */
#define ALLOC_TYPES(X) X(alloc_static) X(alloc_local) X(alloc_global)

#define ALLOC_DECLARE(type) extern const struct alloc_type type;
ALLOC_TYPES(ALLOC_DECLARE)

/* A release() for policies that hold nothing beyond their state. */
void alloc_release_nothing(void *state);

#endif
