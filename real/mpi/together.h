/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MPI_TOGETHER_H
#define LB_REAL_MPI_TOGETHER_H

#include <mpi.h>

/*
 * The ranks of `all` that share memory with the caller, by machine_identity() rather than by MPI's
 * own answer, in the order of `all`. Collective over `all`; the caller frees *together. Returns
 * MPI's code.
 */
int machines_split(MPI_Comm all, MPI_Comm *together);

#endif
