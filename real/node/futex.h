/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_FUTEX_H
#define LB_REAL_NODE_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * A place in shared memory where threads of any process sleep until someone wakes them.
 *
 * - No wake is lost: take a ticket, look for work, sleep with the ticket; a wake in between makes
 *   the sleep return at once.
 * - A wake where nobody sleeps costs no system call, and one before those that were woken run, no
 *   second. A sleeper that is killed leaves `sleepers` too high, which costs later wakes a system
 *   call and nothing else.
 * - All zero is a good start.
 */
struct futex {
        _Atomic uint32_t wakes;
        _Atomic uint32_t sleepers;
};

static inline uint32_t futex_ticket(const struct futex *futex)
{
        return atomic_load(&futex->wakes);
}

/* Returns when woken since the ticket was taken, or after timeout_ns (< 0: never). */
void futex_sleep(struct futex *futex, uint32_t ticket, int64_t timeout_ns);

/* Wakes all sleepers. */
void futex_wake(struct futex *futex);

/* The same in two steps: no sleep with an older ticket begins any more, and those that have begun
 * are ended. */
static inline void futex_count(struct futex *futex)
{
        atomic_fetch_add(&futex->wakes, 1);
}
void futex_rouse(struct futex *futex);

#endif
