/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs of this thread as the kernel has them: lbrun tells a program of those that it was
 * launched with. Needs _GNU_SOURCE. */
#ifndef LB_TESTS_REAL_BALANCE_MASK_NOW_H
#define LB_TESTS_REAL_BALANCE_MASK_NOW_H

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline cpu_set_t mask_now(void)
{
        cpu_set_t mask;
        CPU_ZERO(&mask);
        (void)syscall(SYS_sched_getaffinity, 0, sizeof(mask), &mask);
        return mask;
}

#endif
