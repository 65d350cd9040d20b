/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/data/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "real/data/pieces.h"

/* Blocks in use and gaps cover the space; begin and end are addresses. No two gaps touch. */
struct block {
        struct piece piece;
        struct block *next, *before; /* gaps of about one size */
        bool used;
        bool touched;  /* a gap whose memory may not be zero */
        uint8_t spare; /* at the end of a block in use: bytes that nobody asked for */
};

/* Gaps of 2^i bytes up to the next power of two, in PARTS classes. */
enum { PARTS = 8, NCLASS = 64 * PARTS };

struct memory {
        char *base;
        size_t bytes;
        struct pieces blocks;
        struct block *gaps[NCLASS];
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
        char *line = NULL;
        size_t room = 0;
        if (!maps)
                return 0;
        while (getline(&line, &room, maps) > 0) {
                uintptr_t begin, end;
                if (!parse_range(line, &begin, &end) || end <= at)
                        continue;
                if (begin >= at && begin - at >= bytes)
                        break;
                at = (end + unit - 1) / unit * unit;
        }
        free(line);
        fclose(maps);
        return at < limit && bytes <= limit - at ? at : 0;
}

/* ---- Gaps by size ---- */

static size_t size_of(const struct block *block)
{
        return block->piece.end - block->piece.begin;
}

/* Larger sizes have the same class or a higher one. */
static size_t class_of(size_t bytes)
{
        size_t log = 0;
        for (size_t rest = bytes; rest >>= 1;)
                log++;
        size_t above = log >= 3 ? bytes >> (log - 3) : bytes << (3 - log);
        return log * PARTS + above % PARTS;
}

static void put_gap(struct memory *memory, struct block *gap)
{
        struct block **list = &memory->gaps[class_of(size_of(gap))];
        gap->used = false;
        gap->before = NULL;
        gap->next = *list;
        if (*list)
                (*list)->before = gap;
        *list = gap;
}

static void take_gap(struct memory *memory, struct block *gap)
{
        if (gap->before)
                gap->before->next = gap->next;
        else
                memory->gaps[class_of(size_of(gap))] = gap->next;
        if (gap->next)
                gap->next->before = gap->before;
}

/* Bytes to skip in a gap so that a block in it is aligned. */
static size_t skip(const struct block *gap, size_t bytes)
{
        size_t unit = bytes >= large ? page : alignment;
        return (unit - gap->piece.begin % unit) % unit;
}

/* The smallest gap of a class that has room. */
static struct block *best_of(struct block *gap, size_t bytes)
{
        struct block *best = NULL;
        for (; gap; gap = gap->next) {
                size_t size = size_of(gap);
                if (size < bytes || size - bytes < skip(gap, bytes))
                        continue;
                if (size == bytes)
                        return gap;
                if (!best || size < size_of(best))
                        best = gap;
        }
        return best;
}

static struct block *best_gap(const struct memory *memory, size_t bytes)
{
        struct block *best = NULL;
        for (size_t i = class_of(bytes); i < NCLASS && !best; i++)
                best = best_of(memory->gaps[i], bytes);
        return best;
}

/* ---- Life ---- */

static void *reserve(uintptr_t address, size_t bytes, struct lb_error *err)
{
        enum { HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE };
        void *base = mmap((void *)address, bytes, PROT_READ | PROT_WRITE, HOW, -1, 0);
        if (base != MAP_FAILED && (uintptr_t)base == address)
                return base;
        int why = base == MAP_FAILED ? errno : EEXIST;
        if (base != MAP_FAILED)
                munmap(base, bytes); /* kernels before 4.17 take the address as a hint */
        lb_error_fail(err,
                      "cannot reserve %.3g GiB of address space at %#llx for cluster memory: %s",
                      (double)bytes / 1073741824.0, (unsigned long long)address,
                      why == EEXIST   ? "something else is mapped there"
                      : why == ENOMEM ? "not enough is left (take less, or raise ulimit -v)"
                                      : strerror(why));
        return NULL;
}

