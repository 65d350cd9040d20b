/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_TEAM_H
#define LB_REAL_BALANCE_TEAM_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"
#include "real/node/board.h"
#include "real/node/cores.h"

struct balance;

/*
 * The threads of this process's parallel regions: how many a region has, and the CPUs that they are
 * on, which are those that the process may use of its node (real/node/cores.h).
 *
 * - CPUs of a node are numbered from 0 in the order of its set; virtual ones as their groups. A
 *   process on real CPUs has a mask, of all of its threads; on virtual ones each thread is in the
 *   group of one CPU, and enters it by itself as its part of a region begins.
 * - How many threads a program's regions may have follows from what it asked (real/openmp), after
 *   it has run a while with the number that it started with (docs/facts.md P1, docs/manual.md):
 *
 *      it never asks how many threads there are    any number, from region to region
 *      it asks, or numbers its threads             up to what it was told; changed in MPI calls, so
 *                                                  that what it is told stays true until the next
 *      it divides work by a number known before,   always the same: the CPUs change alone
 *      or its threads have data of their own
 *
 * - All calls by the thread that initialised MPI, but team_thread().
 */
struct team;

/* What may change. */
enum malleable {
        MALLEABLE_AUTO = 0, /* not known yet */
        MALLEABLE_THREADS,
        MALLEABLE_ASKED,
        MALLEABLE_AFFINITY,
        MALLEABLE_NONE, /* no OpenMP is seen */
        MALLEABLE_KEEPS /* as AFFINITY, for its threads' own data */
};

/* Its parameters: real/balance/params.c. */
enum team_param {
        TEAM_MALLEABLE,
        TEAM_THREADS,
        TEAM_CORES_BY,
        TEAM_NODE_CPUS,
        TEAM_TRIAL,
        TEAM_NPARAM
};
extern const struct lb_param team_params[];

/* Equal parts at first. `lends`: a rank may use all CPUs of the others, and not but one of each.
 * Collective among the ranks of the node. */
struct team *team_create(struct balance *b, bool lends, struct lb_error *err);
/* That which another system has begun with, and given up by team_leave(); else a new one. */
struct team *team_take(struct balance *b, bool lends, struct lb_error *err);
void team_leave(struct team *team);
void team_destroy(struct team *team); /* takes NULL */

struct board *team_board(const struct team *team);
const struct cores_choice *team_cores(const struct team *team);
int32_t team_ncore(const struct team *team);
const int32_t *team_initial(const struct team *team); /* [nmate] cores owned at the start */

/* Give up CPUs beyond the target of this rank's row of the board, or take what others have given
 * up, outside of regions. Returns whether any changed: then settle. */
bool team_exchange(struct team *team);

/* Nothing changes before this: the program has run so far that it has met all of its regions. */
void team_open(struct team *team);

/* Look again which CPUs the process may use, and be on them: its own, and those borrowed. At the
 * edge of a region, or outside of all. Returns how many. */
int32_t team_settle(struct team *team);

/* In an MPI call, outside of regions: what the program is told of its threads may change here. */
void team_in_mpi(struct team *team);

/* Outside of regions the program asks how many threads there will be. */
void team_asked(void);

/* A region begins that would have `most` threads: how many it is to have; 0: as it is. */
int32_t team_threads(struct team *team, int32_t most);

/* Each thread as its part begins. */
void team_thread(const struct team *team, int32_t thread);

/* Any thread: is it on one CPU of the team's, since its last part of a region? And onto all of
 * them, up to the next one: what it starts is on the CPUs that it is on itself. */
bool team_has_put(const cpu_set_t *now);
void team_spread(void);

/* As many CPUs as could be used: 1 where there is no OpenMP. */
int32_t team_bound(const struct team *team);

/* Could its regions have a thread on more CPUs than the rank has at first, as far as is known? */
bool team_could_use_more(const struct team *team);

/* CPUs that its regions have a thread on. */
int32_t team_width(const struct team *team);

/* What may change, as far as is known. */
enum malleable team_malleable(const struct team *team);

/* May an MPI call change how many threads its regions have, as far as is known? */
bool team_may_change(const struct team *team);

/* Into the leaf: CPUs of this rank, now and at the start, threads, and what may change. */
void team_tell(const struct team *team);

#endif
