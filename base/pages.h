/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_PAGES_H
#define LB_BASE_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/*
 * Large blocks for a library that lives in somebody else's program. To malloc() they are a hint
 * about that program: each large block that is freed lets glibc put the next of that size on the
 * heap, whose top may then go back to the system and be fetched again in every step (CoMD: six
 * times the page faults). Inline, since what is preloaded links libc only.
 */

/* All 0; NULL: no memory. For pages_free() with the same size. */
static inline void *pages_get(size_t bytes)
{
        void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return block == MAP_FAILED ? NULL : block;
}

static inline void pages_free(void *block, size_t bytes) /* takes NULL */
{
        if (block)
                munmap(block, bytes);
}

#endif
