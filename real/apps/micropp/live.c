/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/micropp/micropp.h"
#include "real/lbrun.h"

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

/* Displacements and states stay where they were made; only the results come home in every step, for
 * a task there reads them. */
void micropp_advance(const struct micropp_rank *rank, int32_t iteration,
                     struct micropp_totals *totals)
{
        for (int32_t element = 0; element < rank->count; element++)
                create_task(rank, iteration, element);
        if (rank->count > 0)
                create_gather(rank, totals);
        lbrun_taskwait_noflush();
}
