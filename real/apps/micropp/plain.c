/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/micropp/micropp.h"

void micropp_advance(const struct micropp_rank *rank, int32_t iteration,
                     struct micropp_totals *totals)
{
#pragma omp parallel
#pragma omp master
        for (int32_t element = 0; element < rank->count; element++) {
                struct micropp_work work = micropp_element(rank, iteration, element);
#pragma omp task
                micropp_run(&work);
        }
        *totals = micropp_add(rank->result, rank->count);
}
