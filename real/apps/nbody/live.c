/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/nbody/nbody.h"
#include "real/lbrun.h"

static void run_task(void *argument)
{
        tree_forces(argument);
}

void nbody_create(const struct nbody_rank *rank, int64_t block)
{
        struct tree_work work = nbody_block(rank, block);
        size_t n = (size_t)work.n;
        struct lbrun_access access[] = {
                { LBRUN_IN, work.body, n * sizeof(*work.body) },
                { LBRUN_OUT, work.force, n * sizeof(*work.force) },
                { LBRUN_IN, work.cell, (size_t)work.ncell * sizeof(*work.cell) },
                { LBRUN_IN, work.source, (size_t)rank->nbody.n * sizeof(*work.source) },
        };
        lbrun_task(run_task, &work, sizeof(work), 4, access, NULL);
}
