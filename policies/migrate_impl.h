/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_MIGRATE_IMPL_H
#define LB_POLICIES_MIGRATE_IMPL_H

#include <stdbool.h>

#include "policies/migrate.h"

/*
 * For implementers of migration policies: a new one is one file and a line here, with the value of
 * system.migrate that chooses it. What the policies here share is CHAMELEON's default strategy
 * without its choice of the victim.
 */
#define MIGRATE_TYPES(X)                                                                           \
        X(migrate_pairs, "pairs")                                                                  \
        X(migrate_least, "least")                                                                  \
        X(migrate_none, "none")

#define MIGRATE_DECLARE(type, name) extern const struct migrate_type type;
MIGRATE_TYPES(MIGRATE_DECLARE)

enum migrate_param {
        MIGRATE_MIN_ABS,
        MIGRATE_MIN_REL,
        MIGRATE_MIN_LOCAL,
        MIGRATE_PER_THREAD,
        MIGRATE_AT_ONCE,
        MIGRATE_SHARE,
        MIGRATE_LOAD,
        MIGRATE_REPLICATE_SHARE,
        MIGRATE_NPARAM
};
enum migrate_load { MIGRATE_LOAD_QUEUED = 0, MIGRATE_LOAD_UNFINISHED, MIGRATE_LOAD_N };

/* Of one rank. */
struct migrate_state {
        double param[MIGRATE_NPARAM];
        int64_t moved_at; /* view.changes when tasks were last moved; -1: never */
};

size_t migrate_state_size(int32_t nrank, const double *param);
int migrate_init(void *state, int32_t nrank, const double *param, struct lb_error *err);

/* The load metric that the parameters name. */
int64_t migrate_load(const void *state, const struct migrate_local *local);

/* May this rank migrate at all: enough local tasks, something changed since it last did, and loads
 * that differ by the thresholds? */
bool migrate_may(const struct migrate_state *state, const struct migrate_view *view);

/* Of the `count` most loaded ranks, those whose loads differ by the thresholds from all others' and
 * from their victim's, which is the least loaded rank, or, `inwards`, the counterpart in the order:
 * again the most loaded ones, since the differences fall with the own load. */
int32_t migrate_pushers(const struct migrate_state *state, const struct migrate_view *view,
                        int32_t count, bool inwards);

/* Push to `victim` if the thresholds allow it: 1 and move[0], or 0. */
int32_t migrate_push(struct migrate_state *state, const struct migrate_view *view, int32_t victim,
                     struct migrate_move *move);

/* Half of the share of tasks that are replicated to either neighbour on the ring of ranks. */
int32_t migrate_replicate_ring(void *state, const struct migrate_view *view,
                               struct migrate_move *move);

#endif
