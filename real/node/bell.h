/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_BELL_H
#define LB_REAL_NODE_BELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Doorbells: MPI cannot wait for a message without burning a core, so a rank that has sent one
 * rings the receiver's bell where both are on one machine, and a rank without work sleeps on its
 * bell. Ranks of other machines cannot be rung: while there are any, a sleep is bounded (job_params
 * message_poll_us).
 *
 * - One shared memory segment a machine and job, /lbrun-<uid>-<job>-bell, one futex word a rank.
 *   Same rules of naming, removal and cleaning as in real/node/board.h.
 */
struct bell;

/* local[nrank]: is the rank on this machine? Copied; the same for all of the machine's ranks. Does
 * not wait for the others: a bell can be rung before its rank has opened it. */
struct bell *bell_open(const char *job, int32_t nrank, int32_t rank, const bool *local,
                       struct lb_error *err);
void bell_close(struct bell *bell); /* takes NULL */

bool bell_reaches_all(const struct bell *bell);
void bell_ring(struct bell *bell, int32_t rank); /* nothing where it is on another machine */

/*
 * The caller's rank is awake: while somebody attends, rings count, but wake nobody, and cost no
 * system call. Who stops attending wakes the rank's sleepers: it may have missed
 * something.
 */
void bell_attend(struct bell *bell, bool attended);
bool bell_is_attended(const struct bell *bell);
void bell_wake(struct bell *bell); /* a ring of the own bell that wakes in any case */

/* As board_ticket() and board_wait(), for the caller's rank. */
uint32_t bell_ticket(const struct bell *bell);
void bell_wait(struct bell *bell, uint32_t ticket, int64_t timeout_ns);

#endif
