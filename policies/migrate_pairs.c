/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `pairs` (CHAMELEON paper 3.4, Figure 1, right): ranks are sorted by load; the heaviest pushes to
 * the lightest, the second heaviest to the second lightest, and so on, so that no two ranks push to
 * the same. Only the upper half pushes. Known value: loads 9 1 5 3 with thresholds of 2 and 5 %:
 * rank 0 pushes to 1, rank 2 to 3.
 */
#include "policies/migrate_impl.h"

static int32_t decide(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        struct migrate_state *s = state;
        if (view->position < view->nrank / 2 || !migrate_may(s, view))
                return 0;
        return migrate_push(s, view, view->order[view->nrank - 1 - view->position], move);
}

static int32_t pushers(const void *state, const struct migrate_view *view)
{
        return migrate_pushers(state, view, view->nrank - view->nrank / 2, true);
}

const struct migrate_type migrate_pairs = {
        .name = "pairs",
        .help = "ranks sorted by load: the heaviest pushes to the lightest, and so on inwards",
        .params = migrate_params,
        .state_size = migrate_state_size,
        .init = migrate_init,
        .load = migrate_load,
        .decide = decide,
        .replicate = migrate_replicate_ring,
        .pushers = pushers,
};
