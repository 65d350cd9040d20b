/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memmem() */
#include "sim/sweep/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct head {
        char magic[4];
        uint32_t kind, size, unused;
        uint64_t number, hash;
};

static const char magic[4] = { 'L', 'B', 'j', '2' };

static uint64_t hash_of(const struct head *head, const void *content, uint64_t seed)
{
        uint64_t of_head = lb_hash(head, offsetof(struct head, hash), seed);
        return lb_hash(content, head->size, of_head);
}

struct block_text block_write(const struct block *block, uint64_t seed)
{
        struct head head = { .kind = block->kind, .size = block->size, .number = block->number };
        struct block_text text = { .size = sizeof(head) + block->size };
        text.bytes = malloc(text.size);
        if (!text.bytes)
                return text;
        memcpy(head.magic, magic, sizeof(magic));
        head.hash = hash_of(&head, block->content, seed);
        memcpy(text.bytes, &head, sizeof(head));
        memcpy(text.bytes + sizeof(head), block->content, block->size);
        return text;
}

uint64_t block_hash(const struct block_text *text)
{
        struct head head;
        memcpy(&head, text->bytes, sizeof(head));
        return head.hash;
}

bool blocks_magic(const void *bytes, size_t size)
{
        return size > 0 && memcmp(bytes, magic, size < sizeof(magic) ? size : sizeof(magic)) == 0;
}

size_t blocks_head_end(const void *bytes, size_t size)
{
        struct head head = { .size = 0 };
        memcpy(&head, bytes, size < sizeof(head) ? size : sizeof(head));
        size_t end = sizeof(head) + head.size;
        return end < size ? end : size;
}

/* Is there a head that can be one, whatever follows it? */
static bool read_head(const struct blocks *blocks, size_t at, struct head *head)
{
        if (blocks->size - at < sizeof(*head))
                return false;
        memcpy(head, blocks->bytes + at, sizeof(*head));
        return memcmp(head->magic, magic, sizeof(magic)) == 0 && head->kind >= BLOCK_HEAD &&
               head->kind <= BLOCK_RUN && head->unused == 0 && head->number >= blocks->next;
}

/* The good block at a place. */
static bool read_block(const struct blocks *blocks, size_t at, struct block *block)
{
        struct head head;
        if (!read_head(blocks, at, &head) || head.size > blocks->size - at - sizeof(head))
                return false;
        const unsigned char *content = blocks->bytes + at + sizeof(head);
        if (head.hash != hash_of(&head, content, blocks->seed))
                return false;
        *block = (struct block){ .kind = (enum block_kind)head.kind,
                                 .content = content,
                                 .size = head.size,
                                 .number = head.number,
                                 .place = at };
        return true;
}

static size_t end_of(const struct block *block)
{
        return block->place + sizeof(struct head) + block->size;
}

bool blocks_begin(struct blocks *blocks, const void *bytes, size_t size, struct block *head)
{
        *blocks = (struct blocks){ .bytes = bytes, .size = size };
        if (!read_block(blocks, 0, head) || head->kind != BLOCK_HEAD || head->number != 0)
                return false;
        struct head first;
        memcpy(&first, bytes, sizeof(first));
        blocks->seed = first.hash;
        blocks->next = 1;
        blocks->at = blocks->end = end_of(head);
        return true;
}

/* The first good block behind a place. */
static bool find_next(const struct blocks *blocks, size_t after, struct block *block)
{
        for (size_t at = after; at < blocks->size; at++) {
                const unsigned char *found =
                    memmem(blocks->bytes + at, blocks->size - at, magic, sizeof(magic));
                if (!found)
                        return false;
                at = (size_t)(found - blocks->bytes);
                if (read_block(blocks, at, block))
                        return true;
        }
        return false;
}

/* Is what is left at the end the beginning of one write()? */
static bool is_torn(const struct blocks *blocks)
{
        struct head head;
        size_t left = blocks->size - blocks->at;
        if (left < sizeof(head))
                return blocks_magic(blocks->bytes + blocks->at, left);
        return read_head(blocks, blocks->at, &head) && head.number == blocks->next &&
               head.size > left - sizeof(head);
}

static void note_damage(struct blocks *blocks, size_t end)
{
        if (blocks->ndamaged++ > 0)
                return;
        blocks->damage_begin = blocks->at;
        blocks->damage_end = end;
        blocks->damage_number = blocks->next;
}

bool blocks_next(struct blocks *blocks, struct block *block)
{
        if (blocks->at == blocks->size)
                return false;
        bool here = read_block(blocks, blocks->at, block);
        if (!here && !find_next(blocks, blocks->at + 1, block)) {
                if (!is_torn(blocks))
                        note_damage(blocks, blocks->size);
                blocks->at = blocks->size;
                return false;
        }
        if (!here || block->number != blocks->next)
                note_damage(blocks, block->place);
        blocks->next = block->number + 1;
        blocks->at = blocks->end = end_of(block);
        return true;
}
