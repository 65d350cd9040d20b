/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PACK_H
#define LB_POLICIES_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * Packing policies (Task Packing paper 3.2): which process of a node runs on which CPU, so that as
 * few CPUs as possible are used and none has more work between two synchronisations than the
 * slowest process of the job, the bound. Always local to a node.
 *
 * - Same life cycle, same purity as in policies/alloc.h.
 * - Process i is at home on CPU i, alone until it is packed. CPUs are in the order of the NUMA
 *   domains.
 * - A node of more than `pack_set` processes is packed in sets: whole NUMA domains of `pack_numa`
 *   processes, or parts of one. A set's processes stay on that set's CPUs.
 * - When to pack is policies/pack_when.h.
 */

/* Live, and where lbsim tells of measured loads what live runs would bring: what is measured
 * scatters, and times that equal the bound but for so much are to share a CPU. */
#define PACK_LIVE_TOLERANCE 0.03

struct pack_view {
        int64_t time_ns;
        double bound_s;       /* time of the slowest process of the whole job, > 0 */
        const double *time_s; /* [nprocess] time of each process to the synchronisation, >= 0 */
};

struct pack_type {
        const char *name;
        const char *help;
        const struct lb_param *params;
        size_t (*state_size)(int32_t nprocess, const double *param);
        int (*init)(void *state, int32_t nprocess, const double *param, struct lb_error *err);
        /* Writes cpu[nprocess], 0 .. nprocess-1, and returns how many CPUs are used. One of each
         * CPU's processes is at home there. A process that alone exceeds the bound has a CPU to
         * itself. */
        int32_t (*decide)(void *state, const struct pack_view *view, int32_t *cpu);
        /* How much longer than the bound a CPU may take, as a share of it. */
        double (*tolerance)(const double *param);
        /* The node's NUMA domains have so many processes each, where the parameters do not say. */
        void (*align)(double *param, int32_t domain_processes);
};

/* Those built in: struct pack_NAME and its parameters pack_NAME_params[], and the value of
 * system.pack that chooses it. A new one is one file and a line here. */
#define PACK_TYPES(X)                                                                              \
        X(subset_sum, "subset-sum")                                                                \
        X(exact, "exact")                                                                          \
        X(none, "none")

/* All packing policies, NULL-ended, their names and their parameters in the same order. */
extern const struct pack_type *const pack_types[];
extern const char *const pack_names[];
#define PACK_PARAMS(type, name) extern const struct lb_param pack_##type##_params[];
PACK_TYPES(PACK_PARAMS)
const struct pack_type *pack_at(int i); /* those of plugins behind them; NULL beyond the last */
const struct pack_type *pack_find(const char *name);

/* Is this what a policy may decide? Fails with what is wrong. */
int pack_check(int32_t nprocess, int32_t used, const int32_t *cpu,
               struct lb_error *err) LB_MUST_CHECK;

/* The most processes of a node. */
enum { PACK_PROCESS_MAX = 65536 };

#endif
