/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runs of a sweep on several threads:
 *
 *   journal --> done[]        what an earlier sweep finished
 *   queue   --> worker thread --> point_run() --> result[], done[] --> journal
 *                  ...
 *   main thread: waits, shows how far it is, passes a request to stop on
 *
 * Workers share the crew under its lock; a run's result is the worker's own until it is done.
 */
#include "sim/sweep.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/sweep_journal.h"
#include "sim/sweep_progress.h"

/* A run that is to be done. */
struct task {
        double cost;
        int64_t point;
        int32_t replicate;
};

struct crew {
        struct sweep *sweep;
        const struct point_graphs *graphs;
        struct task *task; /* [ntask] long ones first */
        int64_t ntask, next;
        double cost_done;
        int32_t working; /* threads */
        int halt;        /* see halted() */
        bool failed;
        struct lb_error *err; /* of the first that failed */
        pthread_mutex_t lock;
        pthread_cond_t finished; /* no thread is working any more */
};

/* The runs look at the flag without the lock, so it is written and read as a whole. */
static bool halted(const struct crew *crew)
{
        return __atomic_load_n(&crew->halt, __ATOMIC_RELAXED) != 0;
}

static void halt(struct crew *crew)
{
        __atomic_store_n(&crew->halt, 1, __ATOMIC_RELAXED);
}

/* ---- Workers ---- */

static const struct task *take(struct crew *crew)
{
        pthread_mutex_lock(&crew->lock);
        const struct task *task = NULL;
        if (!halted(crew) && crew->next < crew->ntask)
                task = &crew->task[crew->next++];
        pthread_mutex_unlock(&crew->lock);
        return task;
}

/* Keep a result; the lock is held. */
static int keep(struct crew *crew, const struct task *task, const struct sim_result *result,
                struct lb_error *err)
{
        struct sweep *sweep = crew->sweep;
        if (sweep->journal &&
            journal_append(sweep->journal, task->point, task->replicate, result, err) < 0)
                return -1;
        int64_t place = sweep_place(sweep, task->point, task->replicate);
        sweep->result[place] = *result;
        sweep->done[place] = true;
        sweep->ndone++;
        crew->cost_done += task->cost;
        return 0;
}

static void do_task(struct crew *crew, const struct task *task)
{
        struct sim_result result;
        struct lb_error err;
        int status = point_run(crew->sweep->scenario, crew->graphs, task->point, task->replicate,
                               &result, &crew->halt, &err);
        pthread_mutex_lock(&crew->lock);
        if (status == 0) {
                status = keep(crew, task, &result, &err);
                if (status < 0)
                        sim_result_finish(&result);
        }
        if (status < 0 && err.kind != LB_ERROR_STOPPED && !crew->failed) {
                *crew->err = err;
                crew->failed = true;
        }
        if (status < 0)
                halt(crew);
        pthread_mutex_unlock(&crew->lock);
}

static void *work(void *argument)
{
        struct crew *crew = argument;
        const struct task *task;
        while ((task = take(crew)))
                do_task(crew, task);
        pthread_mutex_lock(&crew->lock);
        if (--crew->working == 0)
                pthread_cond_signal(&crew->finished);
        pthread_mutex_unlock(&crew->lock);
        return NULL;
}

/* ---- The main thread ---- */

static void wait_a_moment(struct crew *crew)
{
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 100 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&crew->finished, &crew->lock, &until);
}

static void watch(struct crew *crew, struct progress *progress, const volatile int *stop)
{
        pthread_mutex_lock(&crew->lock);
        while (crew->working > 0) {
                if (stop && *stop)
                        halt(crew);
                progress_show(progress, (struct progress_state){ .ndone = crew->sweep->ndone,
                                                                 .cost = crew->cost_done });
                wait_a_moment(crew);
        }
        pthread_mutex_unlock(&crew->lock);
}

/* Start up to `count` threads, which leave signals to the main thread; returns how many. */
static int32_t start(struct crew *crew, pthread_t *thread, int32_t count, int *why)
{
        sigset_t all, before;
        int32_t started = 0;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        pthread_mutex_lock(&crew->lock);
        for (; started < count; started++) {
                *why = pthread_create(&thread[started], NULL, work, crew);
                if (*why != 0)
                        break;
                crew->working++;
        }
        pthread_mutex_unlock(&crew->lock);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return started;
}

static int run_crew(struct crew *crew, const struct sweep_options *options, struct lb_error *err)
{
        int32_t count = options->jobs < crew->ntask ? options->jobs : (int32_t)crew->ntask;
        pthread_t *thread = calloc((size_t)count, sizeof(*thread));
        if (!thread)
                return lb_error_fail(err, "out of memory");
        struct progress progress;
        progress_init(&progress, options->progress ? stderr : NULL);
        progress.nrun = crew->sweep->ndone + crew->ntask;
        progress.nreused = crew->sweep->ndone;
        for (int64_t t = 0; t < crew->ntask; t++)
                progress.cost += crew->task[t].cost;

        int why = 0;
        int32_t started = start(crew, thread, count, &why);
        watch(crew, &progress, options->stop);
        for (int32_t t = 0; t < started; t++)
                pthread_join(thread[t], NULL);
        progress_finish(&progress);
        free(thread);
        if (started == 0)
                return lb_error_fail(err, "cannot start a thread: %s", strerror(why));
        return crew->failed ? -1 : 0;
}

