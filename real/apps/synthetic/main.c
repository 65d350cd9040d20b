/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "real/apps/common/host.h"
#include "real/apps/common/result.h"
#include "real/apps/synthetic/synthetic.h"

struct job {
        const struct ranks *ranks;
        struct synthetic synthetic;
        struct synthetic_work work; /* of task 0 */
        int64_t tasks;
};

static void create_tasks(const void *context)
{
        const struct job *job = context;
        for (int64_t task = 0; task < job->tasks; task++) {
                struct synthetic_work work = job->work;
                work.data += (size_t)task * work.bytes;
                synthetic_create(&work);
        }
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
                        job->ranks->rank, wrong, job->tasks);
        return ranks_all(job->ranks, wrong == 0) ? 0 : 1;
}

static int run(struct job *job)
{
        struct app_times times = { 0 };
        job->work.data = host_alloc((size_t)job->tasks * job->work.bytes);
        for (int32_t i = 0; i < job->synthetic.iterations; i++)
                host_iterate(job->ranks, host_run_there, create_tasks, job, &times);
        host_bring_home();
        if (ranks_first(job->ranks))
                app_print_times(stdout, &times);
        int status = check(job);
        host_free(job->work.data);
        return status;
}

static int body(const struct ranks *ranks, const struct app_options *options)
{
        struct lb_error err = { 0 };
        struct job job = { .ranks = ranks };
        if (synthetic_configure(options, ranks->nrank, &job.synthetic, &err) != 0 ||
            synthetic_work_of(&job.synthetic, ranks->nrank, ranks->rank, &job.work, &err) != 0)
                return app_fail(&synthetic_app, ranks_first(ranks), &err);
        job.tasks =
            synthetic_tasks(&job.synthetic, host_cores_per_node(), host_ranks_per_node(ranks));
        return run(&job);
}

int main(int argc, char **argv)
{
        return host_main(&synthetic_app, argc, argv, body);
}
