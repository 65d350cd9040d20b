/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/data/pieces.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 }; /* pieces taken from the system at once */

void pieces_init(struct pieces *pieces, size_t size)
{
        size_t unit = sizeof(void *) * 2;
        *pieces = (struct pieces){ .size = (size + unit - 1) / unit * unit };
}

void pieces_finish(struct pieces *pieces)
{
        for (void *chunk = pieces->chunk, *next; chunk; chunk = next) {
                memcpy(&next, chunk, sizeof(next));
                free(chunk);
        }
        *pieces = (struct pieces){ .size = pieces->size };
}

/* More spare pieces; false out of memory. */
static bool refill(struct pieces *pieces)
{
        enum { HEAD = 64 };
        char *chunk = malloc(HEAD + CHUNK * pieces->size);
        if (!chunk)
                return false;
        memcpy(chunk, &pieces->chunk, sizeof(pieces->chunk));
        pieces->chunk = chunk;
        for (size_t i = 0; i < CHUNK; i++) {
                struct piece *piece = (void *)(chunk + HEAD + i * pieces->size);
                piece->left = pieces->spare;
                pieces->spare = piece;
        }
        return true;
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
        if (!pieces->spare && !refill(pieces))
                return NULL;
        struct piece *piece = pieces->spare;
        pieces->spare = piece->left;
        memset(piece, 0, pieces->size);
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
        piece->left = pieces->spare;
        pieces->spare = piece;
        pieces->count--;
}

struct piece *pieces_cut(struct pieces *pieces, struct piece *piece, uintptr_t at)
{
        uintptr_t end = piece->end;
        piece->end = at;
        struct piece *rest = pieces_add(pieces, at, end);
        if (!rest)
                piece->end = end;
        return rest;
}
