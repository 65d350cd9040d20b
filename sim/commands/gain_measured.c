/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/gain_measured.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

/* ---- What is unknown widens what is predicted ---- */

double gain_unshared_s(const struct gain_advice *a)
{
        return a->parts.wall_s - (gain_is_shared(a->m) ? fmax(a->parts.rest_s, 0) : 0);
}

static bool is_worth(const struct gain_advice *a)
{
        const struct gain_parts *p = &a->parts;
        return p->between_s + p->within_s >= GAIN_WORTH * gain_unshared_s(a);
}

static void judge(struct gain_advice *a)
{
        const struct gain_parts *parts = &a->parts;
        a->worth = is_worth(a);
        a->error = parts->wall_known ? a->baseline_s / parts->wall_s - 1 : 0;
        a->predicted = fabs(a->error) <= GAIN_TRUST && !gain_is_unseen(a) && a->m->spawned == 0;
        if (a->predicted)
                return;
        if (a->m->spawned > 0) {
                snprintf(a->why_not, sizeof(a->why_not),
                         "it spawned %" PRId32 " rank%s, whose loads were not measured",
                         a->m->spawned, lb_s(a->m->spawned));
                return;
        }
        if (gain_is_unseen(a)) {
                snprintf(a->why_not, sizeof(a->why_not),
                         "%.3g s of a rank's load may be waiting, while other threads of it called "
                         "MPI",
                         parts->unseen_s);
                return;
        }
        snprintf(a->why_not, sizeof(a->why_not),
                 "without balancing it simulates to %.3g s, and %.3g s were measured: %s",
                 a->baseline_s, parts->wall_s,
                 gain_is_shared(a->m) ? "ranks shared CPUs; measure again with a CPU for each"
                 : a->m->synchronisations * parts->bound_s >
                         1.05 * (parts->bound_s + parts->between_s + parts->within_s)
                     ? "load moves between ranks faster than the windows of the measurement"
                     : "its waiting is not that for the ranks with most load (a chain of ranks, "
                       "one that hands out work, or time that was not measured)");
}

/* The model was off by so much without balancing; it is not better with it. */
void gain_widen(const struct gain_advice *a, struct gain_outcome *outcome)
{
        double floor_s = fmin(a->parts.bound_s + a->parts.transfer_s, outcome->least_s);
        outcome->least_s = fmax(floor_s, outcome->least_s * (1 - fabs(a->error)));
        outcome->most_s *= 1 + fabs(a->error);
}

static int by_time(const void *left, const void *right)
{
        const struct gain_outcome *x = left, *y = right;
        double a = x->coarse_s + x->fine_s, b = y->coarse_s + y->fine_s;
        if (x->nodes != y->nodes)
                return x->nodes - y->nodes;
        if (x->kind != y->kind)
                return x->kind < y->kind ? -1 : 1;
        if (a < b || a > b)
                return a < b ? -1 : 1;
        return x->degree - y->degree;
}

/* ---- All of it ---- */

/* 0: nodes differ; -1: out of memory. */
static int32_t ranks_per_node(const struct measured *m, struct lb_error *err)
{
        int32_t least = INT32_MAX, most = 0;
        int32_t *count = calloc((size_t)m->nnode, sizeof(*count));
        if (!count)
                return lb_error_fail(err, "out of memory for %" PRId32 " nodes", m->nnode);
        for (int32_t r = 0; r < m->nrank; r++)
                count[m->rank[r].node]++;
        for (int32_t n = 0; n < m->nnode; n++) {
                least = count[n] < least ? count[n] : least;
                most = count[n] > most ? count[n] : most;
        }
        free(count);
        return least == most ? most : 0;
}

/* --appranks-per-node says it where the measurement does not know nodes. */
static int place_ranks(struct measured *m, const struct gain_request *request, struct lb_error *err)
{
        int32_t per_node = request->appranks_per_node;
        if (per_node == 0)
                return 0;
        if (m->nrank % per_node)
                return lb_error_set(err,
                                    "--appranks-per-node %" PRId32 ": %s has %" PRId32
                                    " ranks, which is no multiple of it",
                                    per_node, request->path, m->nrank);
        for (int32_t r = 0; r < m->nrank; r++)
                m->rank[r].node = r / per_node;
        m->nnode = m->nrank / per_node;
        m->nodes_known = true;
        return 0;
}

/* Ranks node after node, as the simulator places them. */
static void in_order(const struct gain_loads *loads, int32_t *place)
{
        int32_t at = 0;
        for (int32_t n = 0; n < loads->nnode; n++)
                for (int32_t r = 0; r < loads->nrank; r++)
                        if (loads->node[r] == n)
                                place[at++] = r;
}

