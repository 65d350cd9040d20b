/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/matmul/matmul.h"

void matmul_create(const struct matmul_task *given)
{
        struct matmul_task task = *given;
#pragma omp task firstprivate(task)
        matmul_multiply(&task);
}
