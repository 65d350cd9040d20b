/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of growth policies, decided again. */
#include <stdlib.h>
#include <string.h>

#include "graphs/graph.h"
#include "policies/called.h"
#include "policies/replay_impl.h"
#include "policies/state.h"

enum { CORES_MAX = 1 << 16, ROOM_MAX = 4 * GRAPH_APPRANK_MAX };
static const double busy_max = CORES_MAX;

static void forget_view(struct replay_grow *g)
{
        graph_destroy(g->graph);
        free(g->busy_cores);
        free(g->flag);
        free(g->edge);
        free(g->first);
        free(g->node);
        g->graph = NULL;
        g->busy_cores = NULL;
        g->flag = NULL;
        g->edge = NULL;
        g->first = g->node = NULL;
}

void replay_grow_finish(struct replay_grow *g)
{
        forget_view(g);
        free(g->place);
        free(g->param);
        free(g->state);
}

/* Zeroed, at least one; NULL where the line is broken, by this or before. */
static void *take(struct replay_line *line, int64_t count, size_t size)
{
        void *memory = line->broken ? NULL : calloc((size_t)count + 1, size);
        if (!memory && !line->broken)
                replay_out_of_memory(line);
        return memory;
}

/* ---- The policy ---- */

static void read_shape(struct replay_line *line, struct replay_grow *g)
{
        struct grow_shape *s = &g->shape;
        s->nnode = replay_read_count(line);
        s->napprank = replay_read_count(line);
        s->poll_s = replay_number(line, 0.001, 3600);
        g->place = take(line, (int64_t)s->nnode + s->napprank, sizeof(*g->place));
        if (!g->place)
                return;
        s->cores = replay_ints(line, g->place, s->nnode, CORES_MAX);
        s->home = replay_ints(line, g->place + s->nnode, s->napprank, s->nnode - 1);
        for (int32_t n = 0; n < s->nnode && !line->broken; n++)
                if (s->cores[n] < 1)
                        replay_complain(line, "a node has no cores");
}

static void make(struct replay_line *line, struct replay_grow *g)
{
        struct lb_error err;
        g->state = state_make_grow(g->type, &g->shape, g->param, &err);
        if (!g->state)
                replay_complain(line, err.text);
}

void replay_begin_grow(struct replay *replay, struct replay_line *line,
                       struct replay_worker *worker)
{
        struct replay_grow *g = &worker->grow;
        const char *name = replay_word(line);
        if (g->type)
                replay_complain(line, "the policy is made a second time");
        const struct grow_type *type = grow_find(name);
        if (!type)
                replay_unknown_policy(line, "growth", name);
        if (line->broken)
                return;
        g->type = type;
        read_shape(line, g);
        if (line->broken)
                return;
        g->param = replay_read_params(line, type->params);
        replay_end(line);
        if (!line->broken)
                make(line, g);
        replay_count(replay, REPLAY_GROW, type->name)->states++;
}

/* ---- Views ---- */

static void read_edges(struct replay_line *line, const struct replay_grow *g,
                       struct grow_edge *edge, int32_t count)
{
        for (int32_t i = 0; i < count && !line->broken; i++) {
                edge[i].apprank = (int32_t)replay_int(line, 0, g->shape.napprank - 1);
                edge[i].node = (int32_t)replay_int(line, 0, g->shape.nnode - 1);
        }
}

/* Workers as an apprank-node graph, whose numbers are theirs. */
static void make_graph(struct replay_line *line, struct replay_grow *g, int32_t nworker)
{
        struct lb_error err;
        int32_t napprank = g->shape.napprank;
        for (int32_t a = 0; a < napprank && !line->broken; a++)
                if (g->first[a] >= g->first[a + 1])
                        replay_complain(line, "an apprank has no worker");
        if (!line->broken && (g->first[0] != 0 || g->first[napprank] != nworker))
                replay_complain(line, "its workers and appranks do not fit together");
        if (line->broken)
                return;
        g->graph = graph_from_edges(napprank, g->shape.nnode, g->first, g->node, &err);
        if (!g->graph)
                replay_complain(line, err.text);
        else if (memcmp(g->graph->edge_node, g->node, (size_t)nworker * sizeof(int32_t)) != 0)
                replay_complain(line, "an apprank's workers are not in the order of their nodes");
}

static void read_workers(struct replay_line *line, struct replay_grow *g, int32_t nworker)
{
        int32_t napprank = g->shape.napprank;
        g->first = take(line, (int64_t)napprank + 1, sizeof(*g->first));
        g->node = take(line, nworker, sizeof(*g->node));
        g->busy_cores = take(line, nworker, sizeof(*g->busy_cores));
        g->flag = take(line, 2 * (int64_t)nworker, sizeof(*g->flag));
        if (line->broken)
                return;
        replay_ints(line, g->first, napprank + 1, nworker);
        replay_ints(line, g->node, nworker, g->shape.nnode - 1);
        for (int32_t w = 0; w < nworker && !line->broken; w++)
                g->busy_cores[w] = replay_number(line, 0, busy_max);
        replay_read_switches(line, g->flag + nworker, nworker);
        make_graph(line, g, nworker);
        for (int32_t a = 0; a < napprank && !line->broken; a++)
                g->flag[g->first[a]] = true;
}

