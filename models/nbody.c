/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * n-body by Barnes and Hut (ICPP'22 6.2; its reference [14] is barkm/n-body;
 * docs/facts.md O8): bodies uniform in a cube, an octree, and orthogonal recursive bisection over
 * the appranks in every step. A task calculates the forces on a block of bodies (Figure 3):
 *
 *   task = interactions of its bodies x time of one
 *
 * - Bisection weighs a body by its interactions in the step before, in the first step by 1. Nothing
 *   in it knows of slow nodes: the paper's claim. (The original weighs by measured time.)
 * - The bodies stay where they are: they start at rest and so far apart that 10 steps do not move
 *   them. So all steps but the first are the same.
 * - The original makes 352 interactions per body at theta 1 (40000 bodies, its exponent of 0.666
 *   made 2/3; as it stands 345). Unchanged but for a counter and without optimisation, as the
 *   authors build, each takes 213 ns with its part of the walk on a core of an x86-64 server; 108
 *   ns with -O2.
 * - The paper does not say how many bodies a task has: 100 is our assumption.
 * - Left out: the tree, which every helper fetches once per step; building it; bisection itself.
 *
 * Known value: 351.6 interactions per body (tests/models/test_nbody.c).
 */
#include <stdlib.h>

#include "base/random.h"
#include "models/octree.h"
#include "models/orb.h"
#include "models/workload_impl.h"

struct bodies {
        int32_t n;
        double *position; /* [n][3] in the unit cube */
        int32_t *count;   /* [n] interactions */
        double *weight;   /* [n] for the bisection */
        int32_t *owner;   /* [n] apprank */
        int32_t *order;   /* [n] numbers of bodies, by owner */
        double *task_ms;  /* [n] room for the tasks of an apprank */
};

static int bodies_init(struct bodies *b, int32_t n, uint64_t seed, struct lb_error *err)
{
        uint64_t key = lb_random_key(seed, LB_RANDOM_LOADS);
        *b = (struct bodies){
                .n = n,
                .position = malloc((size_t)n * 3 * sizeof(*b->position)),
                .count = malloc((size_t)n * sizeof(*b->count)),
                .weight = malloc((size_t)n * sizeof(*b->weight)),
                .owner = malloc((size_t)n * sizeof(*b->owner)),
                .order = malloc((size_t)n * sizeof(*b->order)),
                .task_ms = malloc((size_t)n * sizeof(*b->task_ms)),
        };
        if (!b->position || !b->count || !b->weight || !b->owner || !b->order || !b->task_ms)
                return lb_error_fail(err, "out of memory for %d bodies", n);
        for (int32_t i = 0; i < n; i++)
                for (int c = 0; c < 3; c++)
                        b->position[3 * (int64_t)i + c] =
                            lb_random_to_unit(lb_random_at(key, (uint64_t)c + 1, (uint64_t)i));
        return 0;
}

static void bodies_finish(struct bodies *b)
{
        free(b->position);
        free(b->count);
        free(b->weight);
        free(b->owner);
        free(b->order);
        free(b->task_ms);
}

static int count_interactions(struct bodies *b, double theta, struct lb_error *err)
{
        struct octree *tree = octree_create(b->position, b->n, err);
        if (!tree)
                return -1;
        octree_count(tree, theta, b->count);
        octree_destroy(tree);
        return 0;
}

/* Put the numbers of every apprank's bodies together, in the order in which they were made;
 * first[napprank + 1] says where they begin. */
static void sort_by_owner(const struct bodies *b, int32_t napprank, int32_t *first)
{
        for (int32_t a = 0; a <= napprank; a++)
                first[a] = 0;
        for (int32_t i = 0; i < b->n; i++)
                first[b->owner[i] + 1]++;
        for (int32_t a = 0; a < napprank; a++)
                first[a + 1] += first[a];
        for (int32_t i = 0; i < b->n; i++)
                b->order[first[b->owner[i]]++] = i;
        for (int32_t a = napprank; a > 0; a--)
                first[a] = first[a - 1];
        first[0] = 0;
}

/* The tasks of n bodies: blocks of them. */
static int64_t make_tasks(const struct bodies *b, const int32_t *body, int32_t n,
                          const double *param)
{
        int32_t block = (int32_t)param[WORKLOAD_NBODY_BLOCK];
        double ms = param[WORKLOAD_NBODY_INTERACTION_NS] * 1e-6;
        for (int32_t i = 0; i < n; i++) {
                if (i % block == 0)
                        b->task_ms[i / block] = 0;
                b->task_ms[i / block] += b->count[body[i]] * ms;
        }
        return n / block + (n % block > 0);
}

static int fill_appranks(struct plan *plan, int32_t step, struct bodies *b, const double *param,
                         struct lb_error *err)
{
        int32_t *first = malloc(((size_t)plan->napprank + 1) * sizeof(*first));
        if (!first)
                return lb_error_fail(err, "out of memory for %d appranks", plan->napprank);
        sort_by_owner(b, plan->napprank, first);
        int status = 0;
        for (int32_t a = 0; status == 0 && a < plan->napprank; a++) {
                int64_t ntask = make_tasks(b, b->order + first[a], first[a + 1] - first[a], param);
                status = plan_tasks(plan, step, a, ntask, b->task_ms, err);
        }
        free(first);
        return status;
}

static int fill_step(struct plan *plan, int32_t step, struct bodies *b, const double *param,
                     struct lb_error *err)
{
        for (int32_t i = 0; i < b->n; i++)
                b->weight[i] = step == 0 ? 1 : b->count[i];
        if (orb_partition(b->position, b->weight, b->n, plan->napprank, b->owner, err) != 0)
                return -1;
        return fill_appranks(plan, step, b, param, err);
}

static int nbody_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        double n = spec->param[WORKLOAD_NBODY_BODIES] * spec->nnode;
        if (n > WORKLOAD_BODY_MAX)
                return lb_error_set(err, "found %.0f bodies in all, allowed are at most %d", n,
                                    WORKLOAD_BODY_MAX);
        struct bodies b;
        if (plan_init(plan, 2, workload_spec_napprank(spec), err) != 0)
                return -1;
        plan->again = 1;
        int status = bodies_init(&b, (int32_t)n, spec->seed, err);
        if (status == 0)
                status = count_interactions(&b, spec->param[WORKLOAD_NBODY_THETA], err);
        for (int32_t step = 0; status == 0 && step < plan->nstep; step++)
                status = fill_step(plan, step, &b, spec->param, err);
        bodies_finish(&b);
        return status;
}

static double nbody_tasks_of_node(const struct workload_spec *spec)
{
        return spec->param[WORKLOAD_NBODY_BODIES] / spec->param[WORKLOAD_NBODY_BLOCK] +
               spec->appranks_per_node;
}

const struct workload_model workload_nbody = {
        .fill = nbody_fill,
        .tasks_of_node = nbody_tasks_of_node,
};
