/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin by which helpers get nothing but what they ask for: of held tasks one, and whatever
 * waits at home for a core. All goes home, every eighth after it was held: whoever asked in vain is
 * told by that that it may ask again.
 */
#include "policies/plugin.h"

static const struct lb_param params[] = { { .name = NULL } };

static size_t size(int32_t nworker, const double *param)
{
        (void)nworker;
        (void)param;
        return sizeof(int64_t);
}

static int init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        (void)nworker;
        (void)param;
        (void)err;
        *(int64_t *)state = 0;
        return 0;
}

static int32_t place(void *state, const struct place_view *view)
{
        (void)view;
        return ++*(int64_t *)state % 8 == 0 ? PLACE_HOLD : 0;
}

static int64_t refill(void *state, const struct place_view *view)
{
        (void)state;
        if (view->worker == 0 || view->occasion == PLACE_WAITING)
                return view->held_tasks;
        return view->occasion == PLACE_ASKED && view->held_tasks > 0;
}

static const struct place_type placement = {
        .name = "giver",
        .help = "at home, but for who asks",
        .params = params,
        .state_size = size,
        .init = init,
        .place = place,
        .refill = refill,
};

static const struct system_type giver = {
        .name = "giver",
        .help = "at home, but for who asks",
        .alloc = "local",
        .lend = "lewi",
        .place = "giver",
        .offloads = true,
        .lewi = true,
        .drom = true,
};

const struct lb_plugin lb_plugin = { .abi = LB_PLUGIN_ABI, .system = &giver, .place = &placement };
