/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_MEMORY_H
#define LB_REAL_DATA_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Cluster memory: address space at the same place in an apprank and all its helpers. Allocation
 * happens at home; helpers only have the space. Different appranks may use the same addresses.
 *
 * - Pages are taken when touched (no reserve, no swap accounting), and given back when a large
 * block is freed.
 * - Bookkeeping lies outside of the space, so that a wild write cannot harm it.
 * - Nothing here locks: calls for one space, also those that only ask, must not overlap.
 */
struct memory;

/* The lowest gap of `bytes` free in this process at or above `from`, multiple of 1 GiB; 0: none.
 * For processes to agree on an address: take the largest, repeat until all agree. */
uintptr_t memory_gap(uintptr_t from, size_t bytes);

/* Reserve [address, address + bytes), of whole pages. NULL and a message where anything is mapped
 * there, or by a limit. */
struct memory *memory_create(uintptr_t address, size_t bytes, struct lb_error *err);
void memory_destroy(struct memory *memory); /* takes NULL */

/*
 * Most of what is allocated will be touched: pages are large ones, where the kernel has them for
 * who asks (transparent_hugepage). At home, where the first touch of one is a quarter of that of
 * its 512 small ones, and what the program fills is there for tasks that write what lies between.
 * Not at helpers, which would hold 2 MiB for each piece of data that they are sent.
 */
void memory_fill(struct memory *memory);

/* Best fit, aligned to 64 bytes (4096 from 64 KiB on), zeroed. NULL: no room. */
void *memory_alloc(struct memory *memory, size_t bytes);

/* Returns the bytes freed; 0 and no effect where the address is not a block's. */
size_t memory_free(struct memory *memory, void *address);

/* Is the whole range within what was asked for of one block? Within the space at all? */
bool memory_has(const struct memory *memory, uintptr_t begin, size_t bytes);
bool memory_spans(const struct memory *memory, uintptr_t begin, size_t bytes);

/* The allocated block that an address is in; its size, of whole 64 bytes, or 0 where it is in none.
 */
size_t memory_block(const struct memory *memory, uintptr_t address, uintptr_t *begin);

/*
 * Function pointers across processes with differing load addresses: the object that they are in
 * (the program is 0; others are a hash of their build id, or of their file's name where they have
 * none) and the offset in it.
 *
 * - Code only: a pointer to data is in no object.
 * - Another build of a library is another object, so that a call cannot land in the wrong place.
 */
struct memory_code {
        uint64_t object;
        uint64_t offset;
};
int memory_code_from(const void *function, struct memory_code *code); /* -1: in no object */
void *memory_code_to(const struct memory_code *code); /* NULL: no such object, or no code there */

#endif
