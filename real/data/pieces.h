/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_PIECES_H
#define LB_REAL_DATA_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Disjoint pieces of memory in the order of their addresses, each with what its user keeps of it
 * (private to this folder). A treap whose priorities are a function of the address, so that equal
 * calls give equal trees.
 *
 * - The user's struct begins with a struct piece; the map owns the memory, and hands it out zeroed.
 */
struct piece {
        uintptr_t begin, end; /* [begin, end), not empty */
        struct piece *left, *right;
        uint64_t priority;
};

struct pieces {
        struct piece *root;
        struct piece *spare; /* freed ones, through left */
        void *chunk;         /* memory blocks, through their first word */
        size_t size;         /* of the user's struct */
        int64_t count;
};

void pieces_init(struct pieces *pieces, size_t size);
void pieces_finish(struct pieces *pieces);

/* The first piece that ends after `address`, or NULL. */
struct piece *pieces_from(const struct pieces *pieces, uintptr_t address);

/* Add [begin, end), which must not overlap any other. NULL out of memory. */
struct piece *pieces_add(struct pieces *pieces, uintptr_t begin, uintptr_t end);

/* Remove and free a piece. */
void pieces_remove(struct pieces *pieces, struct piece *piece);

/* Cut a piece in two at `at`, begin < at < end; the rest is returned, its user's part zero. NULL
 * out of memory. */
struct piece *pieces_cut(struct pieces *pieces, struct piece *piece, uintptr_t at);

#endif
