/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_MACHINE_H
#define LB_REAL_NODE_MACHINE_H

#include <stdint.h>

/*
 * What tells whether processes share memory by name: the running kernel and its /dev/shm, hashed.
 * Processes on one machine that have different ones (containers) do not. MPI's own answer
 * (MPI_COMM_TYPE_SHARED) goes by host names or by what its launcher says, and knows less: MPICH
 * under Slurm's "-m arbitrary" takes each rank for alone.
 */
uint64_t machine_identity(void);

#endif
