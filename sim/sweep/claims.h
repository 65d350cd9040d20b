/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_CLAIMS_H
#define LB_SIM_SWEEP_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Who does what when several processes share a sweep (private to sweep*.c): one file in a folder
 * that all of them see, a byte for each unit of work: '.' not begun, '*' begun, '+' done.
 *
 * - A process holds the lock of a unit's byte while it works on it (fcntl, which NFS and Lustre
 * know, too), so what a process leaves that ends before its time is free for others at once.
 * - The bytes are a hint only: what is done stands in the journals. A unit that is done twice does
 *   no harm, since results do not depend on who computes them.
 * - One process uses one `struct claims` of a file; its threads share it under the caller's lock.
 */
struct claims;

/* The file's name says what it is of. */
struct claims_name {
        const char *directory; /* exists */
        uint64_t fingerprint;  /* of the scenario */
        uint64_t build;        /* of the program: ranks of different builds do not share */
        int64_t count;         /* units */
};

/* Open the file; where there is none, make it, with the units done[count], or leave *opened NULL
 * (`done` NULL). */
int claims_open(struct claims **opened, const struct claims_name *name, const bool *done,
                struct lb_error *err) LB_MUST_CHECK;
void claims_close(struct claims *claims);

/* Is the file still there? Rank 0 removes it when everything is done. */
bool claims_there(const struct claims *claims);

/* Close, and remove the file. */
void claims_remove(struct claims *claims);

/*
 * May this process do the unit now? 1: yes, it is its own from now on; 0: no; -1: failure. `again`:
 * also where somebody began it who is no more.
 */
int claims_begin(struct claims *claims, int64_t unit, bool again, struct lb_error *err);

/* The unit is done, and kept in a journal. */
int claims_end(struct claims *claims, int64_t unit, struct lb_error *err) LB_MUST_CHECK;

/* Look at the file: how many units are done, by anybody. `done[count]` may be NULL. -1: failure. */
int64_t claims_look(struct claims *claims, bool *done, struct lb_error *err);

/* Units that somebody began and did not end, and that this process took over. */
int64_t claims_orphans(const struct claims *claims);

#endif
