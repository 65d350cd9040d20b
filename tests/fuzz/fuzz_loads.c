/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured loads and task graphs: files that a user's own tools write. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "models/taskgraph.h"
#include "models/trace.h"

/* What is read holds what its header says. */
static void check(const struct taskgraph_part *part)
{
        for (int32_t t = 0; part->first && t < part->ntask; t++)
                for (uint32_t i = part->first[t]; i < part->first[t + 1]; i++)
                        if (part->successor[i] <= t || part->successor[i] >= part->ntask)
                                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct lb_error err = { LB_ERROR_NONE, "" };
        const char *file = fuzz_file(data, size);
        if (!taskgraph_is_file(file)) {
                trace_destroy(trace_read(file, &err));
                return 0;
        }
        struct taskgraph *graph = taskgraph_read(file, &err);
        for (int32_t i = 0; graph && i < taskgraph_niteration(graph); i++)
                for (int32_t a = 0; a < taskgraph_napprank(graph); a++)
                        check(taskgraph_part(graph, i, a));
        taskgraph_destroy(graph);
        return 0;
}
