/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "base/clock.h"
#include "real/apps/common/host.h"
#include "real/apps/common/result.h"
#include "real/apps/micropp/micropp.h"

static int report(const struct ranks *ranks, const struct micropp_rank *rank, int64_t failed)
{
        uint64_t hash = ranks_checksum(ranks, micropp_hash(rank));
        if (ranks_first(ranks))
                app_print_checksum(stdout, hash);
        if (failed > 0)
                fprintf(stderr, "micropp: rank %d: %" PRId64 " solutions did not converge\n",
                        ranks->rank, failed);
        return ranks_all(ranks, failed == 0) ? 0 : 1;
}

static int run(const struct ranks *ranks, const struct micropp_rank *rank)
{
        struct app_times times = { 0 };
        struct micropp_totals *totals = host_alloc(sizeof(*totals));
        int64_t failed = 0;
        double energy = 0; /* of all elements of all ranks */
        for (int32_t i = 0; i < rank->micropp.iterations; i++) {
                double start_s = clock_s();
                micropp_advance(rank, i, totals);
                energy = ranks_sum(ranks, totals->energy);
                host_iteration();
                failed += totals->failed;
                if (ranks_first(ranks))
                        app_print_iteration(stdout, &times, clock_s() - start_s);
        }
        host_bring_home();
        if (ranks_first(ranks)) {
                app_print_times(stdout, &times);
                printf("energy: %.6e\n", energy / rank->micropp.elements);
        }
        host_free(totals);
        return report(ranks, rank, failed);
}

static int body(const struct ranks *ranks, const struct app_options *options)
{
        struct micropp_rank rank = micropp_rank_of(options, ranks->nrank, ranks->rank);
        size_t n = (size_t)rank.count;
        rank.displacement = host_alloc(2 * n * micropp_displacement_bytes(&rank.micropp));
        rank.state = host_alloc(2 * n * micropp_state_bytes(&rank.micropp));
        rank.result = host_alloc(n * sizeof(*rank.result));
        int status = run(ranks, &rank);
        host_free(rank.displacement);
        host_free(rank.state);
        host_free(rank.result);
        return status;
}

int main(int argc, char **argv)
{
        return host_main(&micropp_app, argc, argv, body);
}
