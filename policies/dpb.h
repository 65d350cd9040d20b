/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_DPB_H
#define LB_POLICIES_DPB_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * Policies that move processors among the MPI processes of one node (DPB paper 3.2). Processes are
 * malleable: MPI + OpenMP, each with a number of processors, at least one.
 *
 * - Same life cycle, same purity as in policies/alloc.h: the host owns the zeroed memory of
 *   state_size(), calls init() once and decide() whenever all processes of the node have measured a
 *   few iterations (policies/profile.h). After a change it resets what they measure.
 * - decide() writes cpus[nprocess]: each at least 1, the same sum as view->cpus.
 */
struct dpb_view {
        int64_t time_ns;
        const double *compute_s; /* [nprocess] time of computation in one iteration, mean, >= 0 */
        const double *mpi_s;     /* [nprocess] time in MPI in one iteration, mean, >= 0 */
        const int32_t *cpus;     /* [nprocess] processors that a process has, >= 1 */
};

enum dpb_action {
        DPB_KEEP = 0, /* cpus[] is view->cpus[] */
        DPB_MOVE,
        DPB_UNDO, /* the allocation before the last move is back */
};

struct dpb_type {
        const char *name;
        const char *help;
        const struct lb_param *params;
        size_t (*state_size)(int32_t nprocess, const double *param);
        int (*init)(void *state, int32_t nprocess, const double *param, struct lb_error *err);
        enum dpb_action (*decide)(void *state, const struct dpb_view *view, int32_t *cpus);
};

/* Those built in: struct dpb_NAME and its parameters dpb_NAME_params[], and the value of
 * system.processors that chooses it. A new one is one file and a line here. */
#define DPB_TYPES(X)                                                                               \
        X(steal, "dpb")                                                                            \
        X(fixed, "fixed")                                                                          \
        X(proportional, "proportional")

/* All of them, NULL-ended. */
extern const struct dpb_type *const dpb_types[];
const struct dpb_type *dpb_at(int i); /* those of plugins behind them; NULL beyond the last */
const struct dpb_type *dpb_find(const char *name);

/* Their parameters, by name of the policy. */
#define DPB_PARAMS(type, name) extern const struct lb_param dpb_##type##_params[];
DPB_TYPES(DPB_PARAMS)

/* Their names, NULL-ended, in the same order: the choices of a parameter. */
extern const char *const dpb_names[];

/* Is this what a policy may decide? Fails with what is wrong. */
int dpb_check(int32_t nprocess, const struct dpb_view *view, const int32_t *cpus,
              struct lb_error *err) LB_MUST_CHECK;

/*
 * Equipartition (DPB paper 3, its reference [15]): equal parts of ncpu processors, the first ones
 * have one more where it does not divide. Writes cpus[nprocess]; fails where there are fewer
 * processors than processes.
 */
int dpb_equal(int32_t ncpu, int32_t nprocess, int32_t *cpus, struct lb_error *err) LB_MUST_CHECK;

/*
 * Processors in proportion to known work, as the multi-zone benchmarks divide them with knowledge
 * of their zones (DPB paper 4.3, "Application Processor Balancing"): the whole part of the share,
 * at least one; what is left to the one with most work per processor, what is too much from the one
 * that it hurts least. Arguments and failure as dpb_equal(); no work at all: equal parts.
 */
int dpb_by_work(int32_t ncpu, int32_t nprocess, const double *work, int32_t *cpus,
                struct lb_error *err) LB_MUST_CHECK;

#endif
