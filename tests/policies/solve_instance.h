/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_POLICIES_SOLVE_INSTANCE_H
#define LB_TESTS_POLICIES_SOLVE_INSTANCE_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/solve.h"

/*
 * Instances for tests and benchmarks of the solvers: a shape that owns its arrays. Fill napprank,
 * nnode, cores[] and first[], node[] (home first where home[] says so), then call
 * instance_finish().
 */
struct instance {
        struct lb_shape shape;
        int32_t *cores, *first, *node, *apprank, *node_first, *node_worker;
        bool *home, *talk_only; /* the latter is the shape's where it is set there */
        double *load;
        int32_t *owned; /* what solvers write */
        void *workspace;
};

static inline void *instance_array(int32_t count, size_t size)
{
        void *array = calloc((size_t)count, size);
        assert(array);
        return array;
}

/* Arrays for at most so many workers. */
static inline void instance_start(struct instance *x, int32_t napprank, int32_t nnode,
                                  int32_t nworker)
{
        *x = (struct instance){ .shape = { .napprank = napprank, .nnode = nnode } };
        x->cores = instance_array(nnode, sizeof(int32_t));
        x->first = instance_array(napprank + 1, sizeof(int32_t));
        x->node = instance_array(nworker, sizeof(int32_t));
        x->apprank = instance_array(nworker, sizeof(int32_t));
        x->home = instance_array(nworker, sizeof(bool));
        x->talk_only = instance_array(nworker, sizeof(bool));
        x->node_first = instance_array(nnode + 1, sizeof(int32_t));
        x->node_worker = instance_array(nworker, sizeof(int32_t));
        x->load = instance_array(napprank, sizeof(double));
        x->owned = instance_array(nworker, sizeof(int32_t));
}

/* Derive the rest of the shape from first[], node[] and home[]. */
static inline void instance_finish(struct instance *x)
{
        struct lb_shape *s = &x->shape;
        s->nworker = x->first[s->napprank];
        s->cores = x->cores;
        s->apprank_first = x->first;
        s->worker_node = x->node;
        s->worker_apprank = x->apprank;
        s->worker_home = x->home;
        s->node_first = x->node_first;
        s->node_worker = x->node_worker;
        s->poll_s = 0.5;
        for (int32_t a = 0; a < s->napprank; a++)
                for (int32_t w = x->first[a]; w < x->first[a + 1]; w++)
                        x->apprank[w] = a;
        for (int32_t w = 0; w < s->nworker; w++)
                x->node_first[x->node[w] + 1]++;
        for (int32_t n = 0; n < s->nnode; n++)
                x->node_first[n + 1] += x->node_first[n];
        for (int32_t w = s->nworker - 1; w >= 0; w--) /* leaves every end at its start */
                x->node_worker[--x->node_first[x->node[w] + 1]] = w;
        memmove(x->node_first, x->node_first + 1, (size_t)s->nnode * sizeof(int32_t));
        x->node_first[s->nnode] = s->nworker;
        x->workspace = malloc(solve_workspace_size(s));
        assert(x->workspace);
}

static inline void instance_free(struct instance *x)
{
        free(x->cores);
        free(x->first);
        free(x->node);
        free(x->apprank);
        free(x->home);
        free(x->talk_only);
        free(x->node_first);
        free(x->node_worker);
        free(x->load);
        free(x->owned);
        free(x->workspace);
}

/* Does the apprank have a worker on the node already? */
static inline bool instance_has(const struct instance *x, int32_t first, int32_t end, int32_t node)
{
        for (int32_t w = first; w < end; w++)
                if (x->node[w] == node)
                        return true;
        return false;
}

/* Random graph: homes in blocks, helpers drawn among the nodes with the fewest workers so far. */
static inline void instance_machine(struct instance *x, int32_t nnode, int32_t per_node,
                                    int32_t degree, int32_t cores, uint64_t seed)
{
        int32_t napprank = nnode * per_node, at = 0;
        int32_t *count = instance_array(nnode, sizeof(int32_t));
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 1);
        instance_start(x, napprank, nnode, napprank * degree);
        for (int32_t n = 0; n < nnode; n++) {
                x->cores[n] = cores;
                count[n] = per_node;
        }
        for (int32_t a = 0; a < napprank; a++) {
                x->first[a] = at;
                x->home[at] = true;
                x->node[at++] = a / per_node;
                while (at < x->first[a] + degree) {
                        int32_t best = -1;
                        for (int32_t i = 0; i < 64 || best < 0; i++) {
                                int32_t n = (int32_t)lb_random_below(&random, (uint64_t)nnode);
                                if (!instance_has(x, x->first[a], at, n) &&
                                    (best < 0 || count[n] < count[best]))
                                        best = n;
                        }
                        count[best]++;
                        x->node[at++] = best;
                }
        }
        x->first[napprank] = at;
        free(count);
        instance_finish(x);
}

/* Loads with the given imbalance: one apprank has `imbalance`, the others around the rest's mean.
 */
static inline void instance_loads(struct instance *x, double imbalance, uint64_t seed)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 2);
        int32_t n = x->shape.napprank;
        double sum = 0;
        for (int32_t a = 0; a < n; a++)
                sum += x->load[a] = lb_random_open(&random);
        int32_t worst = (int32_t)lb_random_below(&random, (uint64_t)n);
        double scale = (n - imbalance) / (sum - x->load[worst]);
        for (int32_t a = 0; a < n; a++) {
                double load = x->load[a] * scale;
                x->load[a] = load < imbalance ? load : imbalance;
        }
        x->load[worst] = imbalance;
}

#endif
