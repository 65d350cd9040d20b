/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_DEBRIS_H
#define LB_REAL_LAUNCH_DEBRIS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * What MPI libraries leave when they are killed: shared memory in /dev/shm, and the directories of
 * Open MPI's mpirun under the temporary one. Removed is what
 *
 * - has a name that Open MPI, MPICH or UCX gives, and belongs to this user,
 * - was made since the job began, and
 * - no living process has mapped or open, or whose mpirun is gone: what belongs to another job is
 *   in use, since its maker lives.
 *
 * Returns how many files and directories.
 */
int32_t debris_clean(const struct timespec *since);

/* Remove a directory and all in it, as far as that is allowed; is it gone? */
bool debris_remove_tree(const char *path);

#endif
