/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/synthetic/synthetic.h"

/* The synthetic benchmark with MPI and OpenMP tasks. Every rank is a node of its own, with as many
 * cores as OpenMP has threads. */
struct job {
        struct ranks ranks;
        struct synthetic synthetic;
        struct synthetic_work work; /* of task 0 */
        int64_t tasks;
};

static void run_tasks(const struct job *job)
{
        for (int64_t task = 0; task < job->tasks; task++) {
                struct synthetic_work work = job->work;
                work.data += (size_t)task * work.bytes;
#pragma omp task firstprivate(work)
                synthetic_run(&work);
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

/* Has every task run once in every iteration? */
static int check(const struct job *job)
{
        int64_t wrong =
            synthetic_wrong(job->work.data, job->tasks, job->work.bytes, job->synthetic.iterations);
        if (wrong > 0)
                fprintf(stderr,
                        "synthetic: rank %d: %" PRId64 " of %" PRId64
                        " tasks did not run once in every iteration on their data\n",
                        job->ranks.rank, wrong, job->tasks);
        return ranks_all(&job->ranks, wrong == 0) ? 0 : 1;
}

static int run(struct job *job)
{
        struct app_times times = { 0 };
        job->work.data = app_alloc((size_t)job->tasks * job->work.bytes);
        for (int32_t i = 0; i < job->synthetic.iterations; i++)
                iterate(job, &times);
        if (ranks_first(&job->ranks))
                app_print_times(stdout, &times);
        int status = check(job);
        free(job->work.data);
        return status;
}

static int configure(struct job *job, const struct app_options *options)
{
        struct lb_error err = { 0 };
        struct synthetic *synthetic = &job->synthetic;
        int32_t nrank = job->ranks.nrank, rank = job->ranks.rank;
        int64_t task_ns = 0;
        if (synthetic_configure(options, nrank, synthetic, &err) != 0 ||
            synthetic_task_ns(synthetic, nrank, rank, &task_ns, &err) != 0)
                return app_fail(&synthetic_app, ranks_first(&job->ranks), &err);
        job->tasks = synthetic_tasks(synthetic, omp_get_max_threads(), 1);
        job->work = (struct synthetic_work){
                .bytes = synthetic->bytes,
                .duration_ns = (int64_t)((double)task_ns * synthetic_factor(synthetic, rank)),
                .spin = synthetic->spin,
        };
        return APP_RUN;
}

int main(int argc, char **argv)
{
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        struct job job = { .ranks = ranks_of(MPI_COMM_WORLD) };
        struct app_options options;
        int status = app_begin(&synthetic_app, argc, argv, ranks_first(&job.ranks), &options);
        if (status == APP_RUN)
                status = configure(&job, &options);
        if (status == APP_RUN)
                status = run(&job);
        MPI_Finalize();
        return status;
}
