/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances of `lbsim solve`: read, and solved where they are small. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "policies/solve.h"
#include "sim/commands/solve_file.h"

static void solve(const struct solve_file *file)
{
        struct solve_instance instance = { &file->shape, file->load, file->owned_cores };
        struct solve_result result;
        struct lb_error err;
        void *workspace = malloc(solve_workspace_size(&file->shape));
        int32_t *owned = calloc((size_t)file->shape.nworker, sizeof(*owned));
        if (workspace && owned && solve_exact(&instance, workspace, owned, &result, &err) == 0)
                for (int32_t w = 0; w < file->shape.nworker; w++)
                        if (owned[w] < 1)
                                abort();
        free(workspace);
        free(owned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct lb_json doc;
        struct solve_file file;
        struct lb_error err = { LB_ERROR_NONE, "" };
        if (lb_json_parse(&doc, "instance.json", (const char *)data, size, &err) < 0)
                return 0;
        if (solve_file_init(&file, &doc, &err) == 0) {
                if (file.shape.nworker < 200)
                        solve(&file);
                solve_file_finish(&file);
        }
        lb_json_close(&doc);
        return 0;
}
