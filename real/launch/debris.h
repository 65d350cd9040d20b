/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_DEBRIS_H
#define LB_REAL_LAUNCH_DEBRIS_H

#include <stdint.h>
#include <time.h>

/*
 * Shared memory that MPI libraries leave in /dev/shm when they are killed. Removed is what
 *
 * - has a name that Open MPI, MPICH or UCX gives, and belongs to this user,
 * - was made since the job began, and
 * - no living process has mapped or open: what belongs to another job is, since its maker lives.
 *
 * Returns how many files.
 */
int32_t debris_clean(const struct timespec *since);

#endif
