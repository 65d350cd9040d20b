/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_CIRCLES_H
#define LB_REAL_BALANCE_CIRCLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "real/balance/host.h"
#include "real/interpose/interpose.h"

/*
 * Circles: ranks of one node that make collective calls with each other in which all wait for all:
 * on a communicator of these ranks, or at the fences of a window. Each counts its own in memory
 * that they share, so that who waits may sleep until all are there, and makes MPI's own call then:
 *
 *      rank 0   count ------------------ sleeps ------------------ MPI_Allreduce
 *      rank 1   ............................................ count, MPI_Allreduce
 *
 * - No message is another than without, so each rank may wait as it likes, whatever the others do:
 *   for calls whose nonblocking one all ranks or none would have to make (real/mpi/polite_calls.c),
 *   while ranks are apart and do not know of each other's way; and for MPI_Win_fence, which has
 *   none.
 * - Communicators and windows of the same ranks are one circle: since all of a collective call may
 *   wait for each other, these are in one order in all ranks. Not where threads call MPI side by
 *   side: nothing is counted then.
 * - Who waits for CIRCLE_MOST_S goes on in MPI's call, and never waits in that circle again.
 */
struct circles;

/* Bytes of a node's memory, zero at first and on a cache line, for so many ranks of it. */
size_t circles_bytes(int32_t nmate);

/* `board`: of circles_bytes(), of this node. NULL: no memory. Collective. */
struct circles *circles_create(const struct balance *b, void *board);
void circles_destroy(struct circles *circles); /* takes NULL */

/* A call of the program begins: it is counted, and waited for where that is to be polite. Any
 * thread. */
void circles_come(struct circles *circles, const struct interpose_call *call, bool politely);

#endif
