/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_CLAIM_H
#define LB_REAL_LAUNCH_CLAIM_H

#include <stdbool.h>

#include "base/error.h"

/*
 * A file that one job at a time may write to. Held twice:
 *
 * - by a socket in Linux' abstract namespace: this user's jobs on this machine, on any file system;
 * - by a lock on .lbrun-FILE beside it, which says who holds it: jobs on other machines that see
 *   the same directory. The lock goes with the process; the file is removed at the end, and one
 * that a killed job left is taken over. Where a file system has no locks between machines, the file
 *   itself is the claim: one of another machine has to be removed by hand, and that is said.
 *
 * Where nothing can be created beside the file, the socket is all.
 */
struct claim;

/* NULL where another holds it; the message names the process, its host and its batch job. */
struct claim *claim_create(const char *path, struct lb_error *err) LB_MUST_CHECK;

/* The same; *taken: it is another's, and nothing else is wrong. */
struct claim *claim_try(const char *path, bool *taken, struct lb_error *err) LB_MUST_CHECK;
void claim_destroy(struct claim *claim);

#endif
