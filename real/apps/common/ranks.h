/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_RANKS_H
#define LB_REAL_APPS_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The little that the examples need of MPI, with and without the runtime. All calls but ranks_of()
 * and ranks_first() are collective.
 */
struct ranks {
        MPI_Comm world;
        int rank, nrank;
};

struct ranks ranks_of(MPI_Comm world);
bool ranks_first(const struct ranks *ranks); /* the one that prints */

uint64_t ranks_checksum(const struct ranks *ranks, uint64_t mine);
double ranks_sum(const struct ranks *ranks, double mine);
double ranks_max(const struct ranks *ranks, double mine);
bool ranks_all(const struct ranks *ranks, bool mine);
void ranks_meet(const struct ranks *ranks);

#endif
