/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_LIMITS_H
#define LB_REAL_LAUNCH_LIMITS_H

#include "base/error.h"

struct plan;

/*
 * Limits of this process that the job certainly does not come to life within, since MPI's launchers
 * may then wait for ever: descriptors, processes, sizes of files; and a /dev/shm too small for the
 * job. Soft limits of descriptors are raised where that is allowed and needed. Returns -1 with what
 * was found and what is needed.
 */
int limits_check(const struct plan *plan, struct lb_error *err) LB_MUST_CHECK;

#endif
