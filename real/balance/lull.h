/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_LULL_H
#define LB_REAL_BALANCE_LULL_H

#include <stdbool.h>

#include "real/balance/host.h"

/*
 * A lull: rounds have come, balancing has begun, and none comes any more (ranks hand out work and
 * wait in MPI_Waitany, poll, or compute without a call). What balances then can be held against
 * nothing, so each rank goes back by itself to how the program ran before, until rounds come again:
 *
 *      rounds  | | | | |                                   | | |
 *      rank    balanced ........ | as before ............. | all ranks begin anew
 *                       LULL_S, or LULL_ROUNDS times the
 *                       longest that one took so far
 *
 * - By a thread of the rank's own, since who polls or computes makes no call that is looked at. It
 *   is there from the first time on that a system changes something, and wakes twice a second.
 * - What ranks may only do alike (collective calls that wait politely) stays, until a round comes:
 *   its words tell of it, so that all ranks go back, whether they had noticed or not.
 * - A lull that ends by itself doubles what the next one takes to be seen: a program that pauses
 *   now and then comes to rest.
 */
struct lull;

/* NULL: no memory. */
struct lull *lull_create(struct balance *b);
void lull_destroy(struct lull *lull); /* takes NULL */

/* Where nothing can be held against rounds any more: that thread ends. */
void lull_stop(struct lull *lull);

/* A system may change something from now on. Within a round. */
void lull_watch(struct lull *lull);

/* This rank has gone back. Any thread. */
bool lull_is_on(const struct lull *lull);

/* The system is told of a round. */
void lull_round(struct lull *lull, const struct balance_round *round);

/* What is between these, a round and going back exclude each other. */
void lull_lock(struct lull *lull);
void lull_unlock(struct lull *lull);

#endif
