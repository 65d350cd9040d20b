/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/control/part.h"

#include <stdlib.h>
#include <string.h>

#include "policies/alloc.h"

/* The shape's arrays are const to all others. */
struct arrays {
        int32_t *apprank_first, *worker_node, *worker_apprank, *node_first, *node_worker;
        bool *worker_home;
};

static struct arrays arrays_of(struct lb_shape *shape)
{
        return (struct arrays){ (int32_t *)shape->apprank_first,  (int32_t *)shape->worker_node,
                                (int32_t *)shape->worker_apprank, (int32_t *)shape->node_first,
                                (int32_t *)shape->node_worker,    (bool *)shape->worker_home };
}

int part_init(struct part *part, const struct lb_shape *all, struct lb_error *err)
{
        size_t n = (size_t)all->nworker + 1;
        *part = (struct part){ .all = all, .shape = *all };
        part->shape.talk_only = NULL; /* who is there owns a core */
        part->worker = calloc(n, sizeof(int32_t));
        part->number = calloc(n, sizeof(int32_t));
        part->shape.apprank_first = calloc((size_t)all->napprank + 1, sizeof(int32_t));
        part->shape.worker_node = calloc(n, sizeof(int32_t));
        part->shape.worker_apprank = calloc(n, sizeof(int32_t));
        part->shape.worker_home = calloc(n, sizeof(bool));
        part->shape.node_first = calloc((size_t)all->nnode + 1, sizeof(int32_t));
        part->shape.node_worker = calloc(n, sizeof(int32_t));
        const struct lb_shape *s = &part->shape;
        if (part->worker && part->number && s->apprank_first && s->worker_node &&
            s->worker_apprank && s->worker_home && s->node_first && s->node_worker)
                return 0;
        return lb_error_fail(err, "out of memory for %d workers", all->nworker);
}

void part_finish(struct part *part)
{
        if (!part->all)
                return;
        struct arrays a = arrays_of(&part->shape);
        void *const each[] = { a.apprank_first, a.worker_node, a.worker_apprank, a.node_first,
                               a.node_worker,   a.worker_home, part->worker,     part->number };
        for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
                free(each[i]);
        *part = (struct part){ 0 };
}

static void add_worker(struct part *part, struct arrays *a, int32_t worker)
{
        int32_t number = part->shape.nworker++;
        part->worker[number] = worker;
        part->number[worker] = number;
        a->worker_node[number] = part->all->worker_node[worker];
        a->worker_apprank[number] = part->all->worker_apprank[worker];
        a->worker_home[number] = part->all->worker_home[worker];
}

void part_set(struct part *part, const bool *there)
{
        const struct lb_shape *all = part->all;
        struct arrays a = arrays_of(&part->shape);
        int32_t count = 0;
        part->shape.nworker = 0;
        for (int32_t rank = 0; rank < all->napprank; rank++) {
                for (int32_t w = all->apprank_first[rank]; w < all->apprank_first[rank + 1]; w++) {
                        part->number[w] = -1;
                        if (there[w])
                                add_worker(part, &a, w);
                }
                a.apprank_first[rank + 1] = part->shape.nworker;
        }
        for (int32_t n = 0; n < all->nnode; n++) {
                for (int32_t i = all->node_first[n]; i < all->node_first[n + 1]; i++)
                        if (there[all->node_worker[i]])
                                a.node_worker[count++] = part->number[all->node_worker[i]];
                a.node_first[n + 1] = count;
        }
}

int part_initial(const struct part *part, int32_t *owned_cores, struct lb_error *err)
{
        int32_t *owned = calloc((size_t)part->shape.nworker + 1, sizeof(*owned));
        int status =
            owned ? alloc_initial(&part->shape, owned, err) : lb_error_fail(err, "out of memory");
        for (int32_t w = 0; status == 0 && w < part->all->nworker; w++)
                owned_cores[w] = part->number[w] < 0 ? 0 : owned[part->number[w]];
        free(owned);
        return status;
}
