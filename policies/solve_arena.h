/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SOLVE_ARENA_H
#define LB_POLICIES_SOLVE_ARENA_H

#include <stddef.h>

/*
 * Arrays one after the other in a block of memory that somebody else provides (private to the
 * solvers). The same code runs twice: without a block it counts the bytes, with one it hands them
 * out.
 */
struct arena {
        char *base; /* aligned for any type; NULL: only count */
        size_t used;
};

enum { ARENA_ALIGNMENT = 16 };

/* `count` objects of `size` bytes, or NULL while only counting. */
static inline void *arena_take(struct arena *arena, size_t count, size_t size)
{
        size_t at = (arena->used + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
        arena->used = at + count * size;
        return arena->base ? arena->base + at : NULL;
}

#endif
