/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_MEMORY_H
#define LB_SIM_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory of large machines. Events come from all nodes in turn, so that each touches memory that
 * has not been touched for long; in huge pages less of that is looking up where it is.
 */

enum { MEMORY_LINE = 64 /* bytes of a cache line */ };

/* count * size bytes from a cache line's start, in huge pages where they are many and the system
 * has such; to be freed by free(). NULL: there is no memory, and *failed is set. */
void *memory_lines(size_t count, size_t size, bool *failed);
void *memory_zeroed(size_t count, size_t size, bool *failed);

/*
 * Many small pieces from such memory, each from a cache line's start, whose sizes are a number and
 * that times powers of two. Those that are given back are taken again; all are freed at once.
 */
enum { MEMORY_NCLASS = 40 };
struct memory_pool {
        void *chunk; /* the newest: it begins with where the one before is */
        size_t used, size;
        /* given back, by the logarithm of their bytes; each begins with where the next is */
        void *given[MEMORY_NCLASS];
};

void *memory_take(struct memory_pool *pool, size_t bytes);
void memory_give(struct memory_pool *pool, void *piece, size_t bytes); /* takes NULL */
void memory_finish(struct memory_pool *pool);

#endif
