/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/cholesky/cholesky.h"
#include "real/lbrun.h"

static void run_task(void *argument)
{
        cholesky_run(argument);
}

void cholesky_create(void *context, const struct cholesky_work *work)
{
        size_t bytes = cholesky_tile_bytes(context);
        struct lbrun_access access[3];
        for (int32_t i = 0; i < work->nread; i++)
                access[i] = (struct lbrun_access){ LBRUN_IN, work->read[i], bytes };
        enum lbrun_mode mode = work->kind == CHOLESKY_FILL ? LBRUN_OUT : LBRUN_INOUT;
        access[work->nread] = (struct lbrun_access){ mode, work->tile, bytes };
        struct lbrun_options options = { .priority = cholesky_priority(work) };
        lbrun_task(run_task, work, sizeof(*work), work->nread + 1, access, &options);
}
