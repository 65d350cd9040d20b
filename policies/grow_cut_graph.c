/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/grow_cut.h"

#include <math.h>
#include <string.h>

#include "policies/solve.h"
#include "policies/solve_arena.h"

static void lay_out_graph(struct cut *c, struct arena *arena)
{
        size_t napprank = (size_t)c->state->shape.napprank, nedge = (size_t)c->state->nedge;
        c->count = arena_take(arena, napprank, sizeof(int32_t));
        c->node = arena_take(arena, nedge, sizeof(int32_t));
        c->there = arena_take(arena, nedge, sizeof(bool));
        c->since = arena_take(arena, nedge, sizeof(int64_t));
        c->lesser = arena_take(arena, nedge, sizeof(bool));
        c->workers = arena_take(arena, (size_t)c->state->shape.nnode, sizeof(int32_t));
        c->count_before = arena_take(arena, napprank, sizeof(int32_t));
        c->node_before = arena_take(arena, nedge, sizeof(int32_t));
        c->there_before = arena_take(arena, nedge, sizeof(bool));
        c->since_before = arena_take(arena, nedge, sizeof(int64_t));
        c->lesser_before = arena_take(arena, nedge, sizeof(bool));
}

static void lay_out_shape(struct cut *c, struct arena *arena)
{
        const struct grow_shape *shape = &c->state->shape;
        size_t napprank = (size_t)shape->napprank, nnode = (size_t)shape->nnode;
        size_t nedge = (size_t)c->state->nedge;
        c->apprank_first = arena_take(arena, napprank + 1, sizeof(int32_t));
        c->worker_node = arena_take(arena, nedge, sizeof(int32_t));
        c->worker_apprank = arena_take(arena, nedge, sizeof(int32_t));
        c->worker_home = arena_take(arena, nedge, sizeof(bool));
        c->node_first = arena_take(arena, nnode + 1, sizeof(int32_t));
        c->node_worker = arena_take(arena, nedge, sizeof(int32_t));
        c->units = arena_take(arena, nnode, sizeof(int32_t));
        c->owned = arena_take(arena, nedge, sizeof(int32_t));
        c->missing = arena_take(arena, napprank, sizeof(double));
        c->surplus = arena_take(arena, nnode, sizeof(double));
        c->apprank_in_cut = arena_take(arena, napprank, sizeof(bool));
        c->node_in_cut = arena_take(arena, nnode, sizeof(bool));
        struct lb_shape largest = { .nnode = shape->nnode,
                                    .napprank = shape->napprank,
                                    .nworker = c->state->nedge };
        c->workspace = arena_take(arena, solve_workspace_size(&largest), 1);
}

size_t cut_lay_out(struct cut *c, struct cut_state *state, void *block)
{
        struct arena arena = { .base = block };
        *c = (struct cut){ .state = state };
        arena_take(&arena, 1, sizeof(*state));
        c->average = arena_take(
            &arena,
            average_size(state->shape.napprank, state->kind, state->average_s, state->shape.poll_s),
            1);
        c->busy = arena_take(&arena, (size_t)state->shape.napprank, sizeof(double));
        c->load = arena_take(&arena, (size_t)state->shape.napprank, sizeof(double));
        lay_out_graph(c, &arena);
        lay_out_shape(c, &arena);
        return arena.used;
}

/* Its slot in the graph as it was, or NEVER. */
static int32_t slot_before(const struct cut *c, struct grow_edge edge)
{
        int32_t first = edge.apprank * c->state->degree;
        for (int32_t i = first; i < first + c->count_before[edge.apprank]; i++)
                if (c->node_before[i] == edge.node)
                        return i;
        return NEVER;
}

void cut_put(struct cut *c, struct grow_edge edge, bool there)
{
        int32_t slot = edge.apprank * c->state->degree + c->count[edge.apprank]++;
        c->node[slot] = edge.node;
        c->there[slot] = there;
        int32_t before = slot_before(c, edge);
        c->since[slot] = there && before != NEVER ? c->since_before[before] : NEVER;
        c->lesser[slot] =
            before != NEVER ? c->lesser_before[before] : c->state->gain < c->state->least_gain;
}

void cut_drop(struct cut *c, int32_t apprank, int32_t slot)
{
        int32_t last = apprank * c->state->degree + --c->count[apprank];
        c->node[slot] = c->node[last];
        c->there[slot] = c->there[last];
        c->since[slot] = c->since[last];
        c->lesser[slot] = c->lesser[last];
}

