/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_RUNTIME_GRACE_H
#define LB_REAL_RUNTIME_GRACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many tasks a rank has for a taskwait: those that wait, or, as long as it still creates them,
 * as many as it began the last one with.
 */
int64_t grace_expected(int64_t waiting, int64_t usual, bool creates);

/*
 * For how long a rank keeps its tasks while others have not begun the taskwait that it is at: they
 * will probably have tasks of their own in a moment. An eighth of a task or 1/32 of what is
 * to do here, 0.2 ms at least (assumptions: so much may be lost where they have none). No errors.
 */
int64_t grace_ns(int64_t task_ns, int64_t expected, int32_t ncore);

/* Has a rank with so many tasks left of its last taskwait longer to do than it would be waited for
 * here, where so many are to do? Then it will have no new ones in a moment. */
bool grace_is_behind(int64_t task_ns, int64_t left, int64_t expected, int32_t ncore);

#endif
