/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_PROCESS_H
#define LB_REAL_NODE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is a process still the one it was? Process ids are used again, so it is known by its start time
 * as well. One that was killed and that its parent has not yet waited for counts as gone.
 */
struct process {
        int32_t pid;
        int64_t start_ticks; /* since boot; /proc/<pid>/stat, field 22 */
};

struct process process_self(void);
bool process_alive(const struct process *process);

/*
 * A file descriptor that poll() finds readable once the process is gone; to be closed by the
 * caller. -1 where it is gone already, or where the kernel (before 5.3) has no such thing.
 */
int process_watch(const struct process *process);

/*
 * Call for each thread that a process has, 0: the caller's, with its id as the kernel has it. True:
 * all say so. False also where the threads are not known.
 */
bool process_threads(int32_t pid, bool (*visit)(void *user, int32_t thread), void *user);

#endif
