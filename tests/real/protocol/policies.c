/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/protocol/policies.h"

#include <stddef.h>

#include "policies/alloc_impl.h"
#include "policies/plugged.h"

/* In front of the policy's own state. */
struct blind {
        size_t own;      /* offset of that */
        int32_t owned[]; /* [nworker] at the start */
};

static size_t own_offset(const struct lb_shape *shape)
{
        size_t bytes = sizeof(struct blind) + (size_t)shape->nworker * sizeof(int32_t);
        return (bytes + 63) / 64 * 64;
}

static void *own(void *state)
{
        return (char *)state + ((struct blind *)state)->own;
}

static size_t state_size(const struct lb_shape *shape, const double *param)
{
        return own_offset(shape) + alloc_global.state_size(shape, param);
}

static int init(void *state, const struct lb_shape *shape, const double *param,
                struct lb_error *err)
{
        struct blind *blind = state;
        blind->own = own_offset(shape);
        if (alloc_initial(shape, blind->owned, err) < 0)
                return -1;
        return alloc_global.init(own(state), shape, param, err);
}

static void observe(void *state, const struct alloc_view *view)
{
        alloc_global.observe(own(state), view);
}

static void decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        struct alloc_view blind = *view;
        blind.owned_cores = ((struct blind *)state)->owned;
        alloc_global.decide(own(state), &blind, owned_cores);
}

static double period_s(const double *param)
{
        return alloc_global.period_s(param);
}

static const struct system_type blind_system = {
        .name = "test-global",
        .help = "global",
        .alloc = "test-global",
        .lend = "lewi",
        .place = "locality",
        .offloads = true,
        .lewi = true,
        .drom = true,
};

void policies_plug(void)
{
        static struct alloc_type alloc;
        static struct lb_plugin plugin;
        alloc = (struct alloc_type){
                .name = "test-global",
                .help = "global",
                .scope = ALLOC_SCOPE_GLOBAL,
                .params = alloc_global.params,
                .state_size = state_size,
                .init = init,
                .observe = observe,
                .decide = decide,
                .release = alloc_release_nothing,
                .period_s = period_s,
        };
        plugin = (struct lb_plugin){ LB_PLUGIN_ABI, .system = &blind_system, .alloc = &alloc };
        plugged_add(&(struct plugged){ .plugin = &plugin });
}
