/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_ALLOCATIONS_H
#define LB_TESTS_ALLOCATIONS_H

#include <stddef.h>

/*
 * Counts allocations: no policy may allocate when it decides. To be included by one source of a
 * program that is linked with --wrap=malloc, --wrap=calloc and --wrap=realloc.
 */
static long nallocation;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
        nallocation++;
        return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
        nallocation++;
        return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
        nallocation++;
        return __real_realloc(memory, size);
}

#endif
