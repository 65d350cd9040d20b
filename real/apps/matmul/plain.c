/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/matmul/matmul.h"

/* The matrix multiplications with MPI and OpenMP tasks. */
struct job {
        struct ranks ranks;
        struct matmul matmul;
        int64_t tasks; /* of this rank */
        size_t bytes;  /* of a matrix */
        double *data;  /* [tasks][3][size][size] A, B, C */
};

static struct matmul_task task_of(const struct job *job, int64_t index)
{
        size_t entries = job->bytes / sizeof(double);
        double *a = job->data + (size_t)index * 3 * entries;
        return (struct matmul_task){ job->matmul.size, a, a + entries, a + 2 * entries };
}

static void run_tasks(const struct job *job)
{
        for (int64_t i = 0; i < job->tasks; i++) {
                struct matmul_task task = task_of(job, i);
#pragma omp task firstprivate(task)
                matmul_multiply(&task);
        }
}

static void iterate(const struct job *job, struct app_times *times)
{
        double start_s = app_now_s();
#pragma omp parallel
#pragma omp master
        run_tasks(job);
        ranks_meet(&job->ranks);
        if (ranks_first(&job->ranks))
                app_print_iteration(stdout, times, app_now_s() - start_s);
}

static int check(const struct job *job)
{
        int64_t wrong = 0;
        uint64_t hash = 0;
        for (int64_t i = 0; i < job->tasks; i++) {
                struct matmul_task task = task_of(job, i);
                wrong += !matmul_check(&task, job->matmul.seed + (uint64_t)i);
                hash += matmul_hash(&task, job->ranks.rank, i);
        }
        if (wrong > 0)
                fprintf(stderr, "matmul: rank %d: %" PRId64 " of %" PRId64 " products are wrong\n",
                        job->ranks.rank, wrong, job->tasks);
        hash = ranks_checksum(&job->ranks, hash);
        if (ranks_first(&job->ranks))
                app_print_checksum(stdout, hash);
        return ranks_all(&job->ranks, wrong == 0) ? 0 : 1;
}

static int run(struct job *job)
{
        struct app_times times = { 0 };
        job->data = app_alloc((size_t)job->tasks * 3 * job->bytes);
        for (int64_t i = 0; i < job->tasks; i++) {
                double *a = job->data + (size_t)i * 3 * (job->bytes / sizeof(double));
                matmul_fill(&job->matmul, job->ranks.rank, i, a, a + job->bytes / sizeof(double));
        }
        for (int32_t i = 0; i < job->matmul.iterations; i++)
                iterate(job, &times);
        if (ranks_first(&job->ranks))
                app_print_times(stdout, &times);
        int status = check(job);
        free(job->data);
        return status;
}

static int configure(struct job *job, const struct app_options *options)
{
        struct lb_error err = { 0 };
        size_t nrank = (size_t)job->ranks.nrank;
        int64_t *tasks = app_alloc(nrank * sizeof(*tasks));
        job->matmul = matmul_configure(options);
        int status = matmul_tasks(&job->matmul, job->ranks.nrank, tasks, &err);
        job->tasks = tasks[job->ranks.rank];
        job->bytes = (size_t)job->matmul.size * (size_t)job->matmul.size * sizeof(double);
        free(tasks);
        return status == 0 ? APP_RUN : app_fail(&matmul_app, ranks_first(&job->ranks), &err);
}

int main(int argc, char **argv)
{
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        struct job job = { .ranks = ranks_of(MPI_COMM_WORLD) };
        struct app_options options;
        int status = app_begin(&matmul_app, argc, argv, ranks_first(&job.ranks), &options);
        if (status == APP_RUN)
                status = configure(&job, &options);
        if (status == APP_RUN)
                status = run(&job);
        MPI_Finalize();
        return status;
}
