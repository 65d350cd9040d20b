/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that moves processors: all but one to who computes longest. WRONG: one too many. DO:
 * what it does instead. */
#include <stdlib.h>

#include "policies/plugin.h"

static const struct lb_param params[] = { { .name = NULL } };

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

static enum dpb_action decide(void *state, const struct dpb_view *view, int32_t *cpus)
{
        int32_t nprocess = *(int32_t *)state, most = 0, all = 0;
        for (int32_t i = 0; i < nprocess; i++) {
                cpus[i] = 1;
                all += view->cpus[i];
                if (view->compute_s[i] * view->cpus[i] > view->compute_s[most] * view->cpus[most])
                        most = i;
        }
        cpus[most] = all - nprocess + 1;
#ifdef WRONG
        cpus[most]++;
#endif
#ifdef DO
        DO;
#endif
        return cpus[most] == view->cpus[most] ? DPB_KEEP : DPB_MOVE;
}

static const struct dpb_type greedy = {
        .name = "greedy",
        .help = "all processors but one of each to who computes longest",
        .params = params,
        .state_size = state_size,
        .init = init,
        .decide = decide,
};

static const struct system_type system_greedy = {
        .name = "greedy",
        .help = "dpb, all at once",
        .host = "dpb",
        .dpb = "greedy",
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &system_greedy,
        .dpb = &greedy,
};
