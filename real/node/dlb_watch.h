/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_DLB_WATCH_H
#define LB_REAL_NODE_DLB_WATCH_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A watchdog over calls of DLB. Its lock is not one that survives its holder: where a process is
 * killed in a call, all others wait in theirs for ever. So a thread looks ten times within the
 * patience whether a call has begun and not ended; where it is the same one every time, it says so
 * and ends the process. A process that is stopped and goes on is not mistaken for that, since its
 * watchdog was stopped as well.
 */
struct dlb_watch;

/* As `hung` and `patience_s` of struct cores_spec. */
struct dlb_watch *dlb_watch_create(void (*hung)(const char *text), double patience_s,
                                   struct lb_error *err);
void dlb_watch_destroy(struct dlb_watch *watch); /* takes NULL */

/* Odd while a call is under way. */
_Atomic uint64_t *dlb_watch_count(struct dlb_watch *watch);

/* Around each call; by one thread at a time. */
static inline void dlb_watch_step(_Atomic uint64_t *count)
{
        uint64_t now = atomic_load_explicit(count, memory_order_relaxed);
        atomic_store_explicit(count, now + 1, memory_order_relaxed);
}

#endif
