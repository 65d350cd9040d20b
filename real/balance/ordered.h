/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_ORDERED_H
#define LB_REAL_BALANCE_ORDERED_H

#include <stdbool.h>

#include "real/balance/host.h"
#include "real/interpose/interpose.h"

/*
 * Which collective calls all ranks make in one order, so that they may be counted as meetings, and
 * be replaced by nonblocking ones in all ranks or in none.
 *
 *      MPI_THREAD_SINGLE, FUNNELED  those of the thread that initialised MPI
 *      MPI_THREAD_SERIALIZED        those of any thread: which one makes a call may differ from
 * rank to rank ("omp single") MPI_THREAD_MULTIPLE          those of any thread on MPI_COMM_WORLD:
 * threads that have communicators of their own call side by side
 *
 * Never those with processes of another MPI_COMM_WORLD (MPI_Comm_spawn, MPI_Comm_accept, ...),
 * which know nothing of this one's rounds.
 */

/* Collective, before others. */
void ordered_begin(const struct balance *b);

/* Of each call of the program, before the following. Any thread. */
void ordered_note(const struct interpose_call *call);

/* Does one thread of each rank alone call MPI at a time, so that its calls have an order? */
bool ordered_in_all_ranks(void);

/* Do all ranks meet in it, the same number of times? `first`: made by the thread that initialised
 * MPI. */
bool ordered_meets(const struct interpose_call *call, bool first);

/* May its wait be another than MPI's own? All calls that are not collective may. */
bool ordered_is_free(const struct interpose_call *call);

#endif
