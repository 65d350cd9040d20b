/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_AHEAD_H
#define LB_BASE_AHEAD_H

/*
 * Memory is asked for before it is needed. GCC takes a function that does nothing else for one
 * without effect, and leaves out calls of it that it has not inlined before it looks; a statement
 * that it may not leave out, of no instructions, keeps them.
 */
static inline void lb_ahead(const void *memory)
{
        __builtin_prefetch(memory);
        __asm__ volatile("");
}

#endif
