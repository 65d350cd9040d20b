/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/matmul/matmul.h"
#include "real/lbrun.h"

static void run_task(void *argument)
{
        matmul_multiply(argument);
}

void matmul_create(const struct matmul_task *task)
{
        size_t bytes = (size_t)task->size * (size_t)task->size * sizeof(double);
        struct lbrun_access access[] = {
                { LBRUN_IN, task->a, bytes },
                { LBRUN_IN, task->b, bytes },
                { LBRUN_OUT, task->c, bytes },
        };
        lbrun_task(run_task, task, sizeof(*task), 3, access, NULL);
}
