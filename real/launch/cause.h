/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_CAUSE_H
#define LB_REAL_LAUNCH_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How what ended a job is said, of whatever kind it is, into text[size]. */

/* "lbrun was ended by signal 15, Terminated" */
void cause_signal(char *text, size_t size, const char *who, int signal);

/* "RANK, was ended by signal 9, Killed (process 17)", or by its exit code; status: of wait(2).
 * whole: it ends the job with it. */
void cause_rank(char *text, size_t size, const char *rank, bool whole, int status, int64_t pid);

#endif
