/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/apps/common/result.h"
#include "real/apps/micropp/micropp.h"

/* All elements without tasks and ranks: what the others must agree with. */
static int run(const struct micropp_rank *rank)
{
        int64_t failed = 0;
        for (int32_t i = 0; i < rank->micropp.iterations; i++) {
                for (int32_t element = 0; element < rank->count; element++) {
                        struct micropp_work work = micropp_element(rank, i, element);
                        micropp_run(&work);
                }
                failed += micropp_add(rank->result, rank->count).failed;
        }
        app_print_checksum(stdout, micropp_hash(rank));
        return failed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
        struct app_options options;
        int status = app_begin(&micropp_app, argc, argv, true, &options);
        if (status != APP_RUN)
                return status;
        struct micropp_rank rank = micropp_rank_of(&options, 1, 0);
        size_t n = (size_t)rank.count;
        rank.displacement = app_alloc(2 * n * micropp_displacement_bytes(&rank.micropp));
        rank.state = app_alloc(2 * n * micropp_state_bytes(&rank.micropp));
        rank.result = app_alloc(n * sizeof(*rank.result));
        status = run(&rank);
        free(rank.displacement);
        free(rank.state);
        free(rank.result);
        return status;
}
