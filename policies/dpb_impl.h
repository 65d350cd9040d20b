/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_DPB_IMPL_H
#define LB_POLICIES_DPB_IMPL_H

#include "policies/dpb.h"

#define DPB_DECLARE(type, name) extern const struct dpb_type dpb_##type;
DPB_TYPES(DPB_DECLARE)

#endif
