/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/nbody/nbody.h"

void nbody_create(const struct nbody_rank *rank, int64_t block)
{
        struct tree_work work = nbody_block(rank, block);
#pragma omp task
        tree_forces(&work);
}
