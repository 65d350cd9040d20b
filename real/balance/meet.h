/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_MEET_H
#define LB_REAL_BALANCE_MEET_H

#include "real/balance/host.h"

/* Rounds (host.h): counting meetings, and what ranks tell each other. Private to this room. */
struct meet;

/* `end_at`: in memory that all ranks of the job share, zero at first; NULL: there is none. */
struct meet *meet_create(struct balance *b, _Atomic int64_t *end_at);
void meet_destroy(struct meet *meet); /* takes NULL */

/* A meeting begins, and has ended, in one thread. `first`: in the one that initialised MPI. */
void meet_enter(struct meet *meet, const struct interpose_call *call, int64_t now_ns, bool first);
void meet_leave(struct meet *meet);

#endif
