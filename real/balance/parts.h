/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_PARTS_H
#define LB_REAL_BALANCE_PARTS_H

#include <stdint.h>

/*
 * What a parallel region takes on CPUs that are quotas (real/node/cpu_groups.h). Such a CPU runs at
 * full speed until its quota is used up, and then not at all: a short region ends before that, and
 * what comes after it has the wait; in a longer one some threads wait for another's quota. So a
 * part takes its thread's processor time over the CPU's speed, and what it slept; a region as long
 * as its longest part.
 *
 *      opens it   fork .. start  part  stop  (waits, tasks) join
 *      others             start  part  pause (waits) resume  part  stop
 *
 * - Sleep in waits for the team is none of the work's. Of tasks that are run behind the part those
 *   of the thread that opens the region count.
 * - One region of a process at a time; parts within parts are the outer one's.
 */
void parts_fork(double speed);
struct parts_time {
        int64_t longest_ns; /* the region's length, */
        int64_t mean_ns;    /* and where all parts were as long as each other */
};
struct parts_time parts_join(int32_t threads);

/* Each thread, of what happens to its part. */
void parts_start(void);
void parts_stop(void);
void parts_pause(void);
void parts_resume(void);

#endif
