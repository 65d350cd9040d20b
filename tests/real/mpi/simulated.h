/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MPI_SIMULATED_H
#define LB_TESTS_REAL_MPI_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "real/mpi/transport.h"

/*
 * Ranks in one process, under simulated time: the transport of each (real/mpi/transport*.c) on an
 * MPI that does what MPI may do, and does it late, drawn from a seed.
 *
 * - Messages of one sender, receiver and communicator match in order; those of different ones in
 *   any. Small ones may be copied at once; the data of others is read from the sender's memory, in
 *   two parts, at any time until their send is complete, and written into the receiver's at any
 * time from the match on.
 * - Requests complete in any order, sender's and receiver's apart, and not at the first look.
 * - All ranks have memory of their own at the same addresses: what a rank does is done after
 *   simulated_become() it.
 * - No thread: simulated_lap() is a look of a rank's.
 */
enum { SIMULATED_RANKS = 8 };

/* bytes: of the memory of a rank. */
void simulated_begin(uint64_t seed, int32_t nrank, size_t bytes);
void simulated_end(void);

/* The address of the ranks' memory, and whose it is from now on. */
char *simulated_memory(void);
void simulated_become(int32_t rank);

struct transport *simulated_transport(int32_t rank, const struct transport_spec *spec);
void simulated_close(struct transport *transport); /* nothing is under way */

void simulated_step(void); /* time goes by: what is under way moves on */
bool simulated_lap(int32_t rank, struct transport *transport); /* did anything move? */
bool simulated_rests(const struct transport *transport);       /* it has nothing left to do */
bool simulated_quiet(void);                                    /* nothing is under way in MPI */

#endif
