/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/data/pieces.h"

#include <string.h>

void pieces_init(struct pieces *pieces, size_t size, pieces_parted parted)
{
        *pieces = (struct pieces){ .parted = parted };
        pool_init(&pieces->pool, size);
}

void pieces_finish(struct pieces *pieces)
{
        pool_finish(&pieces->pool);
        pieces->root = NULL;
        pieces->count = 0;
}

static uint64_t priority_of(uintptr_t address)
{
        uint64_t x = (uint64_t)address * 0x9e3779b97f4a7c15u;
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9u;
        return x ^ x >> 32;
}

static struct piece *take(struct pieces *pieces, uintptr_t begin, uintptr_t end)
{
        struct piece *piece = pool_take(&pieces->pool);
        if (!piece)
                return NULL;
        memset(piece, 0, pieces->pool.size);
        piece->begin = begin;
        piece->end = end;
        piece->priority = priority_of(begin);
        return piece;
}

struct piece *pieces_from(const struct pieces *pieces, uintptr_t address)
{
        struct piece *found = NULL;
        for (struct piece *p = pieces->root; p;) {
                if (p->end > address) {
                        found = p;
                        p = p->left;
                } else {
                        p = p->right;
                }
        }
        return found;
}

/* Split a tree into what lies below `address` and the rest. */
static void split(struct piece *tree, uintptr_t address, struct piece **below, struct piece **rest)
{
        while (tree) {
                if (tree->begin < address) {
                        *below = tree;
                        below = &tree->right;
                        tree = tree->right;
                } else {
                        *rest = tree;
                        rest = &tree->left;
                        tree = tree->left;
                }
        }
        *below = *rest = NULL;
}

static struct piece *join(struct piece *a, struct piece *b)
{
        struct piece *tree, **at = &tree;
        while (a && b) {
                if (a->priority > b->priority) {
                        *at = a;
                        at = &a->right;
                        a = a->right;
                } else {
                        *at = b;
                        at = &b->left;
                        b = b->left;
                }
        }
        *at = a ? a : b;
        return tree;
}

struct piece *pieces_add(struct pieces *pieces, uintptr_t begin, uintptr_t end)
{
        struct piece *piece = take(pieces, begin, end);
        if (!piece)
                return NULL;
        struct piece **at = &pieces->root;
        while (*at && (*at)->priority >= piece->priority)
                at = (*at)->begin < begin ? &(*at)->right : &(*at)->left;
        split(*at, begin, &piece->left, &piece->right);
        *at = piece;
        pieces->count++;
        return piece;
}

void pieces_remove(struct pieces *pieces, struct piece *piece)
{
        struct piece **at = &pieces->root;
        while (*at != piece)
                at = (*at)->begin < piece->begin ? &(*at)->right : &(*at)->left;
        *at = join(piece->left, piece->right);
        pool_give(&pieces->pool, piece);
        pieces->count--;
}

struct piece *pieces_cut(struct pieces *pieces, struct piece *piece, uintptr_t at)
{
        uintptr_t end = piece->end;
        piece->end = at;
        struct piece *rest = pieces_add(pieces, at, end);
        if (!rest) {
                piece->end = end;
                return NULL;
        }
        memcpy(rest + 1, piece + 1, pieces->pool.size - sizeof(*piece));
        if (pieces->parted)
                pieces->parted(rest);
        return rest;
}

struct piece *pieces_at(struct pieces *pieces, uintptr_t begin, uintptr_t end)
{
        struct piece *piece = pieces_from(pieces, begin);
        if (!piece || piece->begin >= end)
                return pieces_add(pieces, begin, end);
        if (piece->begin > begin)
                return pieces_add(pieces, begin, piece->begin);
        if (piece->begin < begin)
                piece = pieces_cut(pieces, piece, begin);
        if (piece && piece->end > end && !pieces_cut(pieces, piece, end))
                return NULL;
        return piece;
}
