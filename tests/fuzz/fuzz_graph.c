/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored graphs. */
#include "tests/fuzz/fuzz.h"

#include "graphs/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct lb_error err = { LB_ERROR_NONE, "" };
        graph_destroy(graph_read_json(fuzz_file(data, size), &err));
        return 0;
}
