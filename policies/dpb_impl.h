/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_DPB_IMPL_H
#define LB_POLICIES_DPB_IMPL_H

#include "policies/dpb.h"

extern const struct dpb_type dpb_steal, dpb_fixed, dpb_proportional;

#endif
