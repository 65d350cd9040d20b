/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/nbody/exchange.h"
#include "real/apps/nbody/nbody.h"
#include "real/lbrun.h"

/* The motion of the bodies with the runtime. */
static void run_task(void *argument)
{
        tree_forces(argument);
}

static void create_task(const struct nbody_rank *rank, int64_t block)
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

static void step(const struct ranks *ranks, struct nbody_rank *rank, struct nbody_drift *drift)
{
        nbody_divide(rank, ranks->nrank, ranks->rank);
        for (int64_t i = 0; i < nbody_blocks(rank); i++)
                create_task(rank, i);
        lbrun_taskwait();
        nbody_watch(drift, ranks_sum(ranks, nbody_advance(rank)));
        exchange_bodies(ranks, rank);
        lbrun_iteration();
}

static int report(const struct ranks *ranks, const struct nbody_rank *rank,
                  const struct nbody_drift *drift)
{
        uint64_t hash = ranks_checksum(ranks, nbody_hash(rank));
        bool right = drift->worst <= nbody_drift_allowed;
        if (!ranks_first(ranks))
                return right ? 0 : 1;
        printf("energy drift: %.2e\n", drift->worst);
        app_print_checksum(stdout, hash);
        if (!right)
                fprintf(stderr,
                        "nbody: the energy drifted by %.2e, allowed is %g: take a smaller --step\n",
                        drift->worst, nbody_drift_allowed);
        return right ? 0 : 1;
}

static int run(const struct ranks *ranks, struct nbody_rank *rank)
{
        struct app_times times = { 0 };
        struct nbody_drift drift = { 0 };
        for (int32_t i = 0; i < rank->nbody.iterations; i++) {
                double start_s = app_now_s();
                step(ranks, rank, &drift);
                if (ranks_first(ranks))
                        app_print_iteration(stdout, &times, app_now_s() - start_s);
        }
        if (ranks_first(ranks))
                app_print_times(stdout, &times);
        return report(ranks, rank, &drift);
}

static int run_with_memory(const struct ranks *ranks, const struct app_options *options)
{
        struct nbody_rank rank = { .nbody = nbody_configure(options) };
        size_t n = (size_t)rank.nbody.n;
        rank.cell = lbrun_alloc(2 * n * sizeof(*rank.cell));
        rank.source = lbrun_alloc(n * sizeof(*rank.source));
        rank.own = lbrun_alloc(n * sizeof(*rank.own));
        rank.force = lbrun_alloc(n * sizeof(*rank.force));
        nbody_init(&rank);
        int status = run(ranks, &rank);
        nbody_finish(&rank);
        lbrun_free(rank.cell);
        lbrun_free(rank.source);
        lbrun_free(rank.own);
        lbrun_free(rank.force);
        return status;
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        struct ranks ranks = ranks_of(lbrun_world());
        struct app_options options;
        int status = app_begin(&nbody_app, argc, argv, ranks_first(&ranks), &options);
        if (status == APP_RUN)
                status = run_with_memory(&ranks, &options);
        lbrun_stop();
        return status;
}
