/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_STEPS_H
#define LB_REAL_BALANCE_STEPS_H

#include "real/balance/host.h"

/*
 * Rounds of ranks that never all meet (host.h): each finds the iterations in its own calls
 * (policies/dpd.h), and when some have passed tells how long one took, without waiting for anybody
 * (gather.h):
 *
 *      rank A  .. step step step told | step .. complete
 *      rank B    .. step step step step told, complete
 *                ^ its first boundary since the last round
 *
 * - Ranks may find other iterations: one with a neighbour less may repeat within a step. So each
 *   one's are counted in those of the rank whose last longest, by the ratio of their durations,
 *   which is a whole number of steps that keep pace with each other.
 * - A boundary at which the pattern breaks, or calls that passed unseen, make what was measured
 *   since the last round void: the next boundary begins anew.
 * - By the thread that initialised MPI. Private to this room.
 */
struct steps;

/* `board`: gather_bytes() of memory that all ranks of the job share; NULL: there is none. All call
 * it together. NULL: no memory. */
struct steps *steps_create(struct balance *b, void *board);
void steps_destroy(struct steps *steps); /* takes NULL */

/* Before MPI ends, by all. */
void steps_end(struct steps *steps);

/* A call begins. When `wanted_s` have passed the next boundary tells, of the `epoch` that all ranks
 * know to be in; others' words of another do not count. */
void steps_call(struct steps *steps, const struct interpose_call *call, int64_t now_ns,
                double wanted_s, int32_t epoch);

/* A call has ended. */
void steps_left(struct steps *steps, int64_t now_ns);

/* Calls have passed unseen. */
void steps_break(struct steps *steps);

/* How often this rank has told, and how often all have. */
int64_t steps_told(const struct steps *steps);
int64_t steps_complete(const struct steps *steps);

/* A round in which all ranks have told: what systems are told of it, but for its number and time.
 * False: not yet, or one of another epoch. */
bool steps_round(struct steps *steps, int32_t epoch, struct balance_round *round);

#endif
