/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where data is: pieces of memory with the place that made the latest version, and the set of
 * places that hold it. What has no piece is at home and nowhere else.
 */
#include "real/data/where.h"

#include <stdlib.h>

#include "real/data/pieces.h"

struct held {
        struct piece piece;
        uint64_t holders; /* bit p: place p */
        int32_t maker;
};

struct where {
        struct pieces pieces;
};

struct where *where_create(void)
{
        struct where *where = calloc(1, sizeof(*where));
        if (where)
                pieces_init(&where->pieces, sizeof(struct held));
        return where;
}

void where_destroy(struct where *where)
{
        if (!where)
                return;
        pieces_finish(&where->pieces);
        free(where);
}

static struct held *cut(struct where *where, struct held *held, uintptr_t at)
{
        struct held *rest = (void *)pieces_cut(&where->pieces, &held->piece, at);
        if (rest) {
                rest->holders = held->holders;
                rest->maker = held->maker;
        }
        return rest;
}

static struct held *add(struct where *where, uintptr_t begin, uintptr_t end)
{
        struct held *held = (void *)pieces_add(&where->pieces, begin, end);
        if (held)
                held->holders = 1;
        return held;
}

/* The piece that begins at `begin`, made or cut so that it ends at `end` at the latest. */
static struct held *held_at(struct where *where, uintptr_t begin, uintptr_t end)
{
        struct held *held = (void *)pieces_from(&where->pieces, begin);
        if (!held || held->piece.begin >= end)
                return add(where, begin, end);
        if (held->piece.begin > begin)
                return add(where, begin, held->piece.begin);
        if (held->piece.begin < begin)
                held = cut(where, held, begin);
        if (held && held->piece.end > end && !cut(where, held, end))
                return NULL;
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
        uintptr_t end = begin + bytes;
        struct telling telling = { .each = each, .context = context };
        for (uintptr_t at = begin; at < end;) {
                struct held *held = held_at(where, at, end);
                if (!held)
                        return -1;
                at = held->piece.end;
                if (held->holders >> place & 1)
                        continue;
                tell(&telling, held);
                held->holders |= UINT64_C(1) << place;
        }
        told(&telling);
        tidy(where, begin, end);
        return 0;
}

int where_write(struct where *where, uintptr_t begin, size_t bytes, int32_t place)
{
        uintptr_t end = begin + bytes;
        for (uintptr_t at = begin; at < end;) {
                struct held *held = held_at(where, at, end);
                if (!held)
                        return -1;
                at = held->piece.end;
                held->holders = UINT64_C(1) << place;
                held->maker = place;
        }
        tidy(where, begin, end);
        return 0;
}

void where_locate(const struct where *where, uintptr_t begin, size_t bytes, int64_t *bytes_at)
{
        uintptr_t end = begin + bytes;
        for (uintptr_t at = begin; at < end;) {
                const struct held *held = (void *)pieces_from(&where->pieces, at);
                bool inside = held && held->piece.begin <= at;
                uintptr_t stop = !held ? end : inside ? held->piece.end : held->piece.begin;
                stop = stop < end ? stop : end;
                bytes_at[inside ? held->maker : 0] += (int64_t)(stop - at);
                at = stop;
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
