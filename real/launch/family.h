/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_FAMILY_H
#define LB_REAL_LAUNCH_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * The processes under this one, from /proc. As a "subreaper" it stays an ancestor of all that it
 * started, whatever they fork and whoever of them dies, so that nothing is left behind.
 */
int family_adopt(struct lb_error *err) LB_MUST_CHECK;

/* Send a signal to all descendants. */
void family_signal(int signal);

/* SIGCONT to all descendants that are stopped: others may count such signals. */
void family_continue(void);

/* Has it no child that lives? Where /proc says nothing: no. */
bool family_is_alone(pid_t pid);

/* Has somebody stopped it? Where /proc says nothing: no. */
bool family_is_stopped(pid_t pid);

enum { FAMILY_NAME_SIZE = 32 };

/* What a process is called, as ps has it; "" where /proc says nothing. */
void family_name(pid_t pid, char *name, size_t size);

/* The children of a process, each with what it is called; dead: it has ended, and was not waited
 * for. None where /proc says nothing. */
void family_children(pid_t parent, void (*take)(void *user, pid_t pid, const char *name, bool dead),
                     void *user);

/* Each living process of a group, its leader `top` included, and under that one, as an MPI's
 * launcher gives its ranks groups of their own. */
void family_under(pid_t top, void (*take)(void *user, pid_t pid), void *user);

/* Kill children that came to us when their parents ended, all but `kept`. Returns how many. */
int32_t family_kill_orphans(pid_t kept);

/*
 * What a job has started, wherever it is now: processes of this user that have the job in their
 * environment (real/control/job.h; any job where it is NULL), and all under these. Send each the
 * signal, but not the caller; 0: none is sent. Returns how many there are.
 */
int32_t family_signal_job(const char *job, int signal);

/* Kill what a job's ranks have left behind on a node, when they have ended: processes that have the
 * job in their environment, and are neither the launcher's daemon there, which may have it, too,
 * nor above or below it. Returns how many. */
int32_t family_kill_left(const char *job, pid_t daemon);

/* Give all descendants a second to end, then kill and reap what is left. Returns how many that
 * were. */
int32_t family_end(void);

#endif
