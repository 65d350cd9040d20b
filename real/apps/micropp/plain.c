/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/micropp/micropp.h"

/* The elements with MPI and OpenMP tasks. */
static void run_tasks(const struct micropp_rank *rank, int32_t iteration)
{
        for (int32_t element = 0; element < rank->count; element++) {
                struct micropp_work work = micropp_element(rank, iteration, element);
#pragma omp task
                micropp_run(&work);
        }
}

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

/* Returns the energy of all elements of all ranks. */
static double step(const struct ranks *ranks, const struct micropp_rank *rank, int32_t iteration,
                   struct micropp_totals *totals)
{
#pragma omp parallel
#pragma omp master
        run_tasks(rank, iteration);
        *totals = micropp_add(rank->result, rank->count);
        return ranks_sum(ranks, totals->energy);
}

static int run(const struct ranks *ranks, const struct micropp_rank *rank)
{
        struct app_times times = { 0 };
        struct micropp_totals totals = { 0 };
        int64_t failed = 0;
        double energy = 0;
        for (int32_t i = 0; i < rank->micropp.iterations; i++) {
                double start_s = app_now_s();
                energy = step(ranks, rank, i, &totals);
                failed += totals.failed;
                if (ranks_first(ranks))
                        app_print_iteration(stdout, &times, app_now_s() - start_s);
        }
        if (ranks_first(ranks)) {
                app_print_times(stdout, &times);
                printf("energy: %.6e\n", energy / rank->micropp.elements);
        }
        return report(ranks, rank, failed);
}

static int run_with_memory(const struct ranks *ranks, const struct app_options *options)
{
        struct micropp_rank rank = micropp_rank_of(options, ranks->nrank, ranks->rank);
        size_t n = (size_t)rank.count;
        rank.displacement = app_alloc(2 * n * micropp_displacement_bytes(&rank.micropp) + 1);
        rank.state = app_alloc(2 * n * micropp_state_bytes(&rank.micropp) + 1);
        rank.result = app_alloc(n * sizeof(*rank.result) + 1);
        int status = run(ranks, &rank);
        free(rank.displacement);
        free(rank.state);
        free(rank.result);
        return status;
}

int main(int argc, char **argv)
{
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        struct ranks ranks = ranks_of(MPI_COMM_WORLD);
        struct app_options options;
        int status = app_begin(&micropp_app, argc, argv, ranks_first(&ranks), &options);
        if (status == APP_RUN)
                status = run_with_memory(&ranks, &options);
        MPI_Finalize();
        return status;
}
