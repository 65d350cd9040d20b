/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_AWAIT_H
#define LB_REAL_BALANCE_AWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "real/balance/host.h"
#include "real/mpi/transport.h"
#include "real/node/futex.h"

/*
 * Ranks of one node that come to a meeting wait for each other in memory that they share, before
 * the program's call: who sleeps is woken by the last one. Looks of an MPI request every 0.2 ms, by
 * ranks that share a CPU with one that computes, took a part of that CPU that showed: on eight slow
 * CPUs, packed on four, iterations of 1 s lasted 12 % longer.
 *
 * - MPI goes on meanwhile: others may still wait for a message of this rank. So it is looked at
 *   each time that the wait has become an eighth longer, and at least every ms; after an eighth of
 *   a second every 128th of it, and at least every 5 ms. A look takes 45 us here, with the switch
 *   to this rank and back: of a CPU that another rank computes on 4.5 % at one every ms.
 * - Each rank counts in a cache line of its own, since one for all goes from core to core at each
 *   meeting; the others' are read by who waits, and where somebody waits.
 * - All zero is a good start. All ranks count the same meetings.
 */
struct await;

/* Bytes of a node's memory, zero at first and on a cache line, for so many ranks of it. */
size_t await_bytes(int32_t nmate);

/* The `number`th time (from 1) that this process comes to meet, as one of `size`; nobody waits. */
void await_come(struct await *await, const struct balance *b, int64_t number, int32_t size);

/* The same, and waits for all, unless that is in vain; returns whether they are there. */
bool await_all(struct await *await, const struct balance *b, int64_t number, int32_t size,
               polite_vain vain);

#endif
