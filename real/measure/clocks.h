/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_CLOCKS_H
#define LB_REAL_MEASURE_CLOCKS_H

#include <stdint.h>

#include "real/measure/meter.h"

/* What a meter wants to know of a thread beside its clocks (base/clock.h). */

/* What a reading of the wall clock and of the CPU clock takes by itself, at least, for a meter that
 * has started; takes up to a tenth of a millisecond. */
void clocks_weigh(struct meter *meter);

/* The calling thread is the one whose time on a run queue is read from now on. */
void clocks_open(void);

/* Its time on a run queue, ns; -1 where that is not known. From any thread. */
int64_t clocks_delay_ns(void);

/* The same of the calling thread, whichever it is; takes some microseconds. */
int64_t clocks_own_delay_ns(void);

/* Processor time and time on a run queue of a thread of this process, ns; -1: it is not known. */
int clocks_of_thread(long tid, int64_t *cpu_ns, int64_t *delay_ns);

/* How often the calling thread gave its CPU up to wait. */
int64_t clocks_sleeps(void);

/* All of them, of the calling thread; wall time is `zero_ns` + the monotonic clock. */
struct meter_reading clocks_all(int64_t zero_ns);

/* Processes that ended and were waited for, of this one. `last`: what that was; cpu_ns -1: none
 * was. */
struct meter_children clocks_children(const struct meter_children *last);

/* The readings that a meter wants after meter_cpu() was due: of the thread that is measured, and,
 * where that is not NULL, of others and of what helped. */
struct clocks_beside {
        void (*help)(struct meter *meter); /* tells it */
        struct meter_others (*others)(void);
};
void clocks_feed(struct meter *meter, const struct clocks_beside *beside);

#endif
