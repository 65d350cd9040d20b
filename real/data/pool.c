/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/data/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 16, FIRST_COUNT = 8, LAST_COUNT = 512 };

void pool_init(struct pool *pool, size_t size)
{
        *pool = (struct pool){ .size = (size + UNIT - 1) / UNIT * UNIT, .count = FIRST_COUNT };
}

void pool_finish(struct pool *pool)
{
        for (void *chunk = pool->chunk, *next; chunk; chunk = next) {
                memcpy(&next, chunk, sizeof(next));
                free(chunk);
        }
        pool_init(pool, pool->size);
}

/* One more chunk, larger than the last: small pools stay small, large ones grow in few steps. */
static bool grow(struct pool *pool)
{
        char *chunk = malloc(UNIT + pool->count * pool->size);
        if (!chunk)
                return false;
        memcpy(chunk, &pool->chunk, sizeof(pool->chunk));
        pool->chunk = chunk;
        pool->fresh = chunk + UNIT;
        pool->end = pool->fresh + pool->count * pool->size;
        if (pool->count < LAST_COUNT)
                pool->count *= 2;
        return true;
}

void *pool_take(struct pool *pool)
{
        void *item = pool->spare;
        if (item) {
                memcpy(&pool->spare, item, sizeof(pool->spare));
                return item;
        }
        if (pool->fresh == pool->end && !grow(pool))
                return NULL;
        item = pool->fresh;
        pool->fresh += pool->size;
        return item;
}

void pool_give(struct pool *pool, void *item)
{
        memcpy(item, &pool->spare, sizeof(pool->spare));
        pool->spare = item;
}
