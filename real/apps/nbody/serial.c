/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "real/apps/common/result.h"
#include "real/apps/nbody/nbody.h"

/* The motion of the bodies without tasks and ranks: what the others must agree with. */
static void step(struct nbody_rank *rank, struct nbody_drift *drift)
{
        nbody_divide(rank, 1, 0);
        for (int64_t i = 0; i < nbody_blocks(rank); i++) {
                struct tree_work work = nbody_block(rank, i);
                tree_forces(&work);
        }
        nbody_watch(drift, nbody_advance(rank));
        memcpy(rank->near, rank->own, (size_t)rank->nbody.n * sizeof(*rank->own));
        nbody_collect(rank);
}

static int run(struct nbody_rank *rank)
{
        struct nbody_drift drift = { 0 };
        for (int32_t i = 0; i < rank->nbody.iterations; i++)
                step(rank, &drift);
        printf("energy drift: %.2e\n", drift.worst);
        app_print_checksum(stdout, nbody_hash(rank));
        return drift.worst <= nbody_drift_allowed ? 0 : 1;
}

int main(int argc, char **argv)
{
        struct app_options options;
        int status = app_begin(&nbody_app, argc, argv, true, &options);
        if (status != APP_RUN)
                return status;
        struct nbody_rank rank = { .nbody = nbody_configure(&options) };
        size_t n = (size_t)rank.nbody.n;
        rank.cell = app_alloc(2 * n * sizeof(*rank.cell));
        rank.source = app_alloc(n * sizeof(*rank.source));
        rank.own = app_alloc(n * sizeof(*rank.own));
        rank.force = app_alloc(n * sizeof(*rank.force));
        nbody_init(&rank);
        status = run(&rank);
        nbody_finish(&rank);
        free(rank.cell);
        free(rank.source);
        free(rank.own);
        free(rank.force);
        return status;
}
