/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_AT_ONCE_H
#define LB_REAL_BALANCE_AT_ONCE_H

#include "base/error.h"
#include "real/node/futex.h"

/*
 * A thread of the rank's that acts whenever it is woken, for what cannot wait until the program
 * comes by (dpb's asynchronous mode; a lull). It sleeps meanwhile, takes no signals, and makes no
 * MPI calls.
 */
struct at_once;

/* act(user) at once, at each wake of `news`, which may be in shared memory, and when so long has
 * passed as act() said the last time, ns (< 0: never). */
struct at_once *at_once_start(struct futex *news, int64_t (*act)(void *user), void *user,
                              struct lb_error *err);
void at_once_stop(struct at_once *at_once); /* takes NULL; returns when it has ended */

/* act() and what is between these two exclude each other; nothing without a thread. */
void at_once_lock(struct at_once *at_once);
void at_once_unlock(struct at_once *at_once);

#endif
