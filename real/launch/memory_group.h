/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_MEMORY_GROUP_H
#define LB_REAL_LAUNCH_MEMORY_GROUP_H

#include <stdint.h>

/*
 * The control group that limits this process's memory, its shared memory included (cgroups v1 and
 * v2): a batch system's, or a container's. Where its limit is reached, Linux kills one of its
 * processes with SIGKILL.
 */

/* Processes killed for it so far; -1: there is no such group, or it does not say. */
int64_t memory_group_kills(void);

/* Its limit in bytes; 0: none, or not known. */
int64_t memory_group_limit(void);

#endif
