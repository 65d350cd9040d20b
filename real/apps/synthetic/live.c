/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/synthetic/synthetic.h"
#include "real/lbrun.h"

static void run_task(void *argument)
{
        synthetic_run(argument, lbrun_node());
}

void synthetic_create(const struct synthetic_work *work)
{
        struct lbrun_access access = { LBRUN_INOUT, work->data, work->bytes };
        lbrun_task(run_task, work, sizeof(*work), work->bytes > 0, &access, NULL);
}
