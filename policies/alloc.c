/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/alloc.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

#include "policies/alloc_impl.h"
#include "policies/registry.h"

POLICY_REGISTRY(alloc, ALLOC_TYPES, POLICY_ENTRY)

/* What a plugin says may be anything. */
static double within(double value, double min, double max)
{
        if (!(value >= min)) /* or it is no number */
                return min;
        return value < max ? value : max;
}

double alloc_period_s(const struct alloc_type *type, const double *param)
{
        return within(type->period_s ? type->period_s(param) : 2, 1e-3, 3600);
}

int64_t alloc_period_ns(const struct alloc_type *type, int32_t nnode, int64_t iteration_ns,
                        const double *param)
{
        enum { DECISION_SHARE = 20 };
        double period_s = alloc_period_s(type, param);
        double iterations = type->period_iterations ? type->period_iterations(param) : 0;
        if (iterations > 0 && iteration_ns > 0) {
                double least_s = fmin(period_s, DECISION_SHARE * alloc_cost_s(type, nnode, param));
                period_s = within(iterations * (double)iteration_ns * 1e-9, least_s, period_s);
        }
        return (int64_t)(period_s * 1e9 + 0.5);
}

int32_t alloc_group_nodes(const struct alloc_type *type, int32_t nnode, const double *param)
{
        int32_t nodes = type->group_nodes ? type->group_nodes(nnode, param) : nnode;
        return nodes > 0 && nodes < nnode ? nodes : nnode;
}

double alloc_cost_s(const struct alloc_type *type, int32_t nnode, const double *param)
{
        return within(type->cost_s ? type->cost_s(nnode, param) : 0, 0, 1e6);
}

const struct alloc_variant *alloc_variant(const struct alloc_type *type, const double *param)
{
        for (const struct alloc_variant *v = type->variants; v && v->name; v++)
                if ((int)param[v->param] == v->choice)
                        return v;
        return NULL;
}

const char *const alloc_talk_choices[] = { "scarce", "helpers", "never", NULL };

int32_t alloc_talk_only(const struct lb_shape *shape, const bool *sleeps, enum alloc_talk choice,
                        bool *talk_only)
{
        int32_t count = 0;
        for (int32_t n = 0; n < shape->nnode; n++) {
                int32_t nhome = 0, nawake = 0, cores = shape->cores[n];
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++) {
                        nhome += shape->worker_home[shape->node_worker[i]];
                        nawake += !sleeps || !sleeps[shape->node_worker[i]];
                }
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++) {
                        int32_t w = shape->node_worker[i];
                        bool sleeping = sleeps && sleeps[w];
                        bool may = choice == ALLOC_TALK_HELPERS ||
                                   (choice == ALLOC_TALK_SCARCE && cores < nawake + sleeping);
                        talk_only[w] =
                            !shape->worker_home[w] && may && (!sleeping || cores <= nhome);
                        count += talk_only[w];
                }
        }
        return count;
}

/* Cores of one node: their least to helpers, the rest in equal parts to its appranks, remainder to
 * the last. */
static void initial_node(const struct lb_shape *shape, int32_t node, int32_t *owned_cores)
{
        int32_t first = shape->node_first[node], end = shape->node_first[node + 1];
        int32_t nhome = 0, spare = shape->cores[node], last = -1;
        for (int32_t i = first; i < end; i++)
                nhome += shape->worker_home[shape->node_worker[i]];
        for (int32_t i = first; i < end && nhome > 0; i++)
                if (!shape->worker_home[shape->node_worker[i]])
                        spare -= lb_shape_least(shape, shape->node_worker[i]);

        int32_t nshare = nhome > 0 ? nhome : end - first;
        for (int32_t i = first; i < end; i++) {
                int32_t w = shape->node_worker[i];
                bool shares = nhome == 0 || shape->worker_home[w];
                owned_cores[w] = shares ? spare / nshare : lb_shape_least(shape, w);
                if (shares)
                        last = w;
        }
        if (last >= 0)
                owned_cores[last] += spare % nshare;
}

int32_t alloc_least(const struct lb_shape *shape, int32_t node)
{
        int32_t least = 0;
        for (int32_t i = shape->node_first[node]; i < shape->node_first[node + 1]; i++)
                least += lb_shape_least(shape, shape->node_worker[i]);
        return least;
}

int alloc_initial(const struct lb_shape *shape, int32_t *owned_cores, struct lb_error *err)
{
        for (int32_t n = 0; n < shape->nnode; n++) {
                int32_t least = alloc_least(shape, n);
                bool all = least == shape->node_first[n + 1] - shape->node_first[n];
                if (least > shape->cores[n])
                        return lb_error_set(err,
                                            "node %d has %d cores for %d %s, each must own at "
                                            "least one: lower the %sappranks per node",
                                            n, shape->cores[n], least, all ? "workers" : "appranks",
                                            all ? "degree or the " : "");
        }
        for (int32_t n = 0; n < shape->nnode; n++)
                initial_node(shape, n, owned_cores);
        return 0;
}

/* " on node 3"; a policy of node scope knows one node only. */
static const char *where(const struct lb_shape *shape, int32_t node, char text[static 24])
{
        text[0] = '\0';
        if (shape->nnode > 1)
                snprintf(text, 24, " on node %d", node);
        return text;
}

int alloc_check(const struct lb_shape *shape, const int32_t *owned_cores, struct lb_error *err)
{
        char text[24];
        for (int32_t n = 0; n < shape->nnode; n++) {
                int64_t sum = 0;
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++) {
                        int32_t w = shape->node_worker[i];
                        if (owned_cores[w] < lb_shape_least(shape, w))
                                return lb_error_fail(err,
                                                     "worker %d%s is given %d cores, allowed is at "
                                                     "least %d",
                                                     w, where(shape, n, text), owned_cores[w],
                                                     lb_shape_least(shape, w));
                        sum += owned_cores[w];
                }
                if (sum != shape->cores[n] && shape->node_first[n + 1] > shape->node_first[n])
                        return lb_error_fail(err, "%lld cores%s are given out, there are %d",
                                             (long long)sum, where(shape, n, text),
                                             shape->cores[n]);
        }
        return 0;
}
