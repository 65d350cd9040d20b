/* SPDX-License-Identifier: BSD-3-Clause */
/* `none`: every process keeps the CPU where it is at home; what the others are compared with. */
#include "policies/pack_impl.h"

const struct lb_param pack_none_params[] = {
        PACK_SHARED_PARAMS,
        [PACK_NSHARED] = { .name = NULL },
};

static size_t state_size(int32_t nprocess, const double *param)
{
        (void)nprocess;
        (void)param;
        return sizeof(int32_t);
}

static int init(void *state, int32_t nprocess, const double *param, struct lb_error *err)
{
        (void)param;
        (void)err;
        *(int32_t *)state = nprocess;
        return 0;
}

static int32_t decide(void *state, const struct pack_view *view, int32_t *cpu)
{
        (void)view;
        int32_t nprocess = *(int32_t *)state;
        for (int32_t i = 0; i < nprocess; i++)
                cpu[i] = i;
        return nprocess;
}

const struct pack_type pack_none = {
        .name = "none",
        .help = "every process keeps a CPU to itself (for comparison)",
        .params = pack_none_params,
        .state_size = state_size,
        .init = init,
        .decide = decide,
        .tolerance = pack_shared_tolerance,
        .align = pack_shared_align,
};
