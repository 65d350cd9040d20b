/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_ALLOC_IMPL_H
#define LB_POLICIES_ALLOC_IMPL_H

#include "policies/alloc.h"

/*
 * For implementers of allocation policies: a new one is one file and one line in alloc.c's table.
 */
extern const struct alloc_type alloc_static;
extern const struct alloc_type alloc_local;
extern const struct alloc_type alloc_global;

/* A release() for policies that hold nothing beyond their state. */
void alloc_release_nothing(void *state);

#endif
