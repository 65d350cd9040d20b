/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A policy of one's own, as a shared object: `latest`, where owned cores follow the busy cores of
 * the last measurement alone, without an average. Build and try it with (INCLUDE: the root of the
 * source, or PREFIX/include/lbsim)
 *
 *         cc -O2 -shared -fPIC -I INCLUDE latest.c -o latest.so
 *         lbsim --policy ./latest.so my_sweep.json --set system.name=latest
 *         lbrun --policy ./latest.so --nodes 4 --cores 8 --degree 3 -- PROGRAM
 */
#include <string.h>

#include "policies/plugin.h"

enum { FLOOR_CORES, NPARAM };
static const struct lb_param params[] = {
        [FLOOR_CORES] = { .name = "latest_floor_cores",
                          .unit = "cores",
                          .type = LB_PARAM_NUMBER,
                          .fallback = 0.5,
                          .min = 0.001,
                          .max = 1024,
                          .help = "a worker counts as at least so busy" },
        [NPARAM] = { .name = NULL },
};

struct state {
        int32_t nworker, ncore;
        double floor_cores;
        double busy[]; /* [nworker] as last measured */
};

static size_t state_size(const struct lb_shape *shape, const double *param)
{
        (void)param;
        return sizeof(struct state) + (size_t)shape->nworker * sizeof(double);
}

static int init(void *state, const struct lb_shape *shape, const double *param,
                struct lb_error *err)
{
        (void)err;
        struct state *s = state;
        s->nworker = shape->nworker;
        s->ncore = shape->cores[0]; /* of node scope: the one node there is */
        s->floor_cores = param[FLOOR_CORES];
        return 0;
}

static void observe(void *state, const struct alloc_view *view)
{
        struct state *s = state;
        for (int32_t w = 0; w < s->nworker; w++)
                s->busy[w] =
                    view->busy_cores[w] > s->floor_cores ? view->busy_cores[w] : s->floor_cores;
}

/* The worker that has the fewest cores for what it does. */
static int32_t neediest(const struct state *s, const int32_t *owned_cores)
{
        int32_t best = 0;
        for (int32_t w = 1; w < s->nworker; w++)
                if (s->busy[w] * owned_cores[best] > s->busy[best] * owned_cores[w])
                        best = w;
        return best;
}

static void decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        (void)view;
        const struct state *s = state;
        for (int32_t w = 0; w < s->nworker; w++)
                owned_cores[w] = 1;
        for (int32_t left = s->ncore - s->nworker; left > 0; left--)
                owned_cores[neediest(s, owned_cores)]++;
}

static void release(void *state)
{
        (void)state; /* nothing beyond the state */
}

static const struct alloc_type alloc_latest = {
        .name = "latest",
        .help = "on each node, owned cores in proportion to busy cores as last measured",
        .scope = ALLOC_SCOPE_NODE,
        .params = params,
        .state_size = state_size,
        .init = init,
        .observe = observe,
        .decide = decide,
        .release = release,
};

static const struct system_type system_latest = {
        .name = "latest",
        .help = "as local, without an average",
        .alloc = "latest",
        .lend = "lewi",      /* built in */
        .place = "locality", /* built in */
        .offloads = true,
        .lewi = true,
        .drom = true,
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &system_latest,
        .alloc = &alloc_latest,
};