void cut_put_aside(struct cut *c)
{
        size_t napprank = (size_t)c->state->shape.napprank, nedge = (size_t)c->state->nedge;
        memcpy(c->count_before, c->count, napprank * sizeof(int32_t));
        memcpy(c->node_before, c->node, nedge * sizeof(int32_t));
        memcpy(c->there_before, c->there, nedge * sizeof(bool));
        memcpy(c->since_before, c->since, nedge * sizeof(int64_t));
        memcpy(c->lesser_before, c->lesser, nedge * sizeof(bool));
}

void cut_put_back(struct cut *c)
{
        size_t napprank = (size_t)c->state->shape.napprank, nedge = (size_t)c->state->nedge;
        memcpy(c->count, c->count_before, napprank * sizeof(int32_t));
        memcpy(c->node, c->node_before, nedge * sizeof(int32_t));
        memcpy(c->there, c->there_before, nedge * sizeof(bool));
        memcpy(c->since, c->since_before, nedge * sizeof(int64_t));
        memcpy(c->lesser, c->lesser_before, nedge * sizeof(bool));
}

void cut_build(struct cut *c, const struct grow_view *view)
{
        const struct lb_shape *now = view->shape;
        cut_put_aside(c);
        memset(c->count, 0, (size_t)c->state->shape.napprank * sizeof(int32_t));
        memset(c->workers, 0, (size_t)c->state->shape.nnode * sizeof(int32_t));
        for (int32_t w = 0; w < now->nworker; w++) {
                struct grow_edge edge = { now->worker_apprank[w], now->worker_node[w] };
                c->workers[edge.node]++;
                if (!view->retiring[w] && c->count[edge.apprank] < c->state->degree)
                        cut_put(c, edge, true);
        }
        for (int32_t i = 0; i < view->nstarting; i++) {
                c->workers[view->starting[i].node]++;
                cut_put(c, view->starting[i], false);
        }
}

static void shape_nodes(struct cut *c, int32_t nworker)
{
        int32_t nnode = c->state->shape.nnode;
        memset(c->node_first, 0, ((size_t)nnode + 1) * sizeof(int32_t));
        for (int32_t w = 0; w < nworker; w++)
                c->node_first[c->worker_node[w] + 1]++;
        for (int32_t n = 0; n < nnode; n++)
                c->node_first[n + 1] += c->node_first[n];
        for (int32_t w = 0; w < nworker; w++) /* advances each node's start ... */
                c->node_worker[c->node_first[c->worker_node[w]]++] = w;
        memmove(c->node_first + 1, c->node_first, (size_t)nnode * sizeof(int32_t)); /* and back */
        c->node_first[0] = 0;
}

static void shape(struct cut *c)
{
        const struct grow_shape *fixed = &c->state->shape;
        int32_t nworker = 0;
        for (int32_t a = 0; a < fixed->napprank; a++) {
                c->apprank_first[a] = nworker;
                for (int32_t k = 0; k < c->count[a]; k++, nworker++) {
                        c->worker_node[nworker] = c->node[a * c->state->degree + k];
                        c->worker_apprank[nworker] = a;
                        c->worker_home[nworker] = k == 0;
                }
        }
        c->apprank_first[fixed->napprank] = nworker;
        shape_nodes(c, nworker);
        c->shape = (struct lb_shape){
                .nnode = fixed->nnode,
                .napprank = fixed->napprank,
                .nworker = nworker,
                .cores = c->units,
                .apprank_first = c->apprank_first,
                .worker_node = c->worker_node,
                .worker_apprank = c->worker_apprank,
                .worker_home = c->worker_home,
                .node_first = c->node_first,
                .node_worker = c->node_worker,
                .poll_s = fixed->poll_s,
        };
}

double cut_solve(struct cut *c, int32_t divided)
{
        for (int32_t n = 0; n < c->state->shape.nnode; n++)
                c->units[n] = divided * c->state->shape.cores[n];
        shape(c);
        struct solve_instance instance = { .shape = &c->shape, .load = c->load };
        struct solve_result result;
        struct lb_error err;
        if (solve_exact(&instance, c->workspace, c->owned, &result, &err) < 0)
                return INFINITY;
        return result.objective * divided;
}
