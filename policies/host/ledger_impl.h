/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_LEDGER_IMPL_H
#define LB_POLICIES_HOST_LEDGER_IMPL_H

#include "policies/host/ledger.h"

/*
 * Samples of busy cores (private to the ledger). A sample is settled when nothing more can be added
 * to it: at once by hosts that take samples, at the end of an iteration by those with hindsight. Of
 * settled ones the imbalance is left, so that memory grows by a number per sample and not by a row.
 */
struct ledger_samples *ledger_samples_create(const struct ledger_spec *spec);
void ledger_samples_destroy(struct ledger_samples *s);

/* All that end by time_ns are settled. */
void ledger_samples_settle(struct ledger *l, int64_t time_ns);

/* What converged_s, steady_node_imbalance and peak_node_imbalance are made of. */
struct ledger_summary {
        int32_t nsample;
        int32_t last_bad;        /* the last one with an imbalance that is not low + 1; 0: none */
        int32_t nsteady;         /* samples after steady_s, */
        double steady_sum, peak; /* their sum; the largest of all */
        double change_sum;       /* of those samples, from one to the next */
        double rebound;          /* the largest over 2 s since it first was low; 1: never was */
};
struct ledger_summary ledger_samples_summary(const struct ledger_samples *s, double sample_s,
                                             double steady_s);

/* Of the fastest nodes' cores. */
double ledger_fastest_speed(const struct ledger_spec *spec);

/* max / mean; 1 where all are 0. */
double ledger_max_over_mean(const double *value, int32_t count);

#endif
