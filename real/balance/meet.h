/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_MEET_H
#define LB_REAL_BALANCE_MEET_H

#include "real/balance/host.h"

/* Rounds (host.h): counting meetings, and what ranks tell each other. Private to this room. */
struct meet;

/* `end_at`, and gather_bytes(): in memory that all ranks of the job share, zero at first; NULL:
 * there is none. All ranks call it together. */
struct meet *meet_create(struct balance *b, _Atomic int64_t *end_at, void *board);
void meet_destroy(struct meet *meet); /* takes NULL */

/* Before MPI ends, by all ranks. */
void meet_end(struct meet *meet);

/* A meeting begins, at now_ns (0: not looked at), and has ended, in one thread. `first`: in the one
 * that initialised MPI. */
void meet_enter(struct meet *meet, const struct interpose_call *call, int64_t now_ns, bool first);
void meet_leave(struct meet *meet, bool failed);

/* Of the thread that initialised MPI, which looks at its calls: one begins, is over (where a round
 * may end), has ended; and some have passed unseen. */
void meet_step(struct meet *meet, const struct interpose_call *call, int64_t now_ns);
void meet_look(struct meet *meet);
void meet_left(struct meet *meet, int64_t now_ns);
void meet_break(struct meet *meet);

#endif