struct memory *memory_create(uintptr_t address, size_t bytes, struct lb_error *err)
{
        struct memory *memory = calloc(1, sizeof(*memory));
        if (!memory) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        pieces_init(&memory->blocks, sizeof(struct block), NULL);
        struct block *all = (void *)pieces_add(&memory->blocks, address, address + bytes);
        if (!all)
                lb_error_fail(err, "out of memory");
        else
                memory->base = reserve(address, bytes, err);
        if (!memory->base) {
                memory_destroy(memory);
                return NULL;
        }
        memory->bytes = bytes;
        put_gap(memory, all);
        return memory;
}

void memory_fill(struct memory *memory)
{
        (void)madvise(memory->base, memory->bytes, MADV_HUGEPAGE); /* as pages are, if not so */
}

void memory_destroy(struct memory *memory)
{
        if (!memory)
                return;
        if (memory->base)
                munmap(memory->base, memory->bytes);
        pieces_finish(&memory->blocks);
        free(memory);
}

/* ---- Blocks ---- */

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

/* Cut a gap that is in no list: what is not in the block goes back. NULL out of memory. */
static struct block *cut_gap(struct memory *memory, struct block *gap, uintptr_t begin,
                             size_t bytes)
{
        struct block *block = gap, *rest = NULL;
        if (begin > gap->piece.begin)
                block = (void *)pieces_cut(&memory->blocks, &gap->piece, begin);
        if (block && block->piece.end > begin + bytes)
                rest = (void *)pieces_cut(&memory->blocks, &block->piece, begin + bytes);
        if (block != gap)
                put_gap(memory, gap);
        if (rest)
                put_gap(memory, rest);
        return block;
}

void *memory_alloc(struct memory *memory, size_t bytes)
{
        if (bytes > memory->bytes)
                return NULL;
        size_t asked = bytes;
        bytes = bytes ? (bytes + alignment - 1) / alignment * alignment : alignment;
        struct block *gap = best_gap(memory, bytes);
        if (!gap)
                return NULL;
        take_gap(memory, gap);
        struct block *block = cut_gap(memory, gap, gap->piece.begin + skip(gap, bytes), bytes);
        if (!block)
                return NULL;
        char *begin = memory->base + (block->piece.begin - (uintptr_t)memory->base);
        if (block->touched)
                wipe(begin, size_of(block));
        block->used = block->touched = true;
        block->spare = (uint8_t)(bytes - asked);
        return begin;
}

/* The block or gap that an address of the space lies in. */
static struct block *block_around(const struct memory *memory, uintptr_t address)
{
        return (void *)pieces_from(&memory->blocks, address);
}

/* Two neighbours, gaps in no list, become one. */
static struct block *merge(struct memory *memory, struct block *a, struct block *b)
{
        uintptr_t end = b->piece.end;
        a->touched |= b->touched;
        pieces_remove(&memory->blocks, &b->piece);
        a->piece.end = end;
        return a;
}

static void free_block(struct memory *memory, struct block *block)
{
        uintptr_t base = (uintptr_t)memory->base, end = base + memory->bytes;
        struct block *behind = NULL, *before = NULL;
        if (block->piece.end < end)
                behind = block_around(memory, block->piece.end);
        if (block->piece.begin > base)
                before = block_around(memory, block->piece.begin - 1);
        if (behind && !behind->used) {
                take_gap(memory, behind);
                block = merge(memory, block, behind);
        }
        if (before && !before->used) {
                take_gap(memory, before);
                block = merge(memory, before, block);
        }
        put_gap(memory, block);
}

size_t memory_free(struct memory *memory, void *address)
{
        if (!memory_spans(memory, (uintptr_t)address, 1))
                return 0;
        struct block *block = block_around(memory, (uintptr_t)address);
        if (!block->used || block->piece.begin != (uintptr_t)address)
                return 0;
        size_t bytes = size_of(block);
        if (bytes >= large) {
                wipe(address, bytes);
                block->touched = false;
        }
        free_block(memory, block);
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
        if (!memory_spans(memory, begin, bytes) || begin - (uintptr_t)memory->base == memory->bytes)
                return false;
        const struct block *block = block_around(memory, begin);
        uintptr_t end = block->piece.end - block->spare;
        return block->used && begin <= end && bytes <= end - begin;
}

size_t memory_block(const struct memory *memory, uintptr_t address, uintptr_t *begin)
{
        if (!memory_spans(memory, address, 1))
                return 0;
        const struct block *block = block_around(memory, address);
        if (!block->used)
                return 0;
        *begin = block->piece.begin;
        return size_of(block);
}
