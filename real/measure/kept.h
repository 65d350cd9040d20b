/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_KEPT_H
#define LB_REAL_MEASURE_KEPT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Has a thread kept its CPU? For as much as a look at its own memory, so at every call: between two
 * looks all time was processor time, but for what interrupts and a hypervisor took. One thread of a
 * process at a time.
 */

/* The calling thread is the one from now on. False: not known here. */
bool kept_begin(void);

/* The monotonic clock, ns. `kept`: since it was read here last, or since kept_begin(). False where
 * it is not known: it may have lost it, or had a signal. */
int64_t kept_look(bool *kept);

#endif
