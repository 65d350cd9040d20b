/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_CLAIM_H
#define LB_REAL_LAUNCH_CLAIM_H

#include "base/error.h"

/*
 * A name that one job of this user at a time may write to, here: held by a socket in Linux'
 * abstract namespace, which is gone with this process, so that nothing is left behind. Jobs on
 * other machines do not see it; what they write must be safe without.
 *
 * Returns a descriptor to keep, or -1 where another process holds the name.
 */
int claim_file(const char *path, struct lb_error *err) LB_MUST_CHECK;

#endif
