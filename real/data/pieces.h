/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_PIECES_H
#define LB_REAL_DATA_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "real/data/pool.h"

/*
 * Disjoint pieces of memory in the order of their addresses, each with what its user keeps of it
 * (private to this folder). A treap whose priorities are a function of the address, so that equal
 * calls give equal trees.
 *
 * - The user's struct begins with a struct piece; the map owns the memory, and hands it out zeroed.
 * - A piece may be made longer by setting its end, where nothing is behind it.
 */
struct piece {
        uintptr_t begin, end; /* [begin, end), not empty */
        struct piece *left, *right;
        uint64_t priority;
};

/* A piece was cut: the user's part of `rest` is a copy of that of the piece before it. */
typedef void (*pieces_parted)(struct piece *rest);

struct pieces {
        struct piece *root;
        struct pool pool; /* of the user's struct */
        pieces_parted parted;
        int64_t count;
};

/* Pieces of `size` bytes, the user's struct; parted may be NULL. */
void pieces_init(struct pieces *pieces, size_t size, pieces_parted parted);
void pieces_finish(struct pieces *pieces);

/* The first piece that ends after `address`, or NULL. */
struct piece *pieces_from(const struct pieces *pieces, uintptr_t address);

/* Add [begin, end), which must not overlap any other. NULL out of memory. */
struct piece *pieces_add(struct pieces *pieces, uintptr_t begin, uintptr_t end);

/* Remove and free a piece. */
void pieces_remove(struct pieces *pieces, struct piece *piece);

/* Cut a piece in two at `at`, begin < at < end. Returns the rest; NULL out of memory. */
struct piece *pieces_cut(struct pieces *pieces, struct piece *piece, uintptr_t at);

/* The piece that begins at `begin`: made, where there is none, or cut, so that it ends at `end` at
 * the latest. NULL out of memory. */
struct piece *pieces_at(struct pieces *pieces, uintptr_t begin, uintptr_t end);

#endif
