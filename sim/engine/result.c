/* SPDX-License-Identifier: BSD-3-Clause */
/* What a result owns. */
#include <stdlib.h>
#include <string.h>

#include "sim/engine/sim.h"

void sim_result_finish(struct sim_result *result)
{
        free(result->iteration_s);
        free(result->series.node_imbalance);
        free(result->series.busy_cores);
        free(result->series.owned_cores);
        graph_destroy(result->series.graph);
        memset(result, 0, sizeof(*result));
}
