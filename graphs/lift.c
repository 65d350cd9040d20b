/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/lift.h"

#include <stdlib.h>

#include "base/random.h"

enum { ATTEMPTS = 200, PROBES = 64 };

/* The appranks of the first `period` nodes, and their nodes. */
struct base {
        const struct graph_spec *spec;
        int32_t period, napprank;
        int32_t *orbit; /* [napprank][degree - 1] which node modulo the period, dealt at random */
        int32_t *node;  /* [napprank][degree], home first */
        struct lb_random random;
};

static int base_init(struct base *base, const struct graph_spec *spec, int32_t period,
                     struct lb_error *err)
{
        *base = (struct base){ .spec = spec, .period = period };
        base->napprank = period * (spec->napprank / spec->nnode);
        size_t places = (size_t)base->napprank * (size_t)spec->degree;
        base->orbit = calloc(places, sizeof(int32_t));
        base->node = calloc(places, sizeof(int32_t));
        lb_random_init(&base->random, spec->seed, LB_RANDOM_GRAPH, (uint64_t)period);
        if (base->orbit && base->node)
                return 0;
        free(base->orbit);
        free(base->node);
        return lb_error_fail(err, "out of memory for a graph of %d appranks", spec->napprank);
}

/* Every residue as often, in a random order. */
static void deal_orbits(struct base *base)
{
        int32_t count = base->napprank * (base->spec->degree - 1);
        for (int32_t i = 0; i < count; i++) {
                int32_t j = (int32_t)lb_random_below(&base->random, (uint64_t)i + 1);
                base->orbit[i] = base->orbit[j];
                base->orbit[j] = i % base->period;
        }
}

static bool is_among(const int32_t *node, int32_t count, int32_t which)
{
        for (int32_t i = 0; i < count; i++)
                if (node[i] == which)
                        return true;
        return false;
}

/* A node of the orbit that the apprank does not have yet; -1 where probing finds none. */
static int32_t draw_node(struct base *base, int32_t orbit, const int32_t *node, int32_t count)
{
        uint64_t norder = (uint64_t)(base->spec->nnode / base->period);
        for (int probe = 0; probe < PROBES; probe++) {
                int32_t turn = (int32_t)lb_random_below(&base->random, norder);
                int32_t which = orbit + turn * base->period;
                if (!is_among(node, count, which))
                        return which;
        }
        return -1;
}

static bool draw_nodes(struct base *base)
{
        int32_t degree = base->spec->degree;
        deal_orbits(base);
        for (int32_t a = 0; a < base->napprank; a++) {
                int32_t *node = base->node + (size_t)a * (size_t)degree;
                node[0] = graph_home(a, base->spec->napprank, base->spec->nnode);
                for (int32_t i = 1; i < degree; i++) {
                        node[i] = draw_node(base, base->orbit[a * (degree - 1) + i - 1], node, i);
                        if (node[i] < 0)
                                return false;
                }
        }
        return true;
}

struct graph *lift_expand(const struct graph_spec *spec, int32_t period, const int32_t *base,
                          struct lb_error *err)
{
        size_t napprank = (size_t)spec->napprank, degree = (size_t)spec->degree;
        size_t nbase = (size_t)period * (napprank / (size_t)spec->nnode);
        int32_t *first = calloc(napprank + 1, sizeof(*first));
        int32_t *node = calloc(napprank * degree, sizeof(*node));
        struct graph *graph = NULL;
        if (!first || !node) {
                lb_error_fail(err, "out of memory for a graph of %d appranks", spec->napprank);
                goto done;
        }
        for (size_t i = 0; i < napprank * degree; i++) {
                size_t apprank = i / degree, turn = apprank / nbase;
                first[apprank + 1] = (int32_t)((apprank + 1) * degree);
                size_t from = (size_t)base[(apprank % nbase) * degree + i % degree];
                node[i] = (int32_t)((from + turn * (size_t)period) % (size_t)spec->nnode);
        }
        graph = graph_from_edges(spec->napprank, spec->nnode, first, node, err);
done:
        free(first);
        free(node);
        return graph;
}

struct graph *lift_create(const struct graph_spec *spec, int32_t period, struct lb_error *err)
{
        struct base base;
        if (base_init(&base, spec, period, err))
                return NULL;
        bool fits = false;
        for (int attempt = 0; attempt < ATTEMPTS && !fits; attempt++)
                fits = draw_nodes(&base);
        struct graph *graph = fits ? lift_expand(spec, period, base.node, err) : NULL;
        if (!fits)
                lb_error_fail(err, "no lift of period %d was found for degree %d on %d nodes",
                              period, spec->degree, spec->nnode);
        free(base.orbit);
        free(base.node);
        return graph;
}
