/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/solve_round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A worker waiting for one of its node's spare cores. */
struct claim {
        double loss; /* fraction lost in rounding down, over the apprank's cores */
        int32_t worker;
};

size_t solve_round_workspace_size(const struct lb_shape *shape)
{
        return (size_t)shape->nworker * sizeof(struct claim) +
               (size_t)shape->napprank * sizeof(double);
}

static int by_loss(const void *a, const void *b)
{
        const struct claim *x = a, *y = b;
        if (x->loss != y->loss)
                return x->loss > y->loss ? -1 : 1;
        return (x->worker < y->worker) - (x->worker > y->worker);
}

/* total[napprank]: the cores of each apprank. */
static void round_node(const struct lb_shape *shape, int32_t node, const double *cores,
                       const double *total, struct claim *claim, int32_t *owned_cores)
{
        const int32_t *worker = shape->node_worker + shape->node_first[node];
        int32_t count = shape->node_first[node + 1] - shape->node_first[node];
        int32_t spare = shape->cores[node];
        if (count == 0)
                return;
        for (int32_t i = 0; i < count; i++) {
                int32_t w = worker[i];
                owned_cores[w] = (int32_t)floor(cores[w] + 1e-6);
                double lost = fmax(0, cores[w] - owned_cores[w]);
                claim[i] = (struct claim){ lost / total[shape->worker_apprank[w]], w };
                spare -= owned_cores[w];
        }
        qsort(claim, (size_t)count, sizeof(*claim), by_loss);
        for (int32_t i = 0; i < count; i++)
                owned_cores[claim[i].worker] += spare / count + (i < spare % count);
}

void solve_round(const struct lb_shape *shape, const double *cores, void *workspace,
                 int32_t *owned_cores)
{
        struct claim *claim = workspace;
        double *total = (double *)(claim + shape->nworker);
        memset(total, 0, (size_t)shape->napprank * sizeof(*total));
        for (int32_t w = 0; w < shape->nworker; w++)
                total[shape->worker_apprank[w]] += cores[w];
        for (int32_t n = 0; n < shape->nnode; n++)
                round_node(shape, n, cores, total, claim, owned_cores);
}
