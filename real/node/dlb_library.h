/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_DLB_LIBRARY_H
#define LB_REAL_NODE_DLB_LIBRARY_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The entry points of DLB that the core manager calls, declared by hand: these and the numbers of
 * the answers are the same in all versions from 2.1 on. A process's cores are a cpu_set_t.
 */
enum dlb_answer {
        DLB_NOTHING = 2, /* there was nothing to do */
        DLB_NOTED = 1,   /* a guest is still on the core */
        DLB_DONE = 0,
        DLB_STARTED = -3, /* already, in this process; also where a start has failed before */
        DLB_NOT_ALLOWED = -8,
        DLB_PENDING = -7, /* somebody else has ordered a change that was not polled yet */
};

struct dlb_library {
        int (*init)(int ncpus, const cpu_set_t *mask, const char *arguments);
        int (*finalize)(void);
        int (*get_version)(int *major, int *minor, int *patch);
        int (*get_variable)(const char *name, char *value);
        int (*count_cpus)(int *count);
        int (*lend)(int core);
        int (*borrow)(int core);
        int (*reclaim)(int core);
        int (*give_back)(int core);
        int (*is_mine)(int core);
        int (*set_mask)(int pid, const cpu_set_t *mask, int flags); /* pid 0: the caller */
        int (*poll)(void);
        char path[1024];
        int32_t major_version, minor, patch;
};

/* Find and load it. On failure err tells what was found and what is needed; `path` is set as far
 * as it is known. The library is never unloaded: it may have started threads. */
int dlb_library_load(struct dlb_library *library, struct lb_error *err) LB_MUST_CHECK;

/* "DLB_ERR_PERM (-8)" into text[size]. */
void dlb_answer_name(int answer, char *text, size_t size);

#endif
