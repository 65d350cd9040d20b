/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_DPD_H
#define LB_POLICIES_DPD_H

#include <stddef.h>
#include <stdint.h>

/*
 * The dynamic periodicity detector (DPB paper 3.1, its reference [8]): finds the iterations of a
 * program in the stream of its MPI calls, while it runs.
 *
 * - A call is one number, a composition of primitive, peer and buffer: dpd_value().
 * - Period p is detected when the last `confirm` * p calls equal those p before. Of several the one
 *   that has held for the most calls counts. It is lost with the first call that differs, and
 * others are looked for again: so an inner loop, which is found first, yields to the loop around it
 * once that has repeated.
 * - Memory is bounded by the window, the longest period in calls; an event costs one pass over it
 *   (256 calls: some 25 ns), whatever came before.
 * - No clock, no allocation: the caller gives dpd_size() bytes, aligned for any type. A detector
 *   has no pointer into itself and may be copied.
 * - What is not periodic by nature (polling: MPI_Test, MPI_Iprobe) must not be fed.
 */
enum dpd_event {
        DPD_NONE = 0,
        DPD_STARTED,   /* a period is known from here on: this call begins one */
        DPD_ITERATION, /* this call begins another */
        DPD_LOST,      /* the pattern broke; what was measured since the last begin is void */
};

enum { DPD_WINDOW_MAX = 65536, DPD_CONFIRM_MAX = 100 };

struct dpd; /* opaque */

size_t dpd_size(int32_t window);

/* window: 1 .. DPD_WINDOW_MAX calls; confirm: 1 .. DPD_CONFIRM_MAX further periods. */
void dpd_init(struct dpd *dpd, int32_t window, int32_t confirm);

/* The next call of the stream. */
enum dpd_event dpd_feed(struct dpd *dpd, uint32_t value);

/* The current period in calls, or 0. */
int32_t dpd_period(const struct dpd *dpd);

/* How many calls are of it, up to now: more than it took to find it, where others were looked for.
 */
int64_t dpd_length(const struct dpd *dpd);

/* A number for the calls of the current period, whichever of them begins it; 0: there is none. */
uint32_t dpd_kind(const struct dpd *dpd);

/* A number for a call: primitive, destination or source (or -1), address of the buffer (or 0). */
uint32_t dpd_value(int32_t primitive, int32_t peer, uint64_t buffer);

#endif
