/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/cholesky/cholesky.h"

/* Order comes from the first entries of the tiles; a task has its own copy of `work`. */
void cholesky_create(void *context, const struct cholesky_work *w)
{
        struct cholesky_work work = *w;
        (void)context;
        if (work.nread == 0) {
#pragma omp task depend(inout : *w->tile)
                cholesky_run(&work);
        } else {
#pragma omp task depend(in : *w->read[0], *w->read[w->nread - 1]) depend(inout : *w->tile)
                cholesky_run(&work);
        }
}
