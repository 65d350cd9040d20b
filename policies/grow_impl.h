/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_GROW_IMPL_H
#define LB_POLICIES_GROW_IMPL_H

#include "policies/grow.h"

/* For implementers of growth policies: a new one is one file and its name here. */
#define GROW_TYPES(X) X(grow_cut)

#define GROW_DECLARE(type) extern const struct grow_type type;
GROW_TYPES(GROW_DECLARE)

#endif