static int fill(struct gain_advice *a, const struct gain_request *request, struct lb_error *err)
{
        int32_t threads = a->m->cores_per_rank > 0 ? a->m->cores_per_rank : 1;
        if (request->division == GAIN_THREADS)
                threads = request->parts;
        if (gain_loads_fill(&a->loads, a->m, threads, err) < 0)
                return lb_error_prefix(err, "%s: ", request->path);
        a->per_node = ranks_per_node(a->m, err);
        if (a->per_node < 0)
                return -1;
        a->cores = request->cores ? request->cores : a->per_node * threads;
        if (a->per_node > 0 && a->cores < a->per_node * threads)
                return lb_error_set(err,
                                    "--cores %" PRId32 ": %s has %" PRId32 " rank%s of %" PRId32
                                    " thread%s on a node",
                                    request->cores, request->path, a->per_node, lb_s(a->per_node),
                                    threads, lb_s(threads));
        a->coarse = 2 * threads;
        a->fine = 20 * threads;
        a->regions = request->division == GAIN_SERIAL ? 0 : gain_regions(a->m);
        if (request->division == GAIN_TASKS)
                a->coarse = a->fine = request->parts > threads ? request->parts : threads;
        if (request->division == GAIN_SERIAL)
                a->coarse = a->fine = threads;
        a->place = calloc((size_t)a->loads.nrank, sizeof(*a->place));
        a->order = calloc((size_t)a->loads.nrank, sizeof(*a->order));
        a->node_placed = calloc((size_t)a->loads.nrank, sizeof(*a->node_placed));
        if (!a->place || !a->order || !a->node_placed)
                return lb_error_fail(err, "out of memory for %d ranks", a->loads.nrank);
        in_order(&a->loads, a->order);
        if (a->per_node > 0 && gain_place(&a->loads, a->place, err) < 0)
                return -1;
        for (int32_t i = 0; a->per_node > 0 && i < a->loads.nrank; i++)
                a->node_placed[a->place[i]] = i / a->per_node;
        return gain_parts_fill(&a->parts, &a->loads, a->m, err);
}

/* Why nothing can be simulated, into a->why_not; false: it can. */
static bool cannot_simulate(struct gain_advice *a, const struct gain_request *request)
{
        static const enum platform_param limit[] = { PLATFORM_NODES, PLATFORM_APPRANKS_PER_NODE,
                                                     PLATFORM_CORES_PER_NODE };
        const int32_t found[] = { a->m->nnode, a->per_node, a->cores };
        const char *const what[] = { "nodes", "ranks on a node", "cores of a node" };
        if (a->per_node == 0 || (a->m->cores_differ && request->division != GAIN_THREADS)) {
                snprintf(a->why_not, sizeof(a->why_not),
                         a->per_node == 0
                             ? "nodes have different numbers of ranks, which is not simulated"
                             : "ranks have different numbers of threads, which is not simulated");
                return true;
        }
        for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++) {
                double most = platform_params[limit[i]].max;
                if (found[i] <= most)
                        continue;
                snprintf(a->why_not, sizeof(a->why_not),
                         "found %" PRId32 " %s, simulated are up to %.0f%s", found[i], what[i],
                         most,
                         a->m->nnode == 1 ? " (--appranks-per-node K says how many ranks were on "
                                            "a node, where the measurement does not)"
                                          : "");
                return true;
        }
        return false;
}

static int predict_all(struct gain_advice *a, const struct gain_request *request,
                       struct lb_error *err)
{
        if (cannot_simulate(a, request)) {
                a->worth = is_worth(a);
                return 0;
        }
        gain_extent_fill(a, request);
        if (gain_predict_baseline(a, request, err) < 0)
                return -1;
        judge(a);
        if (!a->predicted)
                return 0;
        if (gain_predict_plain(a, request, err) < 0 || gain_predict_others(a, request, err) < 0)
                return -1;
        for (int32_t i = 0; i < a->noutcome; i++)
                gain_widen(a, &a->outcome[i]);
        qsort(a->outcome, (size_t)a->noutcome, sizeof(a->outcome[0]), by_time);
        gain_find_remedies(a);
        return 0;
}

static int advise(struct gain_advice *a, const struct gain_request *request, struct lb_error *err)
{
        if (fill(a, request, err) < 0 || predict_all(a, request, err) < 0 ||
            gain_write_places(a, request, err) < 0)
                return -1;
        if (request->html && gain_page_write(a, request->html, err) < 0)
                return -1;
        return gain_verdict_print(a, request->format, err);
}

int gain_measured(const struct gain_request *request, struct lb_error *err)
{
        struct measured m;
        int32_t nnode = 1;
        if (gain_check_nodes(request, &nnode, err) < 0 ||
            gain_check_systems(request->systems, err) < 0 ||
            measured_read(&m, request->path, err) < 0)
                return -1;
        struct gain_advice a = { .path = request->path, .platform = request->platform, .m = &m };
        int status = place_ranks(&m, request, err);
        if (status == 0)
                status =
                    gain_check_degrees(request->degrees, m.nnode > nnode ? m.nnode : nnode, err);
        if (status == 0)
                status = gain_machine_read(&a.machine, request->platform, err);
        if (status == 0)
                status = advise(&a, request, err);
        gain_loads_finish(&a.loads);
        free(a.outcome);
        free(a.place);
        free(a.node_placed);
        free(a.order);
        measured_finish(&m);
        return status;
}
