/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `next`, the worked example of a policy (CONTRIBUTING.md): a rank migrates tasks to the rank after
 * it, whatever the others' loads are, by the thresholds of the default strategy.
 */
#include "policies/migrate_impl.h"

static int32_t next_decide(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        if (view->nrank < 2 || !migrate_may(state, view))
                return 0;
        return migrate_push(state, view, (view->rank + 1) % view->nrank, move);
}

const struct migrate_type migrate_next = {
        .name = "next",
        .help = "to the next rank, in a ring",
        .params = migrate_params,
        .state_size = migrate_state_size,
        .init = migrate_init,
        .load = migrate_load,
        .decide = next_decide,
        .replicate = migrate_replicate_ring,
};
