/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_GROW_IMPL_H
#define LB_POLICIES_GROW_IMPL_H

#include "policies/grow.h"

/* For implementers of growth policies: a new one is one file and one line in grow.c's table. */
extern const struct grow_type grow_cut;

#endif
