/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where data is: pieces of memory with the place that made the latest version, and the set of
 * places that hold it. What has no piece is at home and nowhere else.
 */
#include "real/data/where.h"

#include <stdbool.h>
#include <stdlib.h>

#include "real/data/pieces.h"

struct held {
        struct piece piece;
        uint64_t holders; /* bit p: place p; none: just made */
        int32_t maker;
};

struct where {
        struct pieces pieces;
};

struct where *where_create(void)
{
        struct where *where = calloc(1, sizeof(*where));
        if (where)
                pieces_init(&where->pieces, sizeof(struct held), NULL);
        return where;
}

void where_destroy(struct where *where)
{
        if (!where)
                return;
        pieces_finish(&where->pieces);
        free(where);
}

/* How it is from `at` until `end` at the latest. */
struct state {
        uintptr_t end;
        uint64_t holders;
        int32_t maker;
};

static struct state state_at(const struct where *where, uintptr_t at, uintptr_t end)
{
        const struct held *held = (void *)pieces_from(&where->pieces, at);
        struct state state = { .end = end, .holders = 1, .maker = 0 };
        if (!held || held->piece.begin >= end)
                return state;
        if (held->piece.begin > at)
                return (struct state){ held->piece.begin, 1, 0 };
        if (held->piece.end < end)
                state.end = held->piece.end;
        state.holders = held->holders;
        state.maker = held->maker;
        return state;
}

/* The piece to change: begins at `begin`, ends at `end` at the latest. NULL out of memory. */
static struct held *held_at(struct where *where, uintptr_t begin, uintptr_t end)
{
        struct held *held = (void *)pieces_at(&where->pieces, begin, end);
        if (held && !held->holders)
                held->holders = 1;
        return held;
}

/* ---- Merging ---- */

static bool alike(const struct held *a, const struct held *b)
{
        return a->piece.end == b->piece.begin && a->holders == b->holders && a->maker == b->maker;
}

/* Merge pieces from just before `begin` to just behind `end`; drop those at home only. */
static void tidy(struct where *where, uintptr_t begin, uintptr_t end)
{
        struct held *before = NULL;
        uintptr_t at = begin > 0 ? begin - 1 : 0;
        for (;;) {
                struct held *held = (void *)pieces_from(&where->pieces, at);
                if (!held || held->piece.begin > end)
                        return;
                at = held->piece.end;
                if (held->holders == 1 && held->maker == 0) {
                        pieces_remove(&where->pieces, &held->piece);
                        before = NULL;
                } else if (before && alike(before, held)) {
                        pieces_remove(&where->pieces, &held->piece);
                        before->piece.end = at;
                } else {
                        before = held;
                }
        }
}

/* ---- Copies ---- */

/* Copies that follow each other from one source are told as one. */
struct telling {
        where_each each;
        void *context;
        struct where_copy copy;
};

static void tell(struct telling *t, const struct held *held)
{
        size_t bytes = held->piece.end - held->piece.begin;
        if (t->copy.bytes > 0 && t->copy.source == held->maker &&
            t->copy.begin + t->copy.bytes == held->piece.begin) {
                t->copy.bytes += bytes;
                return;
        }
        if (t->copy.bytes > 0)
                t->each(t->context, &t->copy);
        t->copy = (struct where_copy){ held->piece.begin, bytes, held->maker };
}

static void told(struct telling *t)
{
        if (t->copy.bytes > 0)
                t->each(t->context, &t->copy);
}

int where_need(struct where *where, uintptr_t begin, size_t bytes, int32_t place, where_each each,
               void *context)
{
        uintptr_t end = begin + bytes, at = begin;
        struct telling telling = { .each = each, .context = context };
        bool changed = false;
        while (at < end) {
                struct state now = state_at(where, at, end);
                if (!(now.holders >> place & 1)) {
                        struct held *held = held_at(where, at, end);
                        if (!held)
                                return -1;
                        held->holders |= UINT64_C(1) << place;
                        tell(&telling, held);
                        changed = true;
                }
                at = now.end;
        }
        told(&telling);
        if (changed)
                tidy(where, begin, end);
        return 0;
}

int where_write(struct where *where, uintptr_t begin, size_t bytes, int32_t place)
{
        const uint64_t alone = UINT64_C(1) << place;
        uintptr_t end = begin + bytes, at = begin;
        bool changed = false;
        while (at < end) {
                struct state now = state_at(where, at, end);
                if (now.holders != alone || now.maker != place) {
                        struct held *held = held_at(where, at, end);
                        if (!held)
                                return -1;
                        held->holders = alone;
                        held->maker = place;
                        changed = true;
                }
                at = now.end;
        }
        if (changed)
                tidy(where, begin, end);
        return 0;
}

int where_return(struct where *where, uintptr_t begin, size_t bytes)
{
        uintptr_t end = begin + bytes;
        for (uintptr_t at = begin; at < end;) {
                struct state now = state_at(where, at, end);
                if (now.maker != 0) {
                        struct held *held = held_at(where, at, end);
                        if (!held)
                                return -1;
                        held->holders |= 1;
                        held->maker = 0;
                }
                at = now.end;
        }
        tidy(where, begin, end);
        return 0;
}

void where_locate(const struct where *where, uintptr_t begin, size_t bytes, int64_t *bytes_at)
{
        uintptr_t end = begin + bytes;
        for (uintptr_t at = begin; at < end;) {
                struct state now = state_at(where, at, end);
                bytes_at[now.maker] += (int64_t)(now.end - at);
                at = now.end;
        }
}

int where_need_all(struct where *where, where_each each, void *context)
{
        struct telling telling = { .each = each, .context = context };
        uintptr_t at = 0;
        struct held *held;
        while ((held = (void *)pieces_from(&where->pieces, at))) {
                at = held->piece.end;
                if (held->holders & 1)
                        continue;
                tell(&telling, held);
                held->holders |= 1;
        }
        told(&telling);
        tidy(where, 0, UINTPTR_MAX);
        return 0;
}

int where_forget(struct where *where, uintptr_t begin, size_t bytes)
{
        return where_write(where, begin, bytes, 0);
}

int64_t where_pieces(const struct where *where)
{
        return where->pieces.count;
}
