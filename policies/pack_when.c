/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/pack_when.h"

#include <math.h>
#include <stdbool.h>

static const char *const adapts[] = { "once", "expand", "in_place", NULL };

const struct lb_param pack_when_params[] = {
        [PACK_WHEN_AFTER] = { .name = "pack_after",
                              .unit = "iterations",
                              .type = LB_PARAM_INTEGER,
                              .fallback = 3,
                              .min = 3,
                              .max = 1e6,
                              .help = "iterations before the first packing: the first is "
                                      "discarded, the next ones compared; 3 is listing 2, about "
                                      "10 the paper's experiments" },
        [PACK_WHEN_CONFIDENCE] = { .name = "pack_confidence",
                                   .unit = "",
                                   .type = LB_PARAM_NUMBER,
                                   .fallback = 0.05,
                                   .min = 0,
                                   .max = 1,
                                   .help = "times have settled where all processes' last two "
                                           "differ by at most this share (the paper's \"less "
                                           "than 5%\")" },
        [PACK_WHEN_ADAPT] = { .name = "pack_adapt",
                              .unit = "",
                              .type = LB_PARAM_CHOICE,
                              .fallback = PACK_ADAPT_ONCE,
                              .choices = adapts,
                              .help = "when a packing no longer fits: keep it (the paper), give "
                                      "every process its CPU back and pack again, or pack again "
                                      "by the processor time measured where processes are" },
        [PACK_WHEN_PATIENCE] = { .name = "pack_patience",
                                 .unit = "iterations",
                                 .type = LB_PARAM_INTEGER,
                                 .fallback = 2,
                                 .min = 1,
                                 .max = 1e6,
                                 .help = "iterations in a row that do not fit before a packing is "
                                         "given up" },
        [PACK_WHEN_NPARAM] = { .name = NULL },
};

struct when_state {
        int32_t nprocess, after, patience;
        enum pack_adapt adapt;
        double confidence, tolerance;
        int32_t measured; /* iterations since measuring began */
        int32_t misfits;  /* in a row */
        bool packed;
        double bound_s;
        double before_s[]; /* [nprocess] the last iteration's times */
};

size_t pack_when_size(int32_t nprocess)
{
        return sizeof(struct when_state) + (size_t)nprocess * sizeof(double);
}

void pack_when_init(void *state, int32_t nprocess, const double *param, double tolerance)
{
        *(struct when_state *)state = (struct when_state){
                .nprocess = nprocess,
                .after = (int32_t)param[PACK_WHEN_AFTER],
                .patience = (int32_t)param[PACK_WHEN_PATIENCE],
                .adapt = (enum pack_adapt)(int)param[PACK_WHEN_ADAPT],
                .confidence = param[PACK_WHEN_CONFIDENCE],
                .tolerance = tolerance,
        };
}

/* Compare with the last iteration, and remember this one. */
static bool settled(struct when_state *s, const double *time_s)
{
        bool all = true;
        for (int32_t i = 0; i < s->nprocess; i++) {
                if (fabs(time_s[i] - s->before_s[i]) > s->confidence * s->before_s[i])
                        all = false;
                s->before_s[i] = time_s[i];
        }
        return all;
}

static enum pack_step measure(struct when_state *s, const struct pack_when_view *view)
{
        bool same = settled(s, view->time_s);
        if (++s->measured < s->after || !same || !(view->slowest_s > 0))
                return PACK_STEP_NONE;
        s->packed = true;
        s->misfits = 0;
        s->bound_s = 0;
        for (int32_t i = 0; i < s->nprocess; i++)
                s->bound_s = fmax(s->bound_s, view->time_s[i]);
        return PACK_STEP_PACK;
}

static bool fits(const struct when_state *s, double slowest_s)
{
        return slowest_s <= s->bound_s * (1 + s->tolerance) * (1 + s->confidence) &&
               slowest_s >= s->bound_s * (1 - s->confidence);
}

enum pack_step pack_when_step(void *state, const struct pack_when_view *view)
{
        struct when_state *s = state;
        if (!s->packed)
                return measure(s, view);
        if (s->adapt == PACK_ADAPT_ONCE)
                return PACK_STEP_NONE;
        s->misfits = fits(s, view->slowest_s) ? 0 : s->misfits + 1;
        if (s->misfits < s->patience)
                return PACK_STEP_NONE;
        s->packed = false;
        s->measured = 0;
        return s->adapt == PACK_ADAPT_EXPAND ? PACK_STEP_EXPAND : PACK_STEP_NONE;
}