static struct grow_view read_view(struct replay_line *line, struct replay_grow *g)
{
        struct grow_view view = { .shape = &g->view };
        if (!g->state)
                replay_complain(line, "the policy has not been made before");
        view.time_ns = replay_int(line, 0, INT64_MAX);
        view.interval_ns = replay_int(line, 0, INT64_MAX);
        int32_t nworker = replay_read_count(line);
        if (!line->broken)
                read_workers(line, g, nworker);
        view.nstarting = (int32_t)replay_int(line, 0, line->length / 2);
        g->edge = take(line, view.nstarting, sizeof(*g->edge));
        if (line->broken)
                return view;
        read_edges(line, g, g->edge, view.nstarting);
        g->view = (struct lb_shape){ .nnode = g->shape.nnode,
                                     .napprank = g->shape.napprank,
                                     .nworker = nworker,
                                     .cores = g->shape.cores,
                                     .apprank_first = g->graph->apprank_first,
                                     .worker_node = g->graph->edge_node,
                                     .worker_apprank = g->graph->edge_apprank,
                                     .worker_home = g->flag,
                                     .node_first = g->graph->node_first,
                                     .node_worker = g->graph->node_edge,
                                     .poll_s = g->shape.poll_s };
        view.busy_cores = g->busy_cores;
        view.retiring = g->flag + nworker;
        view.starting = g->edge;
        return view;
}

void replay_watching(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_grow *g = &worker->grow;
        struct grow_view view = read_view(line, g);
        replay_end(line);
        if (!line->broken) {
                called_begin(g->type->name, "observe");
                g->type->observe(g->state, &view);
                called_end();
                replay_count(replay, REPLAY_GROW, g->type->name)->observations++;
        }
        forget_view(g);
}

/* ---- Decisions ---- */

/* A decision as numbers: how many come, which, how many go, which. Returns how many numbers. */
static int32_t flatten(int64_t *number, const struct grow_decision *d)
{
        int32_t count = 0;
        number[count++] = d->nadd;
        for (int32_t i = 0; i < d->nadd; i++) {
                number[count++] = d->add[i].apprank;
                number[count++] = d->add[i].node;
        }
        number[count++] = d->nretire;
        for (int32_t i = 0; i < d->nretire; i++) {
                number[count++] = d->retire[i].apprank;
                number[count++] = d->retire[i].node;
        }
        return count;
}

static void read_decision(struct replay_line *line, const struct replay_grow *g,
                          struct grow_decision *d)
{
        replay_equals(line);
        d->nadd = (int32_t)replay_int(line, 0, d->room);
        read_edges(line, g, d->add, d->nadd);
        d->nretire = (int32_t)replay_int(line, 0, d->room);
        read_edges(line, g, d->retire, d->nretire);
        replay_end(line);
}

static void compare(struct replay *replay, struct replay_line *line, const struct replay_grow *g,
                    int64_t time_ns, const struct grow_decision *now,
                    const struct grow_decision *then)
{
        int32_t most = 2 + 4 * now->room;
        int64_t *number = take(line, 2 * (int64_t)most, sizeof(*number));
        if (!number)
                return;
        int32_t count = flatten(number, now), before = flatten(number + most, then);
        struct replay_answer answer = { .time_ns = time_ns,
                                        .what = "helpers to come and to go, number",
                                        .count = count > before ? count : before,
                                        .now = number,
                                        .then = number + most };
        replay_compare(replay, line, replay_count(replay, REPLAY_GROW, g->type->name), &answer);
        free(number);
}

void replay_growing(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_grow *g = &worker->grow;
        struct grow_view view = read_view(line, g);
        int32_t room = (int32_t)replay_int(line, 0, ROOM_MAX);
        struct grow_edge *edge = take(line, 4 * (int64_t)room, sizeof(*edge));
        if (edge) {
                struct grow_decision then = { .room = room, .add = edge, .retire = edge + room };
                struct grow_decision now = then;
                now.add = edge + 2 * (int64_t)room;
                now.retire = now.add + room;
                read_decision(line, g, &then);
                if (!line->broken) {
                        called_begin(g->type->name, "decide");
                        g->type->decide(g->state, &view, &now);
                        called_end();
                        compare(replay, line, g, view.time_ns, &now, &then);
                }
        }
        free(edge);
        forget_view(g);
}
