/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where data is: pieces of memory with the place that made the latest version, and the set of
 * places that hold it. What has no piece is at home and nowhere else.
 */
#include "real/data/where.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "real/data/pieces.h"

struct held {
        struct piece piece;
        int32_t maker;
        bool constant;
        uint64_t holders[]; /* [nword] bit p % 64 of word p / 64: place p; none: just made */
};

enum { BITS = 64 };

struct where {
        struct pieces pieces;
        int32_t nword;
        bool settled; /* some of it is, or was, constant */
};

static void know_nothing(struct where *where)
{
        pieces_init(&where->pieces, sizeof(struct held) + (size_t)where->nword * sizeof(uint64_t),
                    NULL);
}

struct where *where_create(int32_t nplace)
{
        struct where *where = calloc(1, sizeof(*where));
        if (!where)
                return NULL;
        where->nword = (nplace + BITS - 1) / BITS;
        know_nothing(where);
        return where;
}

void where_destroy(struct where *where)
{
        if (!where)
                return;
        pieces_finish(&where->pieces);
        free(where);
}

/* ---- Sets of places; NULL is that of home alone ---- */

static bool has(const uint64_t *holders, int32_t place)
{
        return holders ? holders[place / BITS] >> place % BITS & 1 : place == 0;
}

static void add(uint64_t *holders, int32_t place)
{
        holders[place / BITS] |= UINT64_C(1) << place % BITS;
}

static bool is_alone(const struct where *where, const uint64_t *holders, int32_t place)
{
        bool alone = has(holders, place);
        for (int32_t i = 0; holders && alone && i < where->nword; i++)
                alone = holders[i] == (i == place / BITS ? UINT64_C(1) << place % BITS : 0);
        return alone;
}

static bool is_empty(const struct where *where, const uint64_t *holders)
{
        for (int32_t i = 0; i < where->nword; i++)
                if (holders[i])
                        return false;
        return true;
}

/* ---- Pieces ---- */

/* How it is from `at` until `end` at the latest. */
struct state {
        uintptr_t end;
        const uint64_t *holders;
        int32_t maker;
        bool constant;
};

static struct state state_at(const struct where *where, uintptr_t at, uintptr_t end)
{
        const struct held *held = (void *)pieces_from(&where->pieces, at);
        struct state state = { .end = end };
        if (!held || held->piece.begin >= end)
                return state;
        if (held->piece.begin > at)
                return (struct state){ .end = held->piece.begin };
        if (held->piece.end < end)
                state.end = held->piece.end;
        state.holders = held->holders;
        state.maker = held->maker;
        state.constant = held->constant;
        return state;
}

/* The piece to change: begins at `begin`, ends at `end` at the latest. NULL out of memory. */
static struct held *held_at(struct where *where, uintptr_t begin, uintptr_t end)
{
        struct held *held = (void *)pieces_at(&where->pieces, begin, end);
        if (held && is_empty(where, held->holders))
                add(held->holders, 0);
        return held;
}

/* ---- Merging ---- */

static bool alike(const struct where *where, const struct held *a, const struct held *b)
{
        return a->piece.end == b->piece.begin && a->maker == b->maker &&
               a->constant == b->constant &&
               memcmp(a->holders, b->holders, (size_t)where->nword * sizeof(uint64_t)) == 0;
}

/* Merge pieces from just before `begin` to just behind `end`; drop those of which there is nothing
 * to be known. */
static void tidy(struct where *where, uintptr_t begin, uintptr_t end)
{
        struct held *before = NULL;
        uintptr_t at = begin > 0 ? begin - 1 : 0;
        for (;;) {
                struct held *held = (void *)pieces_from(&where->pieces, at);
                if (!held || held->piece.begin > end)
                        return;
                at = held->piece.end;
                if (held->maker == 0 && !held->constant && is_alone(where, held->holders, 0)) {
                        pieces_remove(&where->pieces, &held->piece);
                        before = NULL;
                } else if (before && alike(where, before, held)) {
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
                if (!has(now.holders, place)) {
                        struct held *held = held_at(where, at, end);
                        if (!held)
                                return -1;
                        add(held->holders, place);
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

static void give(const struct where *where, struct held *held, int32_t place)
{
        memset(held->holders, 0, (size_t)where->nword * sizeof(uint64_t));
        add(held->holders, place);
        held->maker = place;
}

int where_write(struct where *where, uintptr_t begin, size_t bytes, int32_t place)
{
        uintptr_t end = begin + bytes, at = begin;
        bool changed = false;
        while (at < end) {
                struct state now = state_at(where, at, end);
                if (now.maker != place || now.constant || !is_alone(where, now.holders, place)) {
                        struct held *held = held_at(where, at, end);
                        if (!held)
                                return -1;
                        give(where, held, place);
                        held->constant = false;
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
                        add(held->holders, 0);
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
                if (has(held->holders, 0))
                        continue;
                tell(&telling, held);
                add(held->holders, 0);
        }
        told(&telling);
        tidy(where, 0, UINTPTR_MAX);
        return 0;
}

int where_forget(struct where *where, uintptr_t begin, size_t bytes)
{
        return where_write(where, begin, bytes, 0);
}

int where_settle(struct where *where, uintptr_t begin, size_t bytes)
{
        uintptr_t end = begin + bytes;
        where->settled = true;
        for (uintptr_t at = begin; at < end;) {
                struct state now = state_at(where, at, end);
                struct held *held = held_at(where, at, now.end);
                if (!held)
                        return -1;
                if (held->constant)
                        give(where, held, 0);
                held->constant = true;
                at = now.end;
        }
        tidy(where, begin, end);
        return 0;
}

void where_forget_others(struct where *where)
{
        uintptr_t at = 0;
        struct held *held;
        if (!where->settled && where->pieces.count > 0) { /* all at once */
                pieces_finish(&where->pieces);
                know_nothing(where);
        }
        while ((held = (void *)pieces_from(&where->pieces, at))) {
                at = held->piece.end;
                if (!held->constant)
                        pieces_remove(&where->pieces, &held->piece);
        }
}

int64_t where_pieces(const struct where *where)
{
        return where->pieces.count;
}
