/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CPU_GROUPS_H
#define LB_REAL_NODE_CPU_GROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Virtual CPUs that compute: one control group for each virtual core, with a quota of processor
 * time in each period. So a small machine has many slow CPUs, whose threads share them as they
 * would share real ones.
 *
 * - Version 1 of control groups (a mounted cpu controller; quotas in cpu.cfs_quota_us, threads by
 *   `tasks`) and version 2 (cpu.max, threaded groups). Version 1 where both are there, since a
 *   controller belongs to one of them.
 * - Groups are BASE/lbrun-<uid>-<job>/n<node>c<core>, BASE being the group of the caller. Threads
 *   enter by themselves; a group that has threads cannot be removed.
 * - Nothing here is called while a thread computes.
 */
enum { CPU_GROUPS_PATH_SIZE = 1024 };

struct cpu_groups {
        int version;                     /* 1 or 2 */
        char base[CPU_GROUPS_PATH_SIZE]; /* a directory of a control group file system */
        char top[CPU_GROUPS_PATH_SIZE];  /* the job's */
};

/* ---- How fast ---- */

/* A quota in microseconds of every period. */
struct cpu_quota {
        int64_t quota_us, period_us;
};

/*
 * The speed of a virtual CPU, where those of node n run at factor[n] of it: `asked`, or if that is
 * 0 the fastest that leaves the quotas within their part of `ncpu` real CPUs, in steps of 0.001.
 * Fails where asked is too much, where a CPU would be faster than a real one, or slower than a
 * quota can say.
 */
int cpu_groups_speed(double asked, double ncpu, int32_t nnode, int32_t ncore, const double *factor,
                     double *speed, struct lb_error *err) LB_MUST_CHECK;

/* The shortest period of a speed from 0.001 to 1 (Linux takes no quota below 1 ms). */
struct cpu_quota cpu_groups_quota(double speed);

/*
 * Has a CPU that was wanted missed its quota? `run_ns` is what its threads ran, `delay_ns` what
 * they were ready and did not, because of the quota or of others. Returns the share that it missed:
 * 0 where it had its speed or more, or where it was wanted too little to tell.
 */
double cpu_groups_missed(int64_t run_ns, int64_t delay_ns, double speed);

/* A run whose CPUs missed more of their quotas than this is not valid. */
extern const double cpu_groups_missed_max;

/* ---- Groups ---- */

/* The CPUs that this process may use: its mask's, less where its group has a quota itself. */
double cpu_groups_real(const struct cpu_groups *groups);

/* Find where groups of a job go. `proc` is /proc/self, or of the same form. Makes nothing. */
int cpu_groups_find(struct cpu_groups *groups, const char *proc, const char *job,
                    struct lb_error *err) LB_MUST_CHECK;

/* Make them, each with its node's factor of the speed, and enter and leave one to see that it is
 * allowed. On failure none is left. */
int cpu_groups_create(const struct cpu_groups *groups, int32_t nnode, int32_t ncore,
                      const double *factor, double speed, struct lb_error *err) LB_MUST_CHECK;

/* Remove the job's, which nobody is to use any more: waits a little for threads that end. False
 * where one is still in use. */
bool cpu_groups_remove(const struct cpu_groups *groups);

/* The same for a job by its id, and for those of this user whose lbrun is gone and whose threads
 * are. NULL: these alone. */
void cpu_groups_clean(const char *job);

/* The calling thread alone, and those that it starts from then on: into a group, and out of it, to
 * the job's other threads, which have no quota and come before other work of the machine as well:
 * messages must not wait for it. */
int cpu_groups_enter(const struct cpu_groups *groups, int32_t node, int32_t core,
                     struct lb_error *err) LB_MUST_CHECK;
int cpu_groups_put(const struct cpu_groups *groups, pid_t thread, int32_t node, int32_t core,
                   struct lb_error *err) LB_MUST_CHECK; /* another one of this process's */
void cpu_groups_leave(const struct cpu_groups *groups);

/* What the calling thread has run, and waited for a CPU while ready, since its start. */
struct cpu_times {
        int64_t run_ns, delay_ns;
};
struct cpu_times cpu_times_now(void);

/* Of all groups, what the kernel counted: periods in which one was active, those in which it used
 * up its quota, and how long it was held then. */
struct cpu_stat {
        int64_t periods, throttled;
        double throttled_s;
};
struct cpu_stat cpu_groups_stat(const struct cpu_groups *groups);

#endif
