/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/apps/cholesky/cholesky.h"
#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/lbrun.h"

/* The factorisations with the runtime. */
struct job {
        struct ranks ranks;
        struct cholesky cholesky;
        int64_t matrices; /* of this rank */
        double *data;     /* [matrices] of cholesky_matrix_bytes() */
};

static double *matrix_of(const struct job *job, int64_t index)
{
        size_t entries = cholesky_matrix_bytes(&job->cholesky) / sizeof(double);
        return job->data + (size_t)index * entries;
}

static void run_task(void *argument)
{
        cholesky_run(argument);
}

/* What others wait for goes first. */
static int32_t priority_of(const struct cholesky_work *work)
{
        static const int32_t priorities[] = {
                [CHOLESKY_FILL] = 0,
                [CHOLESKY_FACTOR] = 3,
                [CHOLESKY_SOLVE] = 2,
                [CHOLESKY_UPDATE] = 1,
        };
        return priorities[work->kind];
}

static void create_task(void *context, const struct cholesky_work *work)
{
        size_t bytes = *(const size_t *)context;
        struct lbrun_access access[3];
        for (int32_t i = 0; i < work->nread; i++)
                access[i] = (struct lbrun_access){ LBRUN_IN, work->read[i], bytes };
        enum lbrun_mode mode = work->kind == CHOLESKY_FILL ? LBRUN_OUT : LBRUN_INOUT;
        access[work->nread] = (struct lbrun_access){ mode, work->tile, bytes };
        struct lbrun_options options = { .priority = priority_of(work) };
        lbrun_task(run_task, work, sizeof(*work), work->nread + 1, access, &options);
}

static void iterate(const struct job *job, struct app_times *times)
{
        double start_s = app_now_s();
        size_t bytes = cholesky_tile_bytes(&job->cholesky);
        for (int64_t i = 0; i < job->matrices; i++)
                cholesky_visit(&job->cholesky, cholesky_id(job->ranks.rank, i), matrix_of(job, i),
                               create_task, &bytes);
        lbrun_taskwait();
        ranks_meet(&job->ranks);
        lbrun_iteration();
        if (ranks_first(&job->ranks))
                app_print_iteration(stdout, times, app_now_s() - start_s);
}

static int check(const struct job *job)
{
        double worst = 0;
        uint64_t hash = 0;
        bool right = true;
        for (int64_t i = 0; i < job->matrices; i++) {
                uint64_t id = cholesky_id(job->ranks.rank, i);
                double residual = cholesky_residual(&job->cholesky, id, matrix_of(job, i));
                right = right && residual <= cholesky_residual_allowed;
                worst = residual > worst ? residual : worst;
                hash += cholesky_hash(&job->cholesky, id, matrix_of(job, i));
        }
        if (!right)
                fprintf(stderr, "cholesky: rank %d: a factor is wrong, L L^T is not A\n",
                        job->ranks.rank);
        worst = ranks_max(&job->ranks, worst);
        hash = ranks_checksum(&job->ranks, hash);
        if (ranks_first(&job->ranks)) {
                printf("residual: %.3f of size x epsilon\n", worst);
                app_print_checksum(stdout, hash);
        }
        return ranks_all(&job->ranks, right) ? 0 : 1;
}

static int run(struct job *job)
{
        struct app_times times = { 0 };
        job->data = lbrun_alloc((size_t)job->matrices * cholesky_matrix_bytes(&job->cholesky) + 1);
        for (int32_t i = 0; i < job->cholesky.iterations; i++)
                iterate(job, &times);
        if (ranks_first(&job->ranks))
                app_print_times(stdout, &times);
        int status = check(job);
        lbrun_free(job->data);
        return status;
}

static int configure(struct job *job, const struct app_options *options)
{
        struct lb_error err = { 0 };
        int64_t *matrices = app_alloc((size_t)job->ranks.nrank * sizeof(*matrices));
        job->cholesky = cholesky_configure(options);
        int status = cholesky_matrices(&job->cholesky, job->ranks.nrank, matrices, &err);
        job->matrices = matrices[job->ranks.rank];
        free(matrices);
        return status == 0 ? APP_RUN : app_fail(&cholesky_app, ranks_first(&job->ranks), &err);
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        struct job job = { .ranks = ranks_of(lbrun_world()) };
        struct app_options options;
        int status = app_begin(&cholesky_app, argc, argv, ranks_first(&job.ranks), &options);
        if (status == APP_RUN)
                status = configure(&job, &options);
        if (status == APP_RUN)
                status = run(&job);
        lbrun_stop();
        return status;
}
