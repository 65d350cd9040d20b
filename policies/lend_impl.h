/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_LEND_IMPL_H
#define LB_POLICIES_LEND_IMPL_H

#include "policies/lend.h"

/* For implementers of lending policies: a new one is one file and its name here. */
#define LEND_TYPES(X) X(lend_lewi)

#define LEND_DECLARE(type) extern const struct lend_type type;
LEND_TYPES(LEND_DECLARE)

#endif
