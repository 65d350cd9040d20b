/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `least` (CHAMELEON paper 3.4, Figure 1, middle): every rank with more than the average load
 * pushes to the least loaded rank, which the paper says leads to contention. Known value: loads 9 1
 * 5 3: ranks 0 and 2 push to 1.
 */
#include "policies/migrate_impl.h"

static int32_t decide(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        struct migrate_state *s = state;
        double mean = (double)view->load_sum / view->nrank;
        if ((double)view->load[view->rank] <= mean || !migrate_may(s, view))
                return 0;
        return migrate_push(s, view, view->order[0], move);
}

static int32_t pushers(const void *state, const struct migrate_view *view)
{
        double mean = (double)view->load_sum / view->nrank;
        int32_t count = migrate_pushers(state, view, view->nrank, false);
        while (count > 0 && (double)view->load[view->order[view->nrank - count]] <= mean)
                count--;
        return count;
}

const struct migrate_type migrate_least = {
        .name = "least",
        .help = "every rank with more than the average load pushes to the least loaded one",
        .params = migrate_params,
        .state_size = migrate_state_size,
        .init = migrate_init,
        .load = migrate_load,
        .decide = decide,
        .replicate = migrate_replicate_ring,
        .pushers = pushers,
};
