/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/apps/cholesky/cholesky.h"
#include "real/apps/common/host.h"
#include "real/apps/common/result.h"

struct job {
        const struct ranks *ranks;
        struct cholesky cholesky;
        int64_t matrices; /* of this rank */
        double *data;     /* [matrices] of cholesky_matrix_bytes() */
};

static double *matrix_of(const struct job *job, int64_t index)
{
        size_t entries = cholesky_matrix_bytes(&job->cholesky) / sizeof(double);
        return job->data + (size_t)index * entries;
}

static void create_tasks(const void *context)
{
        const struct job *job = context;
        struct cholesky cholesky = job->cholesky;
        for (int64_t i = 0; i < job->matrices; i++)
                cholesky_visit(&cholesky, cholesky_id(job->ranks->rank, i), matrix_of(job, i),
                               cholesky_create, &cholesky);
}

static int check(const struct job *job)
{
        double worst = 0;
        uint64_t hash = 0;
        bool right = true;
        for (int64_t i = 0; i < job->matrices; i++) {
                uint64_t id = cholesky_id(job->ranks->rank, i);
                double residual = cholesky_residual(&job->cholesky, id, matrix_of(job, i));
                right = right && residual <= cholesky_residual_allowed;
                worst = residual > worst ? residual : worst;
                hash += cholesky_hash(&job->cholesky, id, matrix_of(job, i));
        }
        if (!right)
                fprintf(stderr, "cholesky: rank %d: a factor is wrong, L L^T is not A\n",
                        job->ranks->rank);
        worst = ranks_max(job->ranks, worst);
        hash = ranks_checksum(job->ranks, hash);
        if (ranks_first(job->ranks)) {
                printf("residual: %.3f of size x epsilon\n", worst);
                app_print_checksum(stdout, hash);
        }
        return ranks_all(job->ranks, right) ? 0 : 1;
}

static int run(struct job *job)
{
        struct app_times times = { 0 };
        job->data = host_alloc((size_t)job->matrices * cholesky_matrix_bytes(&job->cholesky));
        for (int32_t i = 0; i < job->cholesky.iterations; i++)
                host_iterate(job->ranks, host_run, create_tasks, job, &times);
        if (ranks_first(job->ranks))
                app_print_times(stdout, &times);
        int status = check(job);
        host_free(job->data);
        return status;
}

static int body(const struct ranks *ranks, const struct app_options *options)
{
        struct lb_error err = { 0 };
        struct job job = { .ranks = ranks, .cholesky = cholesky_configure(options) };
        int64_t *matrices = app_alloc((size_t)ranks->nrank * sizeof(*matrices));
        int status = cholesky_matrices(&job.cholesky, ranks->nrank, matrices, &err);
        job.matrices = matrices[ranks->rank];
        free(matrices);
        return status == 0 ? run(&job) : app_fail(&cholesky_app, ranks_first(ranks), &err);
}

int main(int argc, char **argv)
{
        return host_main(&cholesky_app, argc, argv, body);
}
