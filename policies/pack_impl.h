/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PACK_IMPL_H
#define LB_POLICIES_PACK_IMPL_H

#include "policies/pack.h"

#define PACK_DECLARE(type, name) extern const struct pack_type pack_##type;
PACK_TYPES(PACK_DECLARE)

/* The parameters that all packing policies share, first in their tables. */
enum { PACK_SET, PACK_NUMA, PACK_TOLERANCE, PACK_NSHARED };
#define PACK_SHARED_PARAMS                                                                         \
        [PACK_SET] = { .name = "pack_set",                                                         \
                       .unit = "processes",                                                        \
                       .type = LB_PARAM_INTEGER,                                                   \
                       .fallback = 30,                                                             \
                       .min = 1,                                                                   \
                       .max = PACK_PROCESS_MAX,                                                    \
                       .help =                                                                     \
                           "processes are packed in sets of at most so many (the paper's limit "   \
                           "is about 30)" },                                                       \
        [PACK_NUMA] = { .name = "pack_numa",                                                       \
                        .unit = "processes",                                                       \
                        .type = LB_PARAM_INTEGER,                                                  \
                        .fallback = 0,                                                             \
                        .min = 0,                                                                  \
                        .max = PACK_PROCESS_MAX,                                                   \
                        .help = "processes of a NUMA domain, to which sets are aligned; 0: the "   \
                                "node is one" },                                                   \
        [PACK_TOLERANCE] = { .name = "pack_tolerance",                                             \
                             .unit = "",                                                           \
                             .type = LB_PARAM_NUMBER,                                              \
                             .fallback = 0,                                                        \
                             .min = 0,                                                             \
                             .max = 10,                                                            \
                             .help =                                                               \
                                 "how much longer than the slowest process a CPU may take, as "    \
                                 "a share of its time (the paper's \"e.g. 20%\")" }

/* The slots that are of these alone. */
double pack_shared_tolerance(const double *param);
void pack_shared_align(double *param, int32_t domain_processes);

/*
 * The end of the set that begins with process `first`: the whole node where the limit allows, else
 * as many whole NUMA domains as it allows, else equal parts of a domain.
 */
int32_t pack_set_end(int32_t nprocess, int32_t limit, int32_t numa, int32_t first);

/*
 * Name the CPUs of a set after a process that is at home there, so that one of each CPU's processes
 * does not move: cpu[count], numbers from 0 in any order, becomes first + the lowest such process.
 * scratch[count].
 */
void pack_name_cpus(int32_t first, int32_t count, int32_t *cpu, int32_t *scratch);

#endif
