/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/micropp/micropp.h"
#include "real/lbrun.h"

/* The elements with the runtime. Displacements and states stay where they were made; only the
 * results come home in every step, for a task there reads them. */
static void run_task(void *argument)
{
        micropp_run(argument);
}

static void create_task(const struct micropp_rank *rank, int32_t iteration, int32_t element)
{
        struct micropp_work work = micropp_element(rank, iteration, element);
        const struct rve_step *step = &work.step;
        size_t displacement = micropp_displacement_bytes(&rank->micropp);
        size_t state = micropp_state_bytes(&rank->micropp);
        struct lbrun_access access[] = {
                { LBRUN_IN, step->displacement_before, displacement },
                { LBRUN_IN, step->state_before, state },
                { LBRUN_OUT, step->displacement, displacement },
                { LBRUN_OUT, step->state, state },
                { LBRUN_OUT, step->result, sizeof(*step->result) },
        };
        lbrun_task(run_task, &work, sizeof(work), 5, access, NULL);
}

struct gather {
        const struct rve_result *result;
        int32_t count;
        struct micropp_totals *totals;
};

static void run_gather(void *argument)
{
        const struct gather *gather = argument;
        *gather->totals = micropp_add(gather->result, gather->count);
}

static void create_gather(const struct micropp_rank *rank, struct micropp_totals *totals)
{
        struct gather gather = { rank->result, rank->count, totals };
        struct lbrun_access access[] = {
                { LBRUN_IN, gather.result, (size_t)gather.count * sizeof(*gather.result) },
                { LBRUN_OUT, totals, sizeof(*totals) },
        };
        struct lbrun_options options = { .flags = LBRUN_HERE };
        lbrun_task(run_gather, &gather, sizeof(gather), 2, access, &options);
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
        for (int32_t element = 0; element < rank->count; element++)
                create_task(rank, iteration, element);
        if (rank->count > 0)
                create_gather(rank, totals);
        lbrun_taskwait_noflush();
        double energy = ranks_sum(ranks, totals->energy);
        lbrun_iteration();
        return energy;
}

static int run(const struct ranks *ranks, const struct micropp_rank *rank)
{
        struct app_times times = { 0 };
        struct micropp_totals *totals = lbrun_alloc(sizeof(*totals));
        int64_t failed = 0;
        double energy = 0;
        for (int32_t i = 0; i < rank->micropp.iterations; i++) {
                double start_s = app_now_s();
                energy = step(ranks, rank, i, totals);
                failed += totals->failed;
                if (ranks_first(ranks))
                        app_print_iteration(stdout, &times, app_now_s() - start_s);
        }
        lbrun_taskwait();
        if (ranks_first(ranks)) {
                app_print_times(stdout, &times);
                printf("energy: %.6e\n", energy / rank->micropp.elements);
        }
        lbrun_free(totals);
        return report(ranks, rank, failed);
}

static int run_with_memory(const struct ranks *ranks, const struct app_options *options)
{
        struct micropp_rank rank = micropp_rank_of(options, ranks->nrank, ranks->rank);
        size_t n = (size_t)rank.count;
        rank.displacement = lbrun_alloc(2 * n * micropp_displacement_bytes(&rank.micropp) + 1);
        rank.state = lbrun_alloc(2 * n * micropp_state_bytes(&rank.micropp) + 1);
        rank.result = lbrun_alloc(n * sizeof(*rank.result) + 1);
        int status = run(ranks, &rank);
        lbrun_free(rank.displacement);
        lbrun_free(rank.state);
        lbrun_free(rank.result);
        return status;
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        struct ranks ranks = ranks_of(lbrun_world());
        struct app_options options;
        int status = app_begin(&micropp_app, argc, argv, ranks_first(&ranks), &options);
        if (status == APP_RUN)
                status = run_with_memory(&ranks, &options);
        lbrun_stop();
        return status;
}
