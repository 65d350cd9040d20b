/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/apps/common/result.h"
#include "real/apps/matmul/matmul.h"

/* The matrix multiplications of all ranks, one after the other: what the others must agree with. */
static uint64_t multiply_rank(const struct matmul *matmul, int32_t rank, int64_t tasks)
{
        size_t entries = (size_t)matmul->size * (size_t)matmul->size;
        double *a = app_alloc(3 * entries * sizeof(*a)), *b = a + entries;
        struct matmul_task task = { matmul->size, matmul->by_entry, a, b, b + entries };
        uint64_t hash = 0;
        for (int64_t i = 0; i < tasks; i++) {
                matmul_fill(matmul, rank, i, a, b);
                matmul_multiply(&task);
                hash += matmul_hash(&task, rank, i);
        }
        free(a);
        return hash;
}

int main(int argc, char **argv)
{
        struct app_options options;
        struct lb_error err = { 0 };
        int status = app_begin(&matmul_app, argc, argv, true, &options);
        if (status != APP_RUN)
                return status;
        struct matmul matmul = matmul_configure(&options);
        int32_t nrank = app_list_length(matmul.tasks);
        int64_t *tasks = app_alloc((size_t)nrank * sizeof(*tasks));
        uint64_t hash = 0;
        if (matmul_tasks(&matmul, nrank, tasks, &err) != 0) {
                free(tasks);
                return app_fail(&matmul_app, true, &err);
        }
        for (int32_t rank = 0; rank < nrank; rank++)
                hash += multiply_rank(&matmul, rank, tasks[rank]);
        app_print_checksum(stdout, hash);
        free(tasks);
        return 0;
}
