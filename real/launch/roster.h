/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_ROSTER_H
#define LB_REAL_LAUNCH_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/launch/news.h"

struct plan;

/*
 * What lbrun knows of the ranks, from the news of their keepers.
 *
 * - The first process that tells of a rank is its keeper: nobody else's news of it are believed.
 * - A keeper that is gone without a word of its rank's end was killed. The kernel is asked for the
 *   order in which keepers end, since MPICH's launcher kills the others' soon after the first.
 * - Ranks wait for each other in MPI_Init() and in lbrun_start(): once all are in or past it and
 *   none has come further for start_s, they never will. Nor will a rank that nobody has started
 *   that long after the others: its node does not answer, or the launcher waits for something.
 * Where there are several nodes it is a second more for each. (They reach lbrun's host, as the
 * launcher needs that, too.)
 */
struct roster;

struct roster *roster_create(const struct plan *plan, struct lb_error *err);
void roster_destroy(struct roster *roster); /* takes NULL */

/* For poll(2): readable when a keeper has ended. */
int roster_fd(const struct roster *roster);

/* Note what is told; false where it is not to be believed. */
bool roster_take(struct roster *roster, const struct news *news);

/*
 * Keepers that were killed, in three steps, as a keeper tells of its rank's end before its own, and
 * a launcher kills others after that:
 *
 *      roster_look()   note which keepers are gone
 *      roster_take()   all news that there are
 *      roster_lost()   the next one that went without a word of its rank's end, as that
 * (NEWS_KEEPER)
 */
void roster_look(struct roster *roster);
bool roster_lost(struct roster *roster, struct news *lost);

/* The first end of a rank of that node that is not well, as far as is known, a lost keeper among
 * them, but for one that ends for another's; false: none. The order of a node's news is that of
 * what has happened there. */
bool roster_first_failed(const struct roster *roster, int32_t node, struct news *first);

/* Note that a process came to us as an orphan, if it is a rank's: its keeper is gone. Where files
 * for the kernel's order run out, or before Linux 5.3. */
void roster_orphaned(struct roster *roster, int32_t pid);

/* To the ranks of this machine that are known to live: they are told to end first, so that the job
 * can write what there is (real/runtime/save.c) before mpirun kills it. Returns how many were sent
 * the signal. */
int32_t roster_signal(const struct roster *roster, int signal);

/* When to look at the start again; 0: no more. */
int64_t roster_due_ns(const struct roster *roster, int64_t now);

/* Does the start last too long? Then `text` says of which rank. Where a rank is not known to be
 * stuck, but the others wait for it, that is said on stderr, once. Called once a second. */
bool roster_overdue(struct roster *roster, int64_t now, char *text, size_t size);

#endif
