/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_LAUNCHED_H
#define LB_SIM_SWEEP_LAUNCHED_H

#include <stdint.h>

#include "base/error.h"

/*
 * Is this process one of several that mpirun, mpiexec or srun started together? Told by what the
 * launchers put into the environment of their processes, so that no MPI library is needed and the
 * same program runs under Open MPI, MPICH and its relatives, and Slurm.
 */
struct ranks {
        int32_t rank, size; /* 0 and 1 for a process alone */
};

/* Fails where the environment contradicts itself. */
int ranks_find(struct ranks *ranks, struct lb_error *err) LB_MUST_CHECK;

#endif