/* ---- What is to be done ---- */

static int by_cost(const void *a, const void *b)
{
        const struct task *x = a, *y = b;
        if (x->cost != y->cost)
                return x->cost > y->cost ? -1 : 1;
        if (x->point != y->point)
                return x->point < y->point ? -1 : 1;
        return x->replicate < y->replicate ? -1 : 1;
}

/* Of all runs, sorted, keep those of this shard that are not done; returns how many. */
static int64_t pick(const struct sweep *sweep, const struct sweep_options *options,
                    struct task *task)
{
        int64_t count = 0, step = options->nshard > 1 ? options->nshard : 1;
        for (int64_t t = options->nshard > 1 ? options->shard : 0; t < sweep->nrun; t += step) {
                if (!sweep->done[sweep_place(sweep, task[t].point, task[t].replicate)])
                        task[count++] = task[t];
        }
        return count;
}

static struct task *list_tasks(const struct sweep *sweep, const struct sweep_options *options,
                               int64_t *ntask)
{
        struct task *task = calloc((size_t)sweep->nrun + 1, sizeof(*task));
        int64_t count = 0;
        for (int64_t p = 0; task && p < sweep->scenario->npoint; p++) {
                double cost = point_cost(sweep->scenario, p);
                for (int32_t r = 0; r < sweep->scenario->replicates; r++)
                        task[count++] = (struct task){ .cost = cost, .point = p, .replicate = r };
        }
        if (task)
                qsort(task, (size_t)count, sizeof(*task), by_cost);
        *ntask = task ? pick(sweep, options, task) : 0;
        return task;
}

static void init_condition(pthread_cond_t *condition)
{
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(condition, &attributes);
        pthread_condattr_destroy(&attributes);
}

static int run_missing(struct sweep *sweep, const struct sweep_options *options,
                       struct lb_error *err)
{
        if (sweep->ndone == sweep->nrun || (options->stop && *options->stop))
                return 0;
        struct crew crew = { .sweep = sweep, .err = err };
        struct point_graphs *graphs = point_graphs_create(sweep->scenario, err);
        if (!graphs)
                return -1;
        crew.graphs = graphs;
        crew.task = list_tasks(sweep, options, &crew.ntask);
        int status = -1;
        if (crew.task && crew.ntask == 0) {
                status = 0;
        } else if (crew.task) {
                pthread_mutex_init(&crew.lock, NULL);
                init_condition(&crew.finished);
                status = run_crew(&crew, options, err);
                pthread_cond_destroy(&crew.finished);
                pthread_mutex_destroy(&crew.lock);
        } else {
                lb_error_fail(err, "out of memory");
        }
        free(crew.task);
        point_graphs_destroy(graphs);
        return status;
}

static int begin(struct sweep *sweep, const struct scenario *scenario, const char *directory,
                 struct lb_error *err)
{
        memset(sweep, 0, sizeof(*sweep));
        sweep->scenario = scenario;
        sweep->nrun = scenario->npoint * scenario->replicates;
        sweep->result = calloc((size_t)sweep->nrun + 1, sizeof(*sweep->result));
        sweep->done = calloc((size_t)sweep->nrun + 1, sizeof(*sweep->done));
        if (!sweep->result || !sweep->done)
                return lb_error_fail(err, "out of memory for %lld runs", (long long)sweep->nrun);
        if (!directory)
                return 0;
        sweep->journal = journal_open(directory, scenario, err);
        if (!sweep->journal || journal_read(sweep->journal, sweep, err) < 0)
                return -1;
        sweep->nreused = sweep->ndone;
        return 0;
}

static int merge(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        for (int32_t i = 0; i < options->nmerge; i++)
                if (journal_merge(sweep->journal, options->merge[i], sweep, err) < 0)
                        return -1;
        sweep->nmerged = sweep->ndone - sweep->nreused;
        return 0;
}

int sweep_run(struct sweep *sweep, const struct scenario *scenario,
              const struct sweep_options *options, struct lb_error *err)
{
        double start_s = progress_now_s();
        if (begin(sweep, scenario, options->directory, err) < 0 || merge(sweep, options, err) < 0 ||
            run_missing(sweep, options, err) < 0) {
                sweep_finish(sweep);
                return -1;
        }
        sweep->elapsed_s = progress_now_s() - start_s;
        bool stopped = options->stop && *options->stop;
        if (sweep->ndone == sweep->nrun || (options->nshard > 1 && !stopped))
                return 0;
        return lb_error_stop(err, "interrupted with %lld of %lld runs done",
                             (long long)sweep->ndone, (long long)sweep->nrun);
}

void sweep_finish(struct sweep *sweep)
{
        for (int64_t r = 0; sweep->result && r < sweep->nrun; r++)
                sim_result_finish(&sweep->result[r]);
        free(sweep->result);
        free(sweep->done);
        journal_close(sweep->journal);
        memset(sweep, 0, sizeof(*sweep));
}
