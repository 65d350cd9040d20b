/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_POOL_H
#define LB_REAL_DATA_POOL_H

#include <stddef.h>

/*
 * Items of one size, taken and given back without the cost of malloc() (private to this folder).
 *
 * - Memory returns to the system in pool_finish() only, which also frees items that are out.
 * - An item's contents are whatever they were. Aligned for any type.
 */
struct pool {
        void *spare;        /* items given back, through their first word */
        char *fresh, *end;  /* never taken yet */
        void *chunk;        /* memory blocks, through their first word */
        size_t size, count; /* of an item; items in the next chunk */
};

void pool_init(struct pool *pool, size_t size);
void pool_finish(struct pool *pool);

void *pool_take(struct pool *pool); /* NULL out of memory */
void pool_give(struct pool *pool, void *item);

#endif
