/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runs of a sweep on several threads:
 *
 *   queue --> worker thread --> point_run() --> result[], done[] --> journal
 *                  ...
 *   main thread: waits, shows how far it is, passes a request to stop on, and looks whether a
 *                policy has taken a worker down (sim/sweep/fallen.h)
 *
 * Workers share the crew under its lock; a run's result is the worker's own until it is done. Where
 * other processes take part, what is in the queue is still to be claimed.
 */
#include "sim/sweep/crew.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "sim/sweep/claims.h"
#include "sim/sweep/fallen.h"
#include "sim/sweep/journal.h"
#include "sim/sweep/progress.h"

struct worker {
        struct crew *crew;
        pthread_t thread;
        struct fallen *fallen; /* NULL: not begun, or ended */
        bool down;             /* for ever: not to be waited for */
};

struct crew {
        struct sweep *sweep;
        struct point_shared *graphs;
        const struct crew_task *task; /* [ntask] long ones first */
        int64_t ntask, next;
        double cost_done;
        struct claims *claims; /* NULL: all of them are ours */
        int32_t working;       /* threads */
        struct worker *worker; /* [nworker] */
        int32_t nworker;
        double hung_s;
        int halt; /* see halted() */
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

/* Note a failure, the first only, and stop; the lock is held. */
static void give_up(struct crew *crew, const struct lb_error *err)
{
        if (err->kind != LB_ERROR_STOPPED && !crew->failed) {
                *crew->err = *err;
                crew->failed = true;
        }
        halt(crew);
}

/* Is the task ours to do? `again`: even if a process that is no more began it. The lock is held. */
static bool claim(struct crew *crew, const struct crew_task *task, bool again)
{
        struct lb_error err;
        int ours = crew->claims ? claims_begin(crew->claims, task->unit, again, &err) : 1;
        if (ours < 0)
                give_up(crew, &err);
        return ours > 0;
}

/* A task that another process began and left behind; the lock is held. */
static const struct crew_task *take_left(struct crew *crew)
{
        struct lb_error err;
        if (claims_look(crew->claims, NULL, &err) < 0)
                give_up(crew, &err);
        for (int64_t t = 0; !halted(crew) && t < crew->ntask; t++)
                if (claim(crew, &crew->task[t], true))
                        return &crew->task[t];
        return NULL;
}

/* The next task in the queue; at its end, one that another process has left. */
static const struct crew_task *take(struct crew *crew)
{
        const struct crew_task *task = NULL;
        pthread_mutex_lock(&crew->lock);
        while (!task && !halted(crew) && crew->next < crew->ntask) {
                const struct crew_task *next = &crew->task[crew->next++];
                task = claim(crew, next, false) ? next : NULL;
        }
        if (crew->claims && !task)
                task = take_left(crew);
        pthread_mutex_unlock(&crew->lock);
        return task;
}

/* Keep a result; the lock is held. */
static int keep(struct crew *crew, int64_t point, int32_t replicate,
                const struct sim_result *result, struct lb_error *err)
{
        struct sweep *sweep = crew->sweep;
        if (sweep->journal && journal_append(sweep->journal, point, replicate, result, err) < 0)
                return -1;
        int64_t place = sweep_place(sweep, point, replicate);
        sweep_take(sweep, place, result);
        return 0;
}

static int do_run(struct crew *crew, int64_t point, int32_t replicate, struct lb_error *err)
{
        struct sim_result result;
        if (point_run(crew->sweep->scenario, crew->graphs, point, replicate, &result, &crew->halt,
                      err) < 0)
                return -1;
        pthread_mutex_lock(&crew->lock);
        int status = keep(crew, point, replicate, &result, err);
        pthread_mutex_unlock(&crew->lock);
        if (status < 0)
                sim_result_finish(&result);
        return status;
}

/* Replicates of a point one after the other until they are enough. No other thread is at the point.
 */
static int do_point(struct crew *crew, int64_t point, struct lb_error *err)
{
        const struct sweep *sweep = crew->sweep;
        for (int32_t r = 0; sweep_enough(sweep, point) < 0; r++) {
                if (sweep->done[sweep_place(sweep, point, r)])
                        continue;
                if (do_run(crew, point, r, err) < 0)
                        return -1;
        }
        return 0;
}

static void do_task(struct crew *crew, const struct crew_task *task)
{
        struct lb_error err;
        int status = task->replicate == EVERY_REPLICATE
                         ? do_point(crew, task->point, &err)
                         : do_run(crew, task->point, task->replicate, &err);
        pthread_mutex_lock(&crew->lock);
        if (status == 0 && crew->claims)
                status = claims_end(crew->claims, task->unit, &err);
        if (status < 0)
                give_up(crew, &err);
        else
                crew->cost_done += task->cost;
        pthread_mutex_unlock(&crew->lock);
}

static void *work(void *argument)
{
        struct worker *worker = argument;
        struct crew *crew = worker->crew;
        const struct crew_task *task;
        pthread_mutex_lock(&crew->lock);
        worker->fallen = fallen_enter();
        pthread_mutex_unlock(&crew->lock);
        while ((task = take(crew)))
                do_task(crew, task);
        pthread_mutex_lock(&crew->lock);
        worker->fallen = NULL;
        fallen_leave();
        if (--crew->working == 0)
                pthread_cond_signal(&crew->finished);
        pthread_mutex_unlock(&crew->lock);
        return NULL;
}

/* ---- The main thread ---- */

static void wait_a_moment(struct crew *crew)
{
        const struct timespec until = clock_after(100000000);
        pthread_cond_timedwait(&crew->finished, &crew->lock, &until);
}

/* A worker that a policy has taken down does no more; the lock is held. */
static void count_out(struct crew *crew, struct worker *worker)
{
        struct lb_error err;
        bool kept = crew->sweep->journal;
        lb_error_fail(&err, "%s%s", worker->fallen->text,
                      kept ? "; the runs that are done are kept, the same command continues" : "");
        give_up(crew, &err);
        worker->down = true;
        crew->working--;
}

static void look_after_workers(struct crew *crew)
{
        for (int32_t w = 0; w < crew->nworker; w++) {
                struct worker *worker = &crew->worker[w];
                if (worker->fallen && !worker->down &&
                    fallen_look(worker->fallen, worker->thread, crew->hung_s))
                        count_out(crew, worker);
        }
}

static void watch(struct crew *crew, struct progress *progress, const volatile int *stop)
{
        pthread_mutex_lock(&crew->lock);
        while (crew->working > 0) {
                if (stop && *stop)
                        halt(crew);
                look_after_workers(crew);
                progress_show(progress, (struct progress_state){ .ndone = crew->sweep->ndone,
                                                                 .cost = crew->cost_done });
                wait_a_moment(crew);
        }
        pthread_mutex_unlock(&crew->lock);
}

/* Start the threads, which leave signals to the main thread; where one cannot be started there are
 * fewer. */
static void start(struct crew *crew, int32_t count, int *why)
{
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        pthread_mutex_lock(&crew->lock);
        for (; crew->nworker < count; crew->nworker++) {
                struct worker *worker = &crew->worker[crew->nworker];
                worker->crew = crew;
                *why = pthread_create(&worker->thread, NULL, work, worker);
                if (*why != 0)
                        break;
                crew->working++;
        }
        pthread_mutex_unlock(&crew->lock);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int run_crew(struct crew *crew, const struct sweep_options *options, struct lb_error *err)
{
        int32_t count = options->jobs < crew->ntask ? options->jobs : (int32_t)crew->ntask;
        crew->worker = calloc((size_t)count, sizeof(*crew->worker));
        if (!crew->worker)
                return lb_error_fail(err, "out of memory");
        struct progress progress;
        progress_init(&progress, options->progress ? stderr : NULL);
        progress.nrun = crew->sweep->nrun;
        progress.nreused = crew->sweep->ndone;
        for (int64_t t = 0; t < crew->ntask; t++)
                progress.cost += crew->task[t].cost;

        int why = 0;
        start(crew, count, &why);
        watch(crew, &progress, options->stop);
        for (int32_t w = 0; w < crew->nworker; w++)
                if (!crew->worker[w].down)
                        pthread_join(crew->worker[w].thread, NULL);
        progress_finish(&progress);
        free(crew->worker);
        if (crew->nworker == 0)
                return lb_error_fail(err, "cannot start a thread: %s", strerror(why));
        return crew->failed ? -1 : 0;
}

static void init_condition(pthread_cond_t *condition)
{
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(condition, &attributes);
        pthread_condattr_destroy(&attributes);
}

int sweep_crew_run(struct sweep *sweep, const struct crew_order *order,
                   const struct sweep_options *options, struct lb_error *err)
{
        struct crew crew = {
                .sweep = sweep,
                .graphs = order->graphs,
                .task = order->task,
                .ntask = order->ntask,
                .claims = order->claims,
                .hung_s = options->hung_s,
                .err = err,
        };
        if (order->ntask == 0)
                return 0;
        pthread_mutex_init(&crew.lock, NULL);
        init_condition(&crew.finished);
        int status = run_crew(&crew, options, err);
        pthread_cond_destroy(&crew.finished);
        pthread_mutex_destroy(&crew.lock);
        return status;
}
