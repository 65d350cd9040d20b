/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_DECISIONS_H
#define LB_SIM_ENGINE_DECISIONS_H

#include "policies/host/decision_log.h"
#include "sim/engine/sim.h"

/* The log of decisions of a run, where the spec asks for one: a file with so many writers, numbered
 * from 0. All zero is none. */
struct sim_decisions {
        struct decision_log **log; /* [count] */
        int32_t count;
};

/* On failure the caller closes as well. */
int sim_decisions_open(struct sim_decisions *d, const struct sim_spec *spec, int32_t count,
                       struct lb_error *err) LB_MUST_CHECK;
void sim_decisions_close(struct sim_decisions *d);

/* A writer; NULL where there is no log. */
static inline struct decision_log *sim_decisions_of(const struct sim_decisions *d, int32_t writer)
{
        return d->log ? d->log[writer] : NULL;
}

/* Say before a policy's error when it was, and whose. Returns -1. */
int sim_decisions_blame(struct lb_error *err, int64_t now_ns, int32_t iteration,
                        const char *policy);

#endif
