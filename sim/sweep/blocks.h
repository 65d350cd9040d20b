/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_BLOCKS_H
#define LB_SIM_SWEEP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A file of blocks that is only ever appended to (private to the journal): each block is a head and
 * its content, and can be told from damage by itself.
 *
 *   | magic | kind | size | 0 | number | hash |  content  | magic | ...
 *     4 byte  4      4     4     8        8       size
 *
 * - The hash is over the head before it and the content, with the hash of the file's first block as
 *   its seed: a block is good in its own file only, at its own place in the order.
 * - Binary, in this machine's order of bytes: numbers come back as they were, and a million runs
 *   are read in well under a second, where text took most of a minute.
 * - A block is appended by one write(), so what a killed process leaves is at most one block that
 * is cut off, at the end ("torn"); anything else that is not a good block is damage.
 */
enum block_kind {
        BLOCK_NONE = 0,
        BLOCK_HEAD, /* the first block, and no other: JSON, what the file is of */
        BLOCK_NOTE, /* JSON, for people: which build and libraries make the runs that follow */
        BLOCK_RUN,  /* struct record */
};

struct block {
        enum block_kind kind;
        const unsigned char *content; /* [size] in the bytes that are read */
        uint32_t size;
        uint64_t number; /* 0, 1, .. in the file */
        size_t place;    /* of its head in the file */
};

/* A block as it stands in the file, to be freed; NULL without memory. */
struct block_text {
        unsigned char *bytes;
        size_t size;
};
struct block_text block_write(const struct block *block, uint64_t seed);

/* The hash in it: of the first block, the seed of the others. */
uint64_t block_hash(const struct block_text *text);

/* Reading blocks from bytes. */
struct blocks {
        const unsigned char *bytes; /* [size] */
        size_t size, at;
        uint64_t seed, next; /* of the file; the number of the next block */
        int64_t ndamaged;    /* places with damage so far; the first one: */
        size_t damage_begin, damage_end;
        uint64_t damage_number; /* the block that should be there */
        size_t end;             /* behind the last good block, once all are read */
};

/* Begin with the first block; false where it is not a good one (and then nothing else can be
 * trusted). */
bool blocks_begin(struct blocks *blocks, const void *bytes, size_t size, struct block *head);

/* Where blocks_begin() fails: are these at least the first bytes of such a file, and where would
 * its first block end? */
bool blocks_magic(const void *bytes, size_t size);
size_t blocks_head_end(const void *bytes, size_t size);

/* The next good block, or false behind the last. */
bool blocks_next(struct blocks *blocks, struct block *block);

#endif
