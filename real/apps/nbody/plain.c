/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/nbody/exchange.h"
#include "real/apps/nbody/nbody.h"

/* The motion of the bodies with MPI and OpenMP tasks. */
static void run_tasks(const struct nbody_rank *rank)
{
        for (int64_t i = 0; i < nbody_blocks(rank); i++) {
                struct tree_work work = nbody_block(rank, i);
#pragma omp task
                tree_forces(&work);
        }
}

static void step(const struct ranks *ranks, struct nbody_rank *rank, struct nbody_drift *drift)
{
        nbody_divide(rank, ranks->nrank, ranks->rank);
#pragma omp parallel
#pragma omp master
        run_tasks(rank);
        nbody_watch(drift, ranks_sum(ranks, nbody_advance(rank)));
        exchange_bodies(ranks, rank);
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
        rank.cell = app_alloc(2 * n * sizeof(*rank.cell));
        rank.source = app_alloc(n * sizeof(*rank.source));
        rank.own = app_alloc(n * sizeof(*rank.own));
        rank.force = app_alloc(n * sizeof(*rank.force));
        nbody_init(&rank);
        int status = run(ranks, &rank);
        nbody_finish(&rank);
        free(rank.cell);
        free(rank.source);
        free(rank.own);
        free(rank.force);
        return status;
}

int main(int argc, char **argv)
{
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        struct ranks ranks = ranks_of(MPI_COMM_WORLD);
        struct app_options options;
        int status = app_begin(&nbody_app, argc, argv, ranks_first(&ranks), &options);
        if (status == APP_RUN)
                status = run_with_memory(&ranks, &options);
        MPI_Finalize();
        return status;
}
