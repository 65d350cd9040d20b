/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MPI_TOGETHER_H
#define LB_REAL_MPI_TOGETHER_H

#include <mpi.h>
#include <stdint.h>

/*
 * Which ranks share memory, by machine_identity() rather than by MPI's own answer. Collective over
 * `all`; return MPI's code.
 */

/* Ranks of one machine have the same: identity[size of all]. */
int machines_gather(MPI_Comm all, uint64_t *identity);

/* Those that share memory with the caller, in the order of `all`; the caller frees *together. Where
 * there is no memory for that, the communicator's error handler is called. */
int machines_split(MPI_Comm all, MPI_Comm *together);

#endif
