/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ICPP'22 5.4.2, equation 1, over integers. Departures from the paper: the
 * optimum itself in place of a rounded linear program; home cores preferred as a second criterion
 * in place of a 1e-6 incentive; a third criterion that keeps cores where they are. Cores of a node
 * where no apprank is at home stay unowned unless they are needed.
 *
 * Known value: loads of 90, 10, 10 and 10 on 4 nodes of 48 cores, every apprank with a worker on
 * every node: 144, 16, 16 and 16 cores, objective 0.625, and 108 cores off home.
 */
#include "policies/solve.h"

#include <math.h>
#include <string.h>

#include "policies/alloc.h"
#include "policies/solve_impl.h"

static void lay_out(struct solve *s, const struct lb_shape *shape, struct arena *arena)
{
        size_t napprank = (size_t)shape->napprank, nnode = (size_t)shape->nnode;
        size_t nworker = (size_t)shape->nworker;
        s->load = arena_take(arena, napprank, sizeof(*s->load));
        s->least = arena_take(arena, napprank, sizeof(*s->least));
        s->need = arena_take(arena, napprank, sizeof(*s->need));
        s->have = arena_take(arena, napprank, sizeof(*s->have));
        s->set = arena_take(arena, napprank, sizeof(*s->set));
        s->heap = arena_take(arena, napprank, sizeof(*s->heap));
        s->spare = arena_take(arena, nnode, sizeof(*s->spare));
        s->homed = arena_take(arena, nnode, sizeof(*s->homed));
        s->apprank_in_cut = arena_take(arena, napprank, sizeof(*s->apprank_in_cut));
        s->node_in_cut = arena_take(arena, nnode, sizeof(*s->node_in_cut));
        s->settled = arena_take(arena, napprank, sizeof(*s->settled));
        s->tied = arena_take(arena, napprank, sizeof(*s->tied));
        s->kept = arena_take(arena, nworker, sizeof(*s->kept));
        s->extra = arena_take(arena, nworker, sizeof(*s->extra));
        s->edge = arena_take(arena, nworker, sizeof(*s->edge));
        s->price = arena_take(arena, napprank + nnode + 1, sizeof(*s->price));
        flow_lay_out(&s->flow, arena, shape->napprank + shape->nnode + 1,
                     2 * shape->nworker + shape->napprank + shape->nnode);
}

size_t solve_workspace_size(const struct lb_shape *shape)
{
        struct arena arena = { 0 };
        struct solve s;
        lay_out(&s, shape, &arena);
        return arena.used + ARENA_ALIGNMENT; /* so that any alignment will do */
}

int solve_check(const struct lb_shape *shape, struct lb_error *err)
{
        for (int32_t a = 0; a < shape->napprank; a++)
                if (shape->apprank_first[a] == shape->apprank_first[a + 1])
                        return lb_error_set(err, "apprank %d has no worker", a);
        for (int32_t n = 0; n < shape->nnode; n++) {
                int32_t least = alloc_least(shape, n);
                if (shape->cores[n] < least)
                        return lb_error_set(err,
                                            "node %d has %d cores for %d workers, each needs one",
                                            n, shape->cores[n], least);
        }
        return 0;
}

int solve_check_loads(const struct lb_shape *shape, const double *load, struct lb_error *err)
{
        for (int32_t a = 0; a < shape->napprank; a++)
                if (!(load[a] >= 0 && isfinite(load[a])))
                        return lb_error_set(
                            err, "load of apprank %d is %g, must be finite and >= 0", a, load[a]);
        return 0;
}

/* What does not depend on the loads. */
static void prepare(struct solve *s)
{
        const struct lb_shape *shape = s->shape;
        for (int32_t n = 0; n < shape->nnode; n++) {
                int32_t nworker = shape->node_first[n + 1] - shape->node_first[n];
                s->spare[n] = nworker > 0 ? shape->cores[n] - alloc_least(shape, n) : 0;
                s->homed[n] = s->node_in_cut[n] = false;
        }
        for (int32_t w = 0; w < shape->nworker; w++)
                s->homed[shape->worker_node[w]] |= shape->worker_home[w];
        for (int32_t a = 0; a < shape->napprank; a++) {
                s->least[a] = 0;
                for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1]; w++)
                        s->least[a] += lb_shape_least(shape, w);
                s->need[a] = s->least[a];
                s->apprank_in_cut[a] = s->settled[a] = false;
        }
}

