/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_CALLING_H
#define LB_REAL_CONTROL_CALLING_H

#include "policies/called.h"

/*
 * Calls of policies are on record (policies/called.h). The runtime's lock allows one at a time, by
 * whichever thread: whose it is, a watcher is told here.
 */
void control_call_begin(const char *policy, const char *function);
void control_call_end(void);

/* The record of the thread that is in a policy; NULL: none is. Any thread. */
const struct called *control_caller(void);

#endif
