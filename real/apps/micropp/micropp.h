/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_MICROPP_H
#define LB_REAL_APPS_MICROPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "real/apps/common/options.h"
#include "real/apps/micropp/rve.h"

/*
 * A stand-in for MicroPP (ICPP'22 6.2): a large body of many elements, each with
 * a representative volume of its own that is strained a little more in every time step.
 *
 * - The first quarter of all elements can yield, the others are elastic. Elements are dealt to
 *   ranks in blocks, so that some ranks have all of the former. The first step yields nowhere.
 * - The direction of an element's strain is a function of seed and element.
 * - Elements are the same bit by bit for any number of ranks and any schedule.
 * - No MPI and no runtime here.
 */
extern const struct app micropp_app;

struct micropp {
        int32_t elements, side, iterations;
        uint64_t seed;
};

/* The data of a rank's elements, given by the caller. Steps go to and fro between the two. */
struct micropp_rank {
        struct micropp micropp;
        int32_t first, count;      /* elements */
        double *displacement;      /* [2][count][rve_displacement_entries()] */
        double *state;             /* [2][count][rve_state_entries()] */
        struct rve_result *result; /* [count] */
};

/* A rank without its data. */
struct micropp_rank micropp_rank_of(const struct app_options *options, int32_t nrank, int32_t rank);
size_t micropp_displacement_bytes(const struct micropp *micropp); /* of one element, once */
size_t micropp_state_bytes(const struct micropp *micropp);

/* What a task does: a time step (0 .. iterations-1) of an element (0 .. count-1). */
struct micropp_work {
        struct rve rve;
        struct rve_step step;
};
struct micropp_work micropp_element(const struct micropp_rank *rank, int32_t iteration,
                                    int32_t element);
void micropp_run(const struct micropp_work *work);

/* Over elements: the sum of the averages of stress times strain, and how many did not converge. */
struct micropp_totals {
        double energy;
        int64_t failed;
};
struct micropp_totals micropp_add(const struct rve_result *result, int32_t count);

/* The variant's: a time step of all elements of the rank, by tasks. */
void micropp_advance(const struct micropp_rank *rank, int32_t iteration,
                     struct micropp_totals *totals);

/* After all iterations. */
uint64_t micropp_hash(const struct micropp_rank *rank);

#endif
