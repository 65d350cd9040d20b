/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PACK_IMPL_H
#define LB_POLICIES_PACK_IMPL_H

#include "policies/pack.h"

extern const struct pack_type pack_subset_sum;
extern const struct pack_type pack_exact;

/* The two parameters that all packing policies share, first in their tables. */
enum { PACK_SET, PACK_TOLERANCE, PACK_NSHARED };
#define PACK_SHARED_PARAMS                                                                         \
        [PACK_SET] = { .name = "pack_set",                                                         \
                       .unit = "processes",                                                        \
                       .type = LB_PARAM_INTEGER,                                                   \
                       .fallback = 30,                                                             \
                       .min = 1,                                                                   \
                       .max = PACK_PROCESS_MAX,                                                    \
                       .help =                                                                     \
                           "processes are packed in sets of at most so many: a NUMA domain, or "   \
                           "about 30 (the paper's limit)" },                                       \
        [PACK_TOLERANCE] = { .name = "pack_tolerance",                                             \
                             .unit = "",                                                           \
                             .type = LB_PARAM_NUMBER,                                              \
                             .fallback = 0,                                                        \
                             .min = 0,                                                             \
                             .max = 10,                                                            \
                             .help =                                                               \
                                 "how much longer than the slowest process a CPU may take, as "    \
                                 "a share of its time (the paper's \"e.g. 20%\")" }

#endif
