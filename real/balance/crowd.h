/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_CROWD_H
#define LB_REAL_BALANCE_CROWD_H

#include <stdint.h>

/*
 * A rank may have threads that are no OpenMP threads: workers of a task runtime, one that polls for
 * messages, a pool of Python's. Kept together on the CPUs of the rank's part they take turns where
 * they are more than these, while as launched they had the node's other CPUs beside:
 *
 *      part of one CPU      worker  ####....####....####        it polls all the time, and the
 *                           polls   ....####....####....        worker waits for what comes
 *
 * - Looked for by a thread of the rank's own, 20 times a second at first, once a second for a
 * minute, and not later.
 * - One wants a CPU that computes, or waits for one, more than half of the time.
 */
struct crowd;

/* At two looks in a row more threads wanted a CPU than cpus(user) says: found(user, how many), by
 * that thread, and no look follows. NULL: there is no thread for it. */
struct crowd *crowd_create(int32_t (*cpus)(void *user), void (*found)(void *user, int32_t nthread),
                           void *user);
void crowd_destroy(struct crowd *crowd); /* takes NULL */

/* found() and what is between these two exclude each other. */
void crowd_lock(struct crowd *crowd); /* takes NULL, likewise: */
void crowd_unlock(struct crowd *crowd);

#endif
