/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `global-lp`: `global` with the paper's linear program and rounding
 * (ICPP'22 5.4.2) in place of the integer optimum; everything but the solve is
 * shared with alloc_global.c.
 *
 * Every solve starts cold, so that a decision depends on the view alone. The programs live outside
 * the state: a copy of the state shares them, and only one of both is released.
 */
#include <string.h>

#include "policies/alloc_global.h"
#include "policies/lp.h"

/* The programs lie behind the shared state: struct solve_lp * [ngroup]. */
static struct solve_lp **programs(struct global_state *s)
{
        return global_at(s, s->end);
}

static size_t lp_size(const struct lb_shape *shape, const double *param)
{
        size_t most = (size_t)shape->nnode; /* groups */
        return global_state_size(shape, param) + most * sizeof(struct solve_lp *);
}

static void lp_release(void *state)
{
        struct global_state *s = state;
        for (int32_t i = 0; i < s->ngroup; i++) {
                solve_lp_destroy(programs(s)[i]);
                programs(s)[i] = NULL;
        }
}

static int lp_init(void *state, const struct lb_shape *shape, const double *param,
                   struct lb_error *err)
{
        struct global_state *s = state;
        if (global_state_init(s, shape, param, err))
                return -1;
        for (int32_t i = 0; i < s->ngroup; i++)
                programs(s)[i] = NULL;
        for (int32_t i = 0; i < s->ngroup; i++) {
                struct lb_shape group = global_group_shape(s, i);
                programs(s)[i] = solve_lp_create(&group, err);
                if (!programs(s)[i]) {
                        lp_release(s);
                        return -1;
                }
        }
        return 0;
}

static int lp_solve(struct global_state *s, int32_t group, const struct solve_instance *instance,
                    int32_t *owned_cores)
{
        struct solve_lp *lp = programs(s)[group];
        struct lb_error ignored;
        double objective;
        solve_lp_forget(lp);
        return solve_lp_run(lp, instance->load, NULL, owned_cores, &objective, &ignored);
}

static void lp_decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        global_decide(state, view, lp_solve, owned_cores);
}

/* The paper's 57 ms at 32 nodes, growing quadratically (5.4.2). */
static double lp_cost_s(int32_t nnode, const double *param)
{
        (void)param;
        double size = nnode / 32.0;
        return 57e-3 * size * size;
}

const struct alloc_type alloc_global_lp = {
        .name = "global-lp",
        .help = "global by the paper's linear program and rounding",
        .scope = ALLOC_SCOPE_GLOBAL,
        .params = alloc_global_params,
        .state_size = lp_size,
        .init = lp_init,
        .observe = global_observe,
        .decide = lp_decide,
        .release = lp_release,
        .carry = global_carry,
        .period_s = global_period_s,
        .period_iterations = global_period_iterations,
        .group_nodes = global_group_nodes,
        .cost_s = lp_cost_s,
};

const struct alloc_type *lp_alloc_find(const char *name)
{
        return strcmp(name, alloc_global_lp.name) == 0 ? &alloc_global_lp : alloc_find(name);
}
