/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All at once, for comparison with the paper's one pair at a time: work of a process is its
 * computation time x its processors, and processors are divided in proportion to it, as
 * dpb_by_work() does. Keeps what it has unless the slowest process would gain more than
 * proportional_min_gain. Known value: compute 3 and 1 s on 8 and 8 of 16 -> 12 and 4.
 */
#include <string.h>

#include "policies/dpb_impl.h"

enum { MIN_GAIN, NPARAM };

const struct lb_param dpb_proportional_params[] = {
        [MIN_GAIN] = { .name = "proportional_min_gain",
                       .type = LB_PARAM_NUMBER,
                       .fallback = 0.02,
                       .min = 0,
                       .max = 0.99,
                       .help = "processors proportional: moves where the slowest process's "
                               "computation gets shorter by more than this share" },
        [NPARAM] = { .name = NULL },
};

struct proportional_state {
        int32_t nprocess;
        double min_gain;
        double work[]; /* [nprocess] scratch */
};

static size_t proportional_size(int32_t nprocess, const double *param)
{
        (void)param;
        return sizeof(struct proportional_state) + (size_t)nprocess * sizeof(double);
}

static int proportional_init(void *state, int32_t nprocess, const double *param,
                             struct lb_error *err)
{
        (void)err;
        struct proportional_state *s = state;
        s->nprocess = nprocess;
        s->min_gain = param[MIN_GAIN];
        return 0;
}

static double slowest(const struct proportional_state *s, const int32_t *cpus)
{
        double most = 0;
        for (int32_t p = 0; p < s->nprocess; p++)
                if (s->work[p] / cpus[p] > most)
                        most = s->work[p] / cpus[p];
        return most;
}

static enum dpb_action proportional_decide(void *state, const struct dpb_view *view, int32_t *cpus)
{
        struct proportional_state *s = state;
        int32_t ncpu = 0;
        struct lb_error err;
        for (int32_t p = 0; p < s->nprocess; p++) {
                s->work[p] = view->compute_s[p] * view->cpus[p];
                ncpu += view->cpus[p];
        }
        if (dpb_by_work(ncpu, s->nprocess, s->work, cpus, &err) == 0 &&
            slowest(s, cpus) < slowest(s, view->cpus) * (1 - s->min_gain))
                return DPB_MOVE;
        memcpy(cpus, view->cpus, (size_t)s->nprocess * sizeof(*cpus));
        return DPB_KEEP;
}

const struct dpb_type dpb_proportional = {
        .name = "proportional",
        .help = "processors in proportion to measured work, all processes at once",
        .params = dpb_proportional_params,
        .state_size = proportional_size,
        .init = proportional_init,
        .decide = proportional_decide,
};
