/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PACK_WHEN_H
#define LB_POLICIES_PACK_WHEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

/*
 * When to pack (Task Packing paper 3.2, listing 2): the first iteration is discarded, times are
 * watched until they settle, then the processes are packed, with the slowest one's time as the
 * bound (policies/pack.h says how).
 *
 *   measure --settled--> pack --no longer fits--> expand, or measure in place --> measure ...
 *
 * - The paper packs once; what follows is its future work. A packing no longer fits where the
 *   slowest arrival at the synchronisation is later than the tolerated bound, or earlier than the
 *   bound, by more than the confidence, `pack_patience` times in a row.
 * - Same purity as in policies/alloc.h: state in the caller's memory, no clock. One call after each
 *   iteration, with all processes of a job. A rank that knows its own time only calls it for one
 *   process; then a step is taken where all ranks (expand: any) come to it.
 */
enum pack_when_param {
        PACK_WHEN_AFTER,      /* iterations before the first packing */
        PACK_WHEN_CONFIDENCE, /* times have settled where they differ by at most this share */
        PACK_WHEN_ADAPT,      /* choice of enum pack_adapt */
        PACK_WHEN_PATIENCE,
        PACK_WHEN_NPARAM
};
extern const struct lb_param pack_when_params[];

enum pack_adapt {
        PACK_ADAPT_ONCE = 0, /* never again */
        PACK_ADAPT_EXPAND,   /* give every process its CPU back, measure, pack again */
        PACK_ADAPT_IN_PLACE  /* measure processor time where they are, pack again */
};

enum pack_step { PACK_STEP_NONE = 0, PACK_STEP_PACK, PACK_STEP_EXPAND };

struct pack_when_view {
        const double *time_s; /* [nprocess] time to the synchronisation; where processes share CPUs
                                 the processor time, >= 0 */
        double slowest_s;     /* when the last process of the job arrived, >= 0 */
};

size_t pack_when_size(int32_t nprocess);

/* `tolerance` is the packing policy's. state[pack_when_size()], values of pack_when_params[]. */
void pack_when_init(void *state, int32_t nprocess, const double *param, double tolerance);

/* An iteration is over: what to do at its end. */
enum pack_step pack_when_step(void *state, const struct pack_when_view *view);

#endif
