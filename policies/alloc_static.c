/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `static`: the initial ownership of ICPP'22 5.4, for ever. Known value: 48
 * cores, two appranks per node, degree 3: 22 + 22 + 4 x 1.
 */
#include <string.h>

#include "policies/alloc_impl.h"

static const struct lb_param params[] = { { .name = NULL } };

struct static_state {
        int32_t nworker;
        int32_t owned_cores[]; /* [nworker] */
};

void alloc_release_nothing(void *state)
{
        (void)state;
}

static size_t static_size(const struct lb_shape *shape, const double *param)
{
        (void)param;
        return sizeof(struct static_state) + (size_t)shape->nworker * sizeof(int32_t);
}

static int static_init(void *state, const struct lb_shape *shape, const double *param,
                       struct lb_error *err)
{
        (void)param;
        struct static_state *s = state;
        s->nworker = shape->nworker;
        return alloc_initial(shape, s->owned_cores, err);
}

static void static_observe(void *state, const struct alloc_view *view)
{
        (void)state;
        (void)view;
}

static void static_decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        (void)view;
        const struct static_state *s = state;
        memcpy(owned_cores, s->owned_cores, (size_t)s->nworker * sizeof(int32_t));
}

const struct alloc_type alloc_static = {
        .name = "static",
        .help = "the initial ownership: one core per helper, the rest to the node's appranks",
        .scope = ALLOC_SCOPE_NODE,
        .params = params,
        .state_size = static_size,
        .init = static_init,
        .observe = static_observe,
        .decide = static_decide,
        .release = alloc_release_nothing,
};
