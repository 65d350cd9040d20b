/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/data/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks and gaps, alternating or not, in the order of their addresses; they cover the space. */
struct block {
        size_t offset, bytes;
        bool used, touched; /* touched: a gap whose memory may not be zero */
};

struct memory {
        char *base;
        size_t bytes;
        struct block *block;
        size_t nblock, room;
};

static const size_t alignment = 64, page = 4096, large = 64 << 10;

/* ---- The space ---- */

static bool parse_range(const char *line, uintptr_t *begin, uintptr_t *end)
{
        char *at;
        *begin = (uintptr_t)strtoull(line, &at, 16);
        if (*at != '-')
                return false;
        *end = (uintptr_t)strtoull(at + 1, &at, 16);
        return *at == ' ';
}

uintptr_t memory_gap(uintptr_t from, size_t bytes)
{
        const uintptr_t unit = (uintptr_t)1 << 30, limit = (uintptr_t)1 << 47;
        uintptr_t at = (from + unit - 1) / unit * unit;
        FILE *maps = fopen("/proc/self/maps", "r");
        char line[4096];
        if (!maps)
                return 0;
        while (fgets(line, sizeof(line), maps)) {
                uintptr_t begin, end;
                if (!parse_range(line, &begin, &end) || end <= at)
                        continue;
                if (begin >= at && begin - at >= bytes)
                        break;
                at = (end + unit - 1) / unit * unit;
        }
        fclose(maps);
        return at < limit && bytes <= limit - at ? at : 0;
}

struct memory *memory_create(uintptr_t address, size_t bytes, struct lb_error *err)
{
        struct memory *memory = calloc(1, sizeof(*memory));
        struct block *block = malloc(16 * sizeof(*block));
        if (!memory || !block) {
                free(memory);
                free(block);
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        void *base = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (base == MAP_FAILED || (uintptr_t)base != address) {
                int why = base == MAP_FAILED ? errno : EEXIST;
                if (base != MAP_FAILED)
                        munmap(base, bytes);
                free(memory);
                free(block);
                lb_error_fail(err,
                              "cannot reserve %zu GiB of address space for cluster memory: %s%s",
                              bytes >> 30, strerror(why),
                              why == ENOMEM ? " (lower memory_gib, or raise ulimit -v)" : "");
                return NULL;
        }
        block[0] = (struct block){ .bytes = bytes };
        *memory = (struct memory){ base, bytes, block, 1, 16 };
        return memory;
}

void memory_destroy(struct memory *memory)
{
        if (!memory)
                return;
        munmap(memory->base, memory->bytes);
        free(memory->block);
        free(memory);
}

/* ---- Blocks ---- */

/* The block that `offset` lies in. */
static size_t find(const struct memory *memory, size_t offset)
{
        size_t low = 0, high = memory->nblock;
        while (high - low > 1) {
                size_t middle = (low + high) / 2;
                if (memory->block[middle].offset <= offset)
                        low = middle;
                else
                        high = middle;
        }
        return low;
}

/* Cut block i so that it has `bytes`; false out of memory. */
static bool cut(struct memory *memory, size_t i, size_t bytes)
{
        if (memory->block[i].bytes == bytes)
                return true;
        if (memory->nblock == memory->room) {
                struct block *grown = realloc(memory->block, 2 * memory->room * sizeof(*grown));
                if (!grown)
                        return false;
                memory->block = grown;
                memory->room *= 2;
        }
        struct block *block = &memory->block[i];
        memmove(block + 1, block, (memory->nblock - i) * sizeof(*block));
        memory->nblock++;
        block[0].bytes = bytes;
        block[1].offset += bytes;
        block[1].bytes -= bytes;
        return true;
}

/* Merge gap i with the gap behind it, if there is one. */
static void merge(struct memory *memory, size_t i)
{
        struct block *block = &memory->block[i];
        if (i + 1 >= memory->nblock || block[0].used || block[1].used)
                return;
        block[0].bytes += block[1].bytes;
        block[0].touched |= block[1].touched;
        memmove(block + 1, block + 2, (memory->nblock - i - 2) * sizeof(*block));
        memory->nblock--;
}

/* Bytes to skip in a gap so that a block in it is aligned. */
static size_t skip(const struct block *gap, size_t bytes)
{
        size_t unit = bytes >= large ? page : alignment;
        return (unit - gap->offset % unit) % unit;
}

static size_t best_gap(const struct memory *memory, size_t bytes)
{
        size_t best = memory->nblock;
        for (size_t i = 0; i < memory->nblock; i++) {
                const struct block *gap = &memory->block[i];
                if (gap->used || gap->bytes < bytes || gap->bytes - bytes < skip(gap, bytes))
                        continue;
                if (best == memory->nblock || gap->bytes < memory->block[best].bytes)
                        best = i;
        }
        return best;
}

/* Zero again; whole pages of large ones go back to the system, which hands out zeroed ones. */
static void wipe(char *from, size_t bytes)
{
        char *begin = from + (page - (uintptr_t)from % page) % page;
        char *end = from + bytes - (uintptr_t)(from + bytes) % page;
        if (bytes < large || madvise(begin, (size_t)(end - begin), MADV_DONTNEED) != 0) {
                memset(from, 0, bytes);
                return;
        }
        memset(from, 0, (size_t)(begin - from));
        memset(end, 0, (size_t)(from + bytes - end));
}

void *memory_alloc(struct memory *memory, size_t bytes)
{
        if (bytes > memory->bytes)
                return NULL;
        bytes = bytes ? (bytes + alignment - 1) / alignment * alignment : alignment;
        size_t i = best_gap(memory, bytes);
        if (i == memory->nblock)
                return NULL;
        size_t front = skip(&memory->block[i], bytes);
        if (front > 0 && !cut(memory, i++, front))
                return NULL;
        if (!cut(memory, i, bytes))
                return NULL;
        struct block *block = &memory->block[i];
        if (block->touched)
                wipe(memory->base + block->offset, bytes);
        block->used = block->touched = true;
        return memory->base + block->offset;
}

size_t memory_free(struct memory *memory, void *address)
{
        if (!memory_spans(memory, (uintptr_t)address, 1))
                return 0;
        size_t offset = (size_t)((char *)address - memory->base);
        size_t i = find(memory, offset);
        struct block *block = &memory->block[i];
        if (!block->used || block->offset != offset)
                return 0;
        size_t bytes = block->bytes;
        block->used = false;
        if (bytes >= large) {
                wipe(memory->base + offset, bytes);
                block->touched = false;
        }
        merge(memory, i);
        if (i > 0)
                merge(memory, i - 1);
        return bytes;
}

bool memory_spans(const struct memory *memory, uintptr_t begin, size_t bytes)
{
        uintptr_t base = (uintptr_t)memory->base;
        return begin >= base && begin - base <= memory->bytes &&
               bytes <= memory->bytes - (begin - base);
}

bool memory_has(const struct memory *memory, uintptr_t begin, size_t bytes)
{
        if (!memory_spans(memory, begin, bytes))
                return false;
        size_t offset = begin - (uintptr_t)memory->base;
        const struct block *block = &memory->block[find(memory, offset)];
        return block->used && offset - block->offset + bytes <= block->bytes;
}
