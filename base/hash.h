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

#endif
