/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes keep what they began with: the reference of the paper's speedups. */
#include <string.h>

#include "policies/dpb_impl.h"

const struct lb_param dpb_fixed_params[] = { { .name = NULL } };

struct fixed_state {
        int32_t nprocess;
};

static size_t fixed_size(int32_t nprocess, const double *param)
{
        (void)nprocess;
        (void)param;
        return sizeof(struct fixed_state);
}

static int fixed_init(void *state, int32_t nprocess, const double *param, struct lb_error *err)
{
        (void)param;
        (void)err;
        struct fixed_state *s = state;
        s->nprocess = nprocess;
        return 0;
}

static enum dpb_action fixed_decide(void *state, const struct dpb_view *view, int32_t *cpus)
{
        const struct fixed_state *s = state;
        memcpy(cpus, view->cpus, (size_t)s->nprocess * sizeof(*cpus));
        return DPB_KEEP;
}

const struct dpb_type dpb_fixed = {
        .name = "fixed",
        .help = "processes keep the processors that they began with",
        .params = dpb_fixed_params,
        .state_size = fixed_size,
        .init = fixed_init,
        .decide = fixed_decide,
};
