/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of ranks by load, of which a few change at a time. */
#include <stdlib.h>
#include <string.h>

#include "sim/systems/chameleon/chameleon.h"

int cham_order_init(struct cham_order *o, int32_t nrank)
{
        size_t n = (size_t)nrank;
        o->nrank = nrank;
        o->rank = calloc(n, sizeof(*o->rank));
        o->load = calloc(n, sizeof(*o->load));
        o->place = calloc(n, sizeof(*o->place));
        if (!o->rank || !o->load || !o->place)
                return -1;
        for (int32_t i = 0; i < nrank; i++)
                o->rank[i] = o->place[i] = i;
        return 0;
}

void cham_order_finish(struct cham_order *o)
{
        free(o->rank);
        free(o->load);
        free(o->place);
}

void cham_order_copy(struct cham_order *to, const struct cham_order *from)
{
        size_t n = (size_t)from->nrank;
        memcpy(to->rank, from->rank, n * sizeof(*to->rank));
        memcpy(to->load, from->load, n * sizeof(*to->load));
        memcpy(to->place, from->place, n * sizeof(*to->place));
}

enum { ORDER_STEP = 16 }; /* places passed at a time, where a rank moves so far */

static inline bool is_less(int64_t load, int32_t rank, int64_t than, int32_t than_rank)
{
        return load < than || (load == than && rank < than_rank);
}

static inline bool has_less(const struct cham_order *o, int32_t at, int64_t than, int32_t than_rank)
{
        return is_less(o->load[at], o->rank[at], than, than_rank);
}

static inline void put_at(struct cham_order *o, int32_t at, int64_t load, int32_t rank)
{
        o->load[at] = load;
        o->rank[at] = rank;
        o->place[rank] = at;
}

/* Ranks first .. first + count - 1 of the order move by one place, up or down. */
static void shift(struct cham_order *o, int32_t first, int32_t count, int32_t by)
{
        size_t n = (size_t)count;
        memmove(&o->load[first + by], &o->load[first], n * sizeof(*o->load));
        memmove(&o->rank[first + by], &o->rank[first], n * sizeof(*o->rank));
        for (int32_t i = first + by; i < first + by + count; i++)
                o->place[o->rank[i]] = i;
}

/* Make room for a rank that comes from `at` and has less than those before: mostly a few. */
static int32_t go_down(struct cham_order *o, int32_t at, int64_t load, int32_t rank)
{
        int32_t to = at;
        while (to >= ORDER_STEP && !has_less(o, to - ORDER_STEP, load, rank))
                to -= ORDER_STEP;
        if (to < at)
                shift(o, to, at - to, 1);
        for (; to > 0; to--) {
                int64_t other = o->load[to - 1];
                int32_t who = o->rank[to - 1];
                if (is_less(other, who, load, rank))
                        break;
                put_at(o, to, other, who);
        }
        return to;
}

/* And for one that has more than those behind. */
static int32_t go_up(struct cham_order *o, int32_t at, int64_t load, int32_t rank)
{
        int32_t to = at, last = o->nrank - 1;
        while (to + ORDER_STEP <= last && has_less(o, to + ORDER_STEP, load, rank))
                to += ORDER_STEP;
        if (to > at)
                shift(o, at + 1, to - at, -1);
        for (; to < last; to++) {
                int64_t other = o->load[to + 1];
                int32_t who = o->rank[to + 1];
                if (!is_less(other, who, load, rank))
                        break;
                put_at(o, to, other, who);
        }
        return to;
}

/* To its new place among the others, which are in order. */
void cham_order_move(struct cham_order *o, int32_t rank, int64_t load)
{
        int32_t at = o->place[rank];
        int32_t to = (load < o->load[at] ? go_down : go_up)(o, at, load, rank);
        put_at(o, to, load, rank);
}
