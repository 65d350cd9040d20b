/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PLACE_IMPL_H
#define LB_POLICIES_PLACE_IMPL_H

#include "policies/place.h"

/* For implementers of placement policies: a new one is one file and its name here. */
#define PLACE_TYPES(X) X(place_locality)

#define PLACE_DECLARE(type) extern const struct place_type type;
PLACE_TYPES(PLACE_DECLARE)

#endif
