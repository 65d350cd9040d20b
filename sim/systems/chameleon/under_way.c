/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With system.under_way, as in lbrun (real/control/migrate.c): a rank adds to the known load of
 * another what it has sent there and that load has not in it yet. The authors' library does not.
 *
 *   sent --------> has arrived --------> is in a sample --------> is known to all
 *   |<------------------ the sender counts it ------------------>|
 */
#include <stdlib.h>
#include <string.h>

#include "sim/systems/chameleon/chameleon.h"

struct arrival {
        int32_t from, to;
        int64_t ntask;
};

struct cham_under_way {
        int64_t *count; /* [nrank][nrank] tasks, by sender and receiver */
        int64_t *total; /* [nrank] of a sender */
        struct arrival *arrival;
        size_t narrival, nsampled, size; /* the first ones are in the sample */
        /* As one rank sees the others: */
        int64_t *load; /* [nrank] */
        struct cham_order order;
};

int cham_under_way_create(struct cham *c, struct lb_error *err)
{
        size_t n = (size_t)c->nrank;
        if (c->param[CHAM_UNDER_WAY] == 0)
                return 0;
        struct cham_under_way *u = calloc(1, sizeof(*u));
        c->under_way = u;
        if (!u || !(u->count = calloc(n * n, sizeof(*u->count))) ||
            !(u->total = calloc(n, sizeof(*u->total))) ||
            !(u->load = calloc(n, sizeof(*u->load))) || cham_order_init(&u->order, c->nrank) < 0)
                return lb_error_fail(err, "out of memory for what is under way among %d ranks",
                                     c->nrank);
        return 0;
}

void cham_under_way_destroy(struct cham_under_way *u)
{
        if (!u)
                return;
        free(u->count);
        free(u->total);
        free(u->arrival);
        free(u->load);
        cham_order_finish(&u->order);
        free(u);
}

static void add(struct cham *c, int32_t from, int32_t to, int64_t ntask)
{
        c->under_way->count[(int64_t)from * c->nrank + to] += ntask;
        c->under_way->total[from] += ntask;
}

void cham_under_way_sent(struct cham *c, int32_t from, int32_t to, int64_t ntask)
{
        if (c->under_way)
                add(c, from, to, ntask);
}

void cham_under_way_arrived(struct cham *c, int32_t from, int32_t to, int64_t ntask)
{
        struct cham_under_way *u = c->under_way;
        if (!u)
                return;
        if (u->narrival == u->size) {
                size_t size = u->size ? 2 * u->size : 64;
                struct arrival *arrival = realloc(u->arrival, size * sizeof(*arrival));
                if (!arrival) {
                        cham_fail(c, "out of memory for tasks that arrive");
                        return;
                }
                u->arrival = arrival;
                u->size = size;
        }
        u->arrival[u->narrival++] = (struct arrival){ from, to, ntask };
}

void cham_under_way_sampled(struct cham *c)
{
        if (c->under_way)
                c->under_way->nsampled = c->under_way->narrival;
}

void cham_under_way_known(struct cham *c)
{
        struct cham_under_way *u = c->under_way;
        if (!u)
                return;
        for (size_t i = 0; i < u->nsampled; i++)
                add(c, u->arrival[i].from, u->arrival[i].to, -u->arrival[i].ntask);
        u->narrival -= u->nsampled;
        if (u->narrival > 0)
                memmove(u->arrival, u->arrival + u->nsampled, u->narrival * sizeof(*u->arrival));
        u->nsampled = 0;
}

void cham_under_way_show(struct cham *c, int32_t rank, struct migrate_view *view)
{
        struct cham_under_way *u = c->under_way;
        if (!u || u->total[rank] == 0)
                return;
        memcpy(u->load, c->known.load, (size_t)c->nrank * sizeof(*u->load));
        cham_order_copy(&u->order, &c->order);
        const int64_t *count = &u->count[(int64_t)rank * c->nrank];
        for (int32_t i = 0; i < c->nrank; i++)
                if (count[i] != 0) {
                        u->load[i] += count[i];
                        cham_order_move(&u->order, i, u->load[i]);
                }
        view->load = u->load;
        view->order = u->order.rank;
        view->position = u->order.place[rank];
        view->load_sum += u->total[rank];
}
