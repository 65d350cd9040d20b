/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/common/host.h"
#include "real/apps/synthetic/synthetic.h"

void synthetic_create(const struct synthetic_work *given)
{
        struct synthetic_work work = *given;
#pragma omp task firstprivate(work)
        synthetic_run(&work, host_node());
}
