/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_WAITS_H
#define LB_REAL_BALANCE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "real/balance/await.h"
#include "real/balance/host.h"

/*
 * Which calls of this rank wait politely, private to this room. What systems ask for
 * (balance_wait_politely()) is of two kinds:
 *
 * - A rank's own waits, for messages, are as it likes: polite, but in a lull, when it has its CPUs
 *   to itself again.
 * - Collective calls are polite in all ranks or in none (real/mpi/transport.h), so that changes
 * where all have met. Before them ranks of one node come together in memory that they share
 * (await.h).
 *
 * Who waits for all before a collective call waits in vain where that call fails: MPI then waits
 * for nobody, and others may come to it only after this rank has left it. So the wait ends in a
 * lull; and once a rank has had such a call it waits for nobody, tells all (struct balance_word),
 * and no collective call is polite any more.
 */

/* When this library is loaded for a job. */
void waits_load(void);

/* A job begins; `await`: of its ranks, NULL where these are on several nodes. It ends. */
void waits_begin(const struct balance *b, struct await *await);
void waits_end(void);

/* Before a collective call in which all ranks meet: for all. */
void waits_come(const struct interpose_call *call);

/* Should this rank wait before that call, for those of its circle (circles.h)? */
bool waits_in_circle(const struct interpose_call *call);

/* A call is over. */
void waits_note(const struct interpose_call *call);

/* Collective calls wait politely; and: from here on, where all have met, as this rank's other waits
 * do. */
bool waits_together(void);
void waits_together_as_alone(void);

/* Has a collective call of this rank failed? And of some rank, as all know who have met. */
bool waits_have_failed(void);
void waits_forgo_together(void);

/* Who waits since start_ns has done so for long. */
bool waits_long(int64_t start_ns);

#endif
