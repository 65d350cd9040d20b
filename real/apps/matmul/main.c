/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "real/apps/common/host.h"
#include "real/apps/common/result.h"
#include "real/apps/matmul/matmul.h"

struct job {
        const struct ranks *ranks;
        struct matmul matmul;
        int64_t tasks; /* of this rank */
        size_t bytes;  /* of a matrix */
        double *data;  /* [tasks][3][size][size] A, B, C */
};

static struct matmul_task task_of(const struct job *job, int64_t index)
{
        size_t entries = job->bytes / sizeof(double);
        double *a = job->data + (size_t)index * 3 * entries;
        return (struct matmul_task){ job->matmul.size, job->matmul.by_entry, a, a + entries,
                                     a + 2 * entries };
}

static void create_tasks(const void *context)
{
        const struct job *job = context;
        for (int64_t i = 0; i < job->tasks; i++) {
                struct matmul_task task = task_of(job, i);
                matmul_create(&task);
        }
}

static int check(const struct job *job)
{
        int64_t wrong = 0;
        uint64_t hash = 0;
        for (int64_t i = 0; i < job->tasks; i++) {
                struct matmul_task task = task_of(job, i);
                wrong += !matmul_check(&task, job->matmul.seed + (uint64_t)i);
                hash += matmul_hash(&task, job->ranks->rank, i);
        }
        if (wrong > 0)
                fprintf(stderr, "matmul: rank %d: %" PRId64 " of %" PRId64 " products are wrong\n",
                        job->ranks->rank, wrong, job->tasks);
        hash = ranks_checksum(job->ranks, hash);
        if (ranks_first(job->ranks))
                app_print_checksum(stdout, hash);
        return ranks_all(job->ranks, wrong == 0) ? 0 : 1;
}

static int run(struct job *job)
{
        struct app_times times = { 0 };
        job->data = host_alloc((size_t)job->tasks * 3 * job->bytes);
        for (int64_t i = 0; i < job->tasks; i++) {
                double *a = job->data + (size_t)i * 3 * (job->bytes / sizeof(double));
                matmul_fill(&job->matmul, job->ranks->rank, i, a, a + job->bytes / sizeof(double));
                if (job->matmul.constant)
                        host_constant(a, 2 * job->bytes);
        }
        for (int32_t i = 0; i < job->matmul.iterations; i++)
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
        struct job job = { .ranks = ranks, .matmul = matmul_configure(options) };
        int64_t *tasks = app_alloc((size_t)ranks->nrank * sizeof(*tasks));
        int status = matmul_tasks(&job.matmul, ranks->nrank, tasks, &err);
        job.tasks = tasks[ranks->rank];
        job.bytes = (size_t)job.matmul.size * (size_t)job.matmul.size * sizeof(double);
        free(tasks);
        return status == 0 ? run(&job) : app_fail(&matmul_app, ranks_first(ranks), &err);
}

int main(int argc, char **argv)
{
        return host_main(&matmul_app, argc, argv, body);
}
