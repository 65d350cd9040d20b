/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "real/apps/common/host.h"
#include "real/apps/common/result.h"
#include "real/apps/nbody/exchange.h"
#include "real/apps/nbody/nbody.h"

static void create_tasks(const void *context)
{
        const struct nbody_rank *rank = context;
        for (int64_t i = 0; i < nbody_blocks(rank); i++)
                nbody_create(rank, i);
}

static void step(const struct ranks *ranks, struct nbody_rank *rank, struct nbody_drift *drift)
{
        nbody_divide(rank, ranks->nrank, ranks->rank);
        host_run(create_tasks, rank);
        nbody_watch(drift, ranks_sum(ranks, nbody_advance(rank)));
        exchange_bodies(ranks, rank);
        host_iteration();
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
                double start_s = clock_s();
                step(ranks, rank, &drift);
                if (ranks_first(ranks))
                        app_print_iteration(stdout, &times, clock_s() - start_s);
        }
        if (ranks_first(ranks))
                app_print_times(stdout, &times);
        return report(ranks, rank, &drift);
}

static int body(const struct ranks *ranks, const struct app_options *options)
{
        struct nbody_rank rank = { .nbody = nbody_configure(options) };
        size_t n = (size_t)rank.nbody.n;
        rank.cell = host_alloc(2 * n * sizeof(*rank.cell));
        rank.source = host_alloc(n * sizeof(*rank.source));
        rank.own = host_alloc(n * sizeof(*rank.own));
        rank.force = host_alloc(n * sizeof(*rank.force));
        nbody_init(&rank);
        int status = run(ranks, &rank);
        nbody_finish(&rank);
        host_free(rank.cell);
        host_free(rank.source);
        host_free(rank.own);
        host_free(rank.force);
        return status;
}

int main(int argc, char **argv)
{
        return host_main(&nbody_app, argc, argv, body);
}
