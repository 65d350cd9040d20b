/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_BALANCE_H
#define LB_REAL_LAUNCH_BALANCE_H

#include <stdbool.h>

#include "base/error.h"

struct options;

/*
 * lbrun --system packing -- LAUNCHER ... PROGRAM: balance a program that nobody rewrote, under its
 * own launcher (real/balance). The launch line is handed on as it is, but for what makes the
 * launcher preload.
 *
 * Exit code: the launcher's; 2 for a wrong command line, and where the program cannot be balanced,
 * before it begins (--or-run: then it runs as it is); 125 where it ended well without MPI.
 */

/* Is the command line for this: a launcher, or a system that needs one? */
bool balance_is_meant(const struct options *options);
int balance_run(const struct options *options, struct lb_error *err) LB_MUST_CHECK;

#endif
