/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/decisions.h"

#include <stdlib.h>

int sim_decisions_open(struct sim_decisions *d, const struct sim_spec *spec, int32_t count,
                       struct lb_error *err)
{
        struct decision_log_spec first = { .program = "lbsim",
                                           .file = spec->decisions,
                                           .id = "lbsim",
                                           .about = "{}",
                                           .begins = true,
                                           .failure = spec->decisions_failure };
        if (!spec->decisions)
                return 0;
        d->log = calloc((size_t)count, sizeof(struct decision_log *));
        if (!d->log)
                return lb_error_fail(err, "out of memory for the log of decisions");
        d->log[0] = decision_log_open(&first, err);
        if (!d->log[0])
                return -1;
        for (d->count = 1; d->count < count; d->count++) {
                d->log[d->count] = decision_log_join(d->log[0], d->count);
                if (!d->log[d->count])
                        return lb_error_fail(err, "out of memory for the log of decisions");
        }
        return 0;
}

void sim_decisions_close(struct sim_decisions *d)
{
        for (int32_t i = d->count - 1; i >= 0; i--)
                decision_log_close(d->log[i]);
        free(d->log);
        *d = (struct sim_decisions){ 0 };
}

int sim_decisions_blame(struct lb_error *err, int64_t now_ns, int32_t iteration, const char *policy)
{
        return lb_error_prefix(err, "at %.3f s, iteration %d: policy '%s': ", (double)now_ns * 1e-9,
                               iteration, policy);
}
