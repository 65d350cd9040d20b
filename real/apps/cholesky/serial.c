/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/apps/cholesky/cholesky.h"
#include "real/apps/common/result.h"

/* The factorisations of all ranks, one after the other: what the others must agree with. */
static void run_work(void *context, const struct cholesky_work *work)
{
        (void)context;
        cholesky_run(work);
}

static uint64_t factor_rank(const struct cholesky *cholesky, int32_t rank, int64_t matrices)
{
        double *matrix = app_alloc(cholesky_matrix_bytes(cholesky));
        uint64_t hash = 0;
        for (int64_t i = 0; i < matrices; i++) {
                uint64_t id = cholesky_id(rank, i);
                cholesky_visit(cholesky, id, matrix, run_work, NULL);
                hash += cholesky_hash(cholesky, id, matrix);
        }
        free(matrix);
        return hash;
}

int main(int argc, char **argv)
{
        struct app_options options;
        struct lb_error err = { 0 };
        int status = app_begin(&cholesky_app, argc, argv, true, &options);
        if (status != APP_RUN)
                return status;
        struct cholesky cholesky = cholesky_configure(&options);
        int32_t nrank = app_list_length(cholesky.matrices);
        int64_t *matrices = app_alloc((size_t)nrank * sizeof(*matrices));
        uint64_t hash = 0;
        if (cholesky_matrices(&cholesky, nrank, matrices, &err) != 0) {
                free(matrices);
                return app_fail(&cholesky_app, true, &err);
        }
        for (int32_t rank = 0; rank < nrank; rank++)
                hash += factor_rank(&cholesky, rank, matrices[rank]);
        app_print_checksum(stdout, hash);
        free(matrices);
        return 0;
}
