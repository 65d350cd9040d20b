/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_SLICE_H
#define LB_REAL_NODE_SLICE_H

/*
 * Asks the kernel for short slices of processor time for the calling thread: for one that has
 * little to do at a time, and shares a processor with one that computes.
 *
 * Linux from 6.12 on lets such a thread go on as soon as it is woken. With slices of the usual
 * length (about 3 ms) it waits until the other's has ended; also after a sched_yield(), which
 * from 6.18 on gives a whole slice away. Older kernels run what is woken at once, and take no
 * notice. Needs no privilege and cannot fail so that anybody need know; total shares of time stay
 * as they are. Source: Linux, Documentation/scheduler/sched-eevdf.rst; kernel/sched/fair.c.
 */
void slice_shorten(void);

#endif
