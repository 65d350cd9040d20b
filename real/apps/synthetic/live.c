/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/synthetic/synthetic.h"
#include "real/lbrun.h"

/* The synthetic benchmark with the runtime. */
struct job {
        struct ranks ranks;
        struct synthetic synthetic;
        struct synthetic_work work; /* of task 0 */
        int64_t tasks;
};

struct argument {
        struct synthetic_work work;
        int32_t slow_node;
        double slow_factor;
};

static void run_task(void *argument)
{
        struct argument *mine = argument;
        if (lbrun_node() == mine->slow_node)
                mine->work.duration_ns =
                    (int64_t)((double)mine->work.duration_ns * mine->slow_factor);
        synthetic_run(&mine->work);
}

static void create_task(const struct job *job, int64_t task)
{
        struct argument argument = {
                .work = job->work,
                .slow_node = job->synthetic.slow_node,
                .slow_factor = job->synthetic.slow_factor,
        };
        argument.work.data += (size_t)task * job->work.bytes;
        struct lbrun_access access = { LBRUN_INOUT, argument.work.data, job->work.bytes };
        lbrun_task(run_task, &argument, sizeof(argument), job->work.bytes > 0, &access, NULL);
}

static void iterate(const struct job *job, struct app_times *times)
{
        double start_s = app_now_s();
        for (int64_t task = 0; task < job->tasks; task++)
                create_task(job, task);
        lbrun_taskwait_noflush();
        ranks_meet(&job->ranks);
        lbrun_iteration();
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
        job->work.data = lbrun_alloc((size_t)job->tasks * job->work.bytes + 1);
        for (int32_t i = 0; i < job->synthetic.iterations; i++)
                iterate(job, &times);
        lbrun_taskwait();
        if (ranks_first(&job->ranks))
                app_print_times(stdout, &times);
        int status = check(job);
        lbrun_free(job->work.data);
        return status;
}

static int configure(struct job *job, const struct app_options *options)
{
        struct lb_error err = { 0 };
        struct synthetic *synthetic = &job->synthetic;
        int32_t nrank = job->ranks.nrank;
        int64_t task_ns = 0;
        if (synthetic_configure(options, nrank, synthetic, &err) != 0 ||
            synthetic_task_ns(synthetic, nrank, job->ranks.rank, &task_ns, &err) != 0)
                return app_fail(&synthetic_app, ranks_first(&job->ranks), &err);
        int32_t per_node = nrank / lbrun_nnode();
        job->tasks =
            synthetic_tasks(synthetic, lbrun_cores_per_node(), per_node > 0 ? per_node : 1);
        job->work = (struct synthetic_work){
                .bytes = synthetic->bytes,
                .duration_ns = task_ns,
                .spin = synthetic->spin,
        };
        return APP_RUN;
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        struct job job = { .ranks = ranks_of(lbrun_world()) };
        struct app_options options;
        int status = app_begin(&synthetic_app, argc, argv, ranks_first(&job.ranks), &options);
        if (status == APP_RUN)
                status = configure(&job, &options);
        if (status == APP_RUN)
                status = run(&job);
        lbrun_stop();
        return status;
}
