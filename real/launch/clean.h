/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_CLEAN_H
#define LB_REAL_LAUNCH_CLEAN_H

#include "base/option.h"

/*
 * lbrun clean [--all]: remove what jobs of this user that are gone have left on this node, for the
 * epilog of a batch system: shared memory of lbrun's, files of MPI libraries in /dev/shm, control
 * groups. What a living process has is left alone; with --all the processes of this user's live
 * jobs are ended first.
 */
extern const struct lb_command clean_command;

#endif
