/* SPDX-License-Identifier: BSD-3-Clause */
/* A migration policy that pushes tasks to its own rank, for the hosts' tests. */
#include "policies/plugin.h"

static const struct lb_param params[] = { { .name = NULL } };

static size_t state_size(int32_t nrank, const double *param)
{
        (void)nrank;
        (void)param;
        return 1;
}

static int init(void *state, int32_t nrank, const double *param, struct lb_error *err)
{
        (void)state;
        (void)nrank;
        (void)param;
        (void)err;
        return 0;
}

static int64_t load(const void *state, const struct migrate_local *local)
{
        (void)state;
        return local->queued;
}

static int32_t decide(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        (void)state;
        move[0] = (struct migrate_move){ view->rank, 1 };
        return view->local.queued > 0;
}

static int32_t replicate(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        (void)state;
        (void)view;
        (void)move;
        return 0;
}

static const struct migrate_type migrate_wrong = {
        .name = "wrong-push",
        .help = "to itself",
        .params = params,
        .state_size = state_size,
        .init = init,
        .load = load,
        .decide = decide,
        .replicate = replicate,
};

static const struct system_type system_wrong = {
        .name = "wrong",
        .help = "pushes to itself",
        .host = "chameleon",
        .migrate = "wrong-push",
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &system_wrong,
        .migrate = &migrate_wrong,
};
