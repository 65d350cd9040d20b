/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins that are right (nothing defined) or wrong in one thing each, compiled once for every
 * case: see CMakeLists.txt.
 */
#include "policies/plugin.h"

static const struct lb_param params[] = {
#ifdef ODD_PARAM
        { .name = "share", .type = LB_PARAM_NUMBER, .fallback = 2, .max = 1, .help = "a share" },
#endif
        { .name = NULL },
};

static size_t state_size(int32_t nworker, const double *param)
{
        (void)param;
        return (size_t)nworker;
}

static int init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        (void)state;
        (void)nworker;
        (void)param;
        (void)err;
        return 0;
}

static int32_t place(void *state, const struct place_view *view)
{
        (void)state;
        (void)view;
        return 0;
}

static int64_t refill(void *state, const struct place_view *view)
{
        (void)state;
        return view->held_tasks;
}

static const struct place_type home = {
        .name = "home",
        .help = "at home, always",
        .params = params,
        .state_size = state_size,
        .init = init,
        .place = place,
#ifndef WITHOUT_REFILL
        .refill = refill,
#else
        .refill = 0 ? refill : NULL,
#endif
};

static const struct system_type homely = {
#ifdef TAKEN_NAME
        .name = "local",
#elif defined(ODD_NAME)
        .name = "my system",
#else
        .name = "homely",
#endif
        .help = "never offloads",
        .alloc = "static",
#ifdef UNKNOWN_LEND
        .lend = "usury",
#else
        .lend = "lewi",
#endif
        .place = "home",
        .lewi = true,
};

#ifndef NO_PLUGIN
const struct lb_plugin lb_plugin = {
#ifdef OTHER_ABI
        .abi = LB_PLUGIN_ABI + 1,
#else
        .abi = LB_PLUGIN_ABI,
#endif
#ifdef NO_SYSTEM
        .system = 0 ? &homely : NULL,
#else
        .system = &homely,
#endif
        .place = &home,
};
#else
const struct place_type *const used = &home;
const struct system_type *const used_too = &homely;
#endif
