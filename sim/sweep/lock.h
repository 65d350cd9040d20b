/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_LOCK_H
#define LB_SIM_SWEEP_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/*
 * DIR/lock: one process at a time reads and writes what a directory of results holds. The lock is
 * the process's own and ends with it; a process takes it once at a time.
 */

/* Take it (`wait`: once another process is done with the directory); a file descriptor, or -1. */
int directory_lock(const char *directory, bool wait, struct lb_error *err) LB_MUST_CHECK;
void directory_unlock(int lock); /* -1 is fine */

#endif
