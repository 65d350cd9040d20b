/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_START_H
#define LB_REAL_LAUNCH_START_H

#include <sys/types.h>

#include "base/error.h"

/*
 * Start a command, found on PATH, in a process group of its own, which is ended by SIGTERM where
 * this process dies. Its standard input is ours, or nothing where ours is a terminal, from which a
 * background group may not read; its standard output and error are `out`. From here on SIGCHLD,
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGUSR1 and SIGUSR2 are blocked in this process and
 * read from *signals instead (signalfd(2), not blocking); SIGPIPE is blocked.
 */
int start_process(char *const *word, const int out[static 2], pid_t *pid, int *signals,
                  struct lb_error *err) LB_MUST_CHECK;

#endif