/* Lay the arrays out in a workspace of any alignment. */
static void settle_in(struct solve *s, const struct lb_shape *shape, void *workspace)
{
        size_t beyond = (uintptr_t)workspace & (ARENA_ALIGNMENT - 1);
        struct arena arena = { .base =
                                   (char *)workspace + (beyond ? ARENA_ALIGNMENT - beyond : 0) };
        *s = (struct solve){ .shape = shape };
        lay_out(s, shape, &arena);
}

/* How many cores every apprank needs. */
static void find_needs(struct solve *s, bool lexicographic)
{
        if (ratio_scale(s) <= 0)
                return;
        if (s->instance->owned_cores)
                home_take_present(s);
        else
                home_fill(s);
        level_find(s);
        level_cut(s);
        if (lexicographic)
                next_find(s);
}

static int solve(const struct solve_instance *instance, bool lexicographic, void *workspace,
                 int32_t *owned_cores, struct solve_result *result, struct lb_error *err)
{
        const struct lb_shape *shape = instance->shape;
        if (solve_check(shape, err) || solve_check_loads(shape, instance->load, err))
                return -1;

        struct solve s;
        settle_in(&s, shape, workspace);
        s.instance = instance;
        prepare(&s);
        find_needs(&s, lexicographic);
        home_settle(&s);
        if (instance->owned_cores)
                share_least_moved(&s);
        else
                share_by_load(&s);

        for (int32_t w = 0; w < shape->nworker; w++)
                s.extra[w] += lb_shape_least(shape, w);
        if (result) {
                solve_evaluate(instance, s.extra, result);
                result->cut_appranks = s.cut_appranks;
                result->cut_nodes = s.cut_nodes;
        }
        memcpy(owned_cores, s.extra, (size_t)shape->nworker * sizeof(*owned_cores));
        return 0;
}

int solve_exact(const struct solve_instance *instance, void *workspace, int32_t *owned_cores,
                struct solve_result *result, struct lb_error *err)
{
        return solve(instance, false, workspace, owned_cores, result, err);
}

int solve_lexicographic(const struct solve_instance *instance, void *workspace,
                        int32_t *owned_cores, struct solve_result *result, struct lb_error *err)
{
        return solve(instance, true, workspace, owned_cores, result, err);
}

void solve_cut(const struct lb_shape *shape, const void *workspace, bool *apprank_in_cut,
               bool *node_in_cut)
{
        struct solve s;
        settle_in(&s, shape, (void *)(uintptr_t)workspace);
        memcpy(apprank_in_cut, s.apprank_in_cut, (size_t)shape->napprank * sizeof(bool));
        memcpy(node_in_cut, s.node_in_cut, (size_t)shape->nnode * sizeof(bool));
}

void solve_evaluate(const struct solve_instance *instance, const int32_t *owned_cores,
                    struct solve_result *result)
{
        const struct lb_shape *shape = instance->shape;
        *result = (struct solve_result){ 0 };
        for (int32_t a = 0; a < shape->napprank; a++) {
                int64_t cores = 0;
                for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1]; w++)
                        cores += owned_cores[w];
                if (instance->load[a] > 0)
                        result->objective =
                            fmax(result->objective, instance->load[a] / (double)cores);
        }
        for (int32_t w = 0; w < shape->nworker; w++) {
                if (!shape->worker_home[w])
                        result->offloaded_cores += owned_cores[w];
                if (instance->owned_cores && owned_cores[w] > instance->owned_cores[w])
                        result->moved_cores += owned_cores[w] - instance->owned_cores[w];
        }
}
