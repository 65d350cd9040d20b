/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_START_H
#define LB_REAL_LAUNCH_START_H

#include <sys/types.h>

#include "base/error.h"

/*
 * Start a command, found on PATH, in a session of its own, so that the kernel shares processors
 * between the job and what else the user's shell has started (sched_autogroup; ranks of MPICH's
 * launcher, and of batch systems, have that anyway). It is ended by SIGTERM where this process
 * dies. Its standard input is ours, or nothing where ours is a terminal, which is another session's
 * then; its standard output and error are `out`. From here on SIGCHLD, SIGINT, SIGTERM, SIGHUP,
 * SIGQUIT, SIGTSTP, SIGUSR1 and SIGUSR2 are blocked in this process and read from *signals instead
 * (signalfd(2), not blocking); SIGPIPE is blocked.
 */
int start_process(char *const *word, const int out[static 2], pid_t *pid, int *signals,
                  struct lb_error *err) LB_MUST_CHECK;

#endif
