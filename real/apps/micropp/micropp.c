/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/micropp/micropp.h"

#include <math.h>

#include "base/random.h"
#include "real/apps/common/result.h"

enum { ELEMENTS, SIDE, ITERATIONS, SEED, NPARAM };

static const struct lb_param params[NPARAM + 1] = {
        [ELEMENTS] = { .name = "elements",
                       .type = LB_PARAM_INTEGER,
                       .fallback = 192,
                       .min = 1,
                       .max = 1e8,
                       .help = "elements in all, each a task; the first quarter can yield" },
        [SIDE] = { .name = "nodes",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 6,
                   .min = 3,
                   .max = 100,
                   .help = "nodes along the side of an element's volume; MicroPP takes 10" },
        [ITERATIONS] = { .name = "iterations",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 5,
                         .min = 1,
                         .max = 1000,
                         .help = "time steps" },
        [SEED] = { .name = "seed",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 1,
                   .min = 0,
                   .max = LB_PARAM_WHOLE_MAX,
                   .help = "of the strains" },
};

const struct app micropp_app = {
        .name = "micropp",
        .summary = "finite elements inside of finite elements, elastic and plastic",
        .param = params,
};

/* The first element of a rank; that of `nrank` is the number of elements. */
static int32_t first_of(const struct micropp *micropp, int32_t nrank, int32_t rank)
{
        return (int32_t)((int64_t)micropp->elements * rank / nrank);
}

struct micropp_rank micropp_rank_of(const struct app_options *options, int32_t nrank, int32_t rank)
{
        struct micropp micropp = {
                .elements = (int32_t)options->value[ELEMENTS],
                .side = (int32_t)options->value[SIDE],
                .iterations = (int32_t)options->value[ITERATIONS],
                .seed = (uint64_t)options->value[SEED],
        };
        int32_t first = first_of(&micropp, nrank, rank);
        return (struct micropp_rank){
                .micropp = micropp,
                .first = first,
                .count = first_of(&micropp, nrank, rank + 1) - first,
        };
}

size_t micropp_displacement_bytes(const struct micropp *micropp)
{
        return rve_displacement_entries(micropp->side) * sizeof(double);
}

size_t micropp_state_bytes(const struct micropp *micropp)
{
        return rve_state_entries(micropp->side) * sizeof(double);
}

/* A step strains by a thousandth; inside, twice as much is below the yield strain. */
static void fill_strain(const struct micropp *micropp, int32_t element, int32_t iteration,
                        double strain[static 6])
{
        struct lb_random random;
        double norm2 = 0;
        lb_random_init(&random, micropp->seed, LB_RANDOM_TASK, (uint64_t)element);
        for (int i = 0; i < 6; i++) {
                strain[i] = 2 * lb_random_unit(&random) - 1;
                norm2 += strain[i] * strain[i];
        }
        for (int i = 0; i < 6; i++)
                strain[i] *= 0.001 * (iteration + 1) / sqrt(norm2);
}

static struct rve rve_of(const struct micropp *micropp, int32_t element)
{
        bool plastic = (int64_t)4 * element < micropp->elements;
        return (struct rve){
                .side = micropp->side,
                .matrix = { 1, 0.3, plastic, 0.0025, 0.05 },
                .ball = { .young = 3, .poisson = 0.2 },
                .radius = 0.35,
        };
}

struct micropp_work micropp_element(const struct micropp_rank *rank, int32_t iteration,
                                    int32_t element)
{
        const struct micropp *micropp = &rank->micropp;
        size_t displacements = rve_displacement_entries(micropp->side);
        size_t states = rve_state_entries(micropp->side);
        size_t n = (size_t)rank->count, at = (size_t)element;
        size_t from = iteration % 2 ? n : 0, to = n - from;
        struct micropp_work work = {
                .rve = rve_of(micropp, rank->first + element),
                .step = { .displacement_before = rank->displacement + (from + at) * displacements,
                          .state_before = rank->state + (from + at) * states,
                          .displacement = rank->displacement + (to + at) * displacements,
                          .state = rank->state + (to + at) * states,
                          .result = rank->result + element },
        };
        if (iteration > 0)
                fill_strain(micropp, rank->first + element, iteration - 1, work.step.strain_before);
        fill_strain(micropp, rank->first + element, iteration, work.step.strain);
        return work;
}

void micropp_run(const struct micropp_work *work)
{
        rve_solve(&work->rve, &work->step);
}

struct micropp_totals micropp_add(const struct rve_result *result, int32_t count)
{
        struct micropp_totals totals = { 0 };
        for (int32_t i = 0; i < count; i++) {
                totals.energy += result[i].energy;
                totals.failed += result[i].failed != 0;
        }
        return totals;
}

uint64_t micropp_hash(const struct micropp_rank *rank)
{
        uint64_t hash = 0;
        for (int32_t i = 0; i < rank->count; i++) {
                struct micropp_work work = micropp_element(rank, rank->micropp.iterations - 1, i);
                uint64_t element = (uint64_t)rank->first + (uint64_t)i;
                hash += app_hash(3 * element, work.step.result, sizeof(*work.step.result));
                hash += app_hash(3 * element + 1, work.step.displacement,
                                 micropp_displacement_bytes(&rank->micropp));
                hash +=
                    app_hash(3 * element + 2, work.step.state, micropp_state_bytes(&rank->micropp));
        }
        return hash;
}
