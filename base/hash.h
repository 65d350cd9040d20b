/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_HASH_H
#define LB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Hashes that find damage and tell contents apart (XXH3, 64 bits, of the xxHash library, compiled
 * in): a changed byte goes unseen once in 2^64. Not against somebody who wants to deceive.
 *
 * - The same bytes and seed give the same hash on any machine, in any build.
 */
uint64_t lb_hash(const void *bytes, size_t size, uint64_t seed);

/* The content of a regular file: what all of it hashes to with seed 0, and how long it is. -1: err
 * says why. */
struct lb_content {
        uint64_t hash;
        int64_t size;
};
int lb_hash_file(const char *path, struct lb_content *content, struct lb_error *err) LB_MUST_CHECK;

/*
 * FNV-1a (64 bits), which takes bytes piece by piece: how they are parted does not matter, and
 * nothing needs to be linked. It begins with lb_hash_of_none.
 */
static const uint64_t lb_hash_of_none = UINT64_C(14695981039346656037);

static inline void lb_hash_add(uint64_t *hash, const void *bytes, size_t size)
{
        const unsigned char *at = bytes;
        for (size_t i = 0; i < size; i++)
                *hash = (*hash ^ at[i]) * UINT64_C(1099511628211);
}

/* The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA'14): each bit of a word changes
 * about half of all. */
static inline uint64_t lb_hash_mix(uint64_t word)
{
        word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
        return word ^ word >> 31;
}

#endif
