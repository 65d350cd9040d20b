/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* madvise() */
#include "sim/engine/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, FIRST_CHUNK = 4096 };

static size_t round_up(size_t bytes, size_t to)
{
        return (bytes + to - 1) / to * to;
}

void *memory_lines(size_t count, size_t size, bool *failed)
{
        size_t bytes = count * size, align = bytes >= HUGE_PAGE ? HUGE_PAGE : MEMORY_LINE;
        void *memory;
        if ((size > 0 && count > SIZE_MAX / size) ||
            posix_memalign(&memory, align, bytes ? bytes : 1) != 0) {
                *failed = true;
                return NULL;
        }
#ifdef MADV_HUGEPAGE
        if (align == HUGE_PAGE) /* a wish, for as many as are whole */
                madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
        return memory;
}

void *memory_zeroed(size_t count, size_t size, bool *failed)
{
        void *memory = memory_lines(count, size, failed);
        if (memory)
                memset(memory, 0, count * size);
        return memory;
}

static int class_of(size_t bytes)
{
        return 63 - __builtin_clzll((unsigned long long)bytes);
}

/* Each chunk is as large as all before. */
static bool add_chunk(struct memory_pool *pool, size_t bytes)
{
        bool failed = false;
        size_t size = pool->size ? 2 * pool->size : FIRST_CHUNK;
        while (size < bytes + MEMORY_LINE)
                size *= 2;
        char *chunk = memory_lines(size, 1, &failed);
        if (failed)
                return false;
        memcpy(chunk, &pool->chunk, sizeof(pool->chunk));
        pool->chunk = chunk;
        pool->size = size;
        pool->used = MEMORY_LINE;
        return true;
}

void *memory_take(struct memory_pool *pool, size_t bytes)
{
        void **given = &pool->given[class_of(bytes)], *piece = *given;
        if (piece) {
                memcpy(given, piece, sizeof(*given));
                return piece;
        }
        bytes = round_up(bytes, MEMORY_LINE);
        if ((!pool->chunk || pool->size - pool->used < bytes) && !add_chunk(pool, bytes))
                return NULL;
        piece = (char *)pool->chunk + pool->used;
        pool->used += bytes;
        return piece;
}

void memory_give(struct memory_pool *pool, void *piece, size_t bytes)
{
        if (!piece)
                return;
        void **given = &pool->given[class_of(bytes)];
        memcpy(piece, given, sizeof(*given));
        *given = piece;
}

void memory_finish(struct memory_pool *pool)
{
        while (pool->chunk) {
                void *chunk = pool->chunk;
                memcpy(&pool->chunk, chunk, sizeof(pool->chunk));
                free(chunk);
        }
        *pool = (struct memory_pool){ .chunk = NULL };
}
