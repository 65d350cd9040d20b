/* SPDX-License-Identifier: BSD-3-Clause */
/* `none`: no task ever migrates; what the library costs without what it is for. Replicates as the
 * others do. */
#include "policies/migrate_impl.h"

static int32_t decide(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        (void)state;
        (void)view;
        (void)move;
        return 0;
}

static int32_t pushers(const void *state, const struct migrate_view *view)
{
        (void)state;
        (void)view;
        return 0;
}

const struct migrate_type migrate_none = {
        .name = "none",
        .help = "no task migrates",
        .params = migrate_params,
        .state_size = migrate_state_size,
        .init = migrate_init,
        .load = migrate_load,
        .decide = decide,
        .replicate = migrate_replicate_ring,
        .pushers = pushers,
};
