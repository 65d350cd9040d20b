/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is to be done, and what is done already:
 *
 *   journal --> done[] <-- crew of threads (sweep_crew.c)
 *                 ^
 *                 +------- journals of other ranks (sweep_ranks.c), of directories to merge
 */
#include "sim/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sim/sweep/claims.h"
#include "sim/sweep/crew.h"
#include "sim/sweep/journal.h"
#include "sim/sweep/progress.h"
#include "sim/sweep/ranks.h"
#include "sim/scenario/shared.h"

/* ---- Which runs are wanted ---- */

static bool adaptive(const struct scenario *scenario)
{
        return scenario->precision > 0;
}

/* Forget replicates that an earlier sweep did beyond those that are enough. */
static void trim(struct sweep *sweep, int64_t point, int32_t enough)
{
        for (int32_t r = enough; r < sweep->scenario->replicates; r++) {
                int64_t place = sweep_place(sweep, point, r);
                if (!sweep->done[place])
                        continue;
                sim_result_finish(&sweep->result[place]);
                sweep->done[place] = false;
        }
}

/* Runs of a point: those that are enough, or else one more than there are. */
static int32_t wanted(struct sweep *sweep, int64_t point)
{
        const struct scenario *scenario = sweep->scenario;
        if (!adaptive(scenario))
                return scenario->replicates;
        int32_t enough = sweep_enough(sweep, point), count = 0;
        if (enough >= 0) {
                trim(sweep, point, enough);
                return enough;
        }
        for (int32_t r = 0; r < scenario->replicates; r++)
                count += sweep->done[sweep_place(sweep, point, r)];
        return count < scenario->replicates_least ? scenario->replicates_least : count + 1;
}

void sweep_take(struct sweep *sweep, int64_t place, const struct sim_result *result)
{
        struct sim_result *taken = &sweep->result[place];
        *taken = *result;
        if (sweep->store.mapped > 0) {
                free(taken->iteration_s);
                taken->iteration_s = NULL;
        }
        sweep->done[place] = true;
        sweep_pace(sweep, sweep->ndone++);
}

void sweep_count(struct sweep *sweep)
{
        sweep->nrun = sweep->ndone = 0;
        for (int64_t p = 0; p < sweep->scenario->npoint; p++) {
                sweep->nrun += wanted(sweep, p);
                sweep_pace_point(sweep, p);
        }
        for (int64_t run = 0; run < sweep->nslot; run++)
                sweep->ndone += sweep->done[run];
}

/* ---- What is to be done ---- */

static int by_cost(const void *a, const void *b)
{
        const struct crew_task *x = a, *y = b;
        if (x->cost != y->cost)
                return x->cost > y->cost ? -1 : 1;
        if (x->point != y->point)
                return x->point < y->point ? -1 : 1;
        return x->replicate < y->replicate ? -1 : 1;
}

static bool is_done(const struct sweep *sweep, const struct crew_task *task)
{
        if (task->replicate == EVERY_REPLICATE)
                return sweep_enough(sweep, task->point) >= 0;
        return sweep->done[sweep_place(sweep, task->point, task->replicate)];
}

/* Of all tasks, sorted, keep those of this shard that are not done; returns how many. */
static int64_t pick(const struct sweep *sweep, const struct sweep_options *options,
                    struct crew_task *task, int64_t ntask)
{
        int64_t count = 0, step = options->nshard > 1 ? options->nshard : 1;
        for (int64_t t = options->nshard > 1 ? options->shard : 0; t < ntask; t += step)
                if (!is_done(sweep, &task[t]))
                        task[count++] = task[t];
        return count;
}

/* Runs, or points where their replicates depend on what comes out. */
static int64_t fill_tasks(const struct scenario *scenario, struct crew_task *task)
{
        int64_t count = 0;
        for (int64_t p = 0; p < scenario->npoint; p++) {
                struct crew_task every = { .cost = point_cost(scenario, p),
                                           .point = p,
                                           .unit = p,
                                           .replicate = EVERY_REPLICATE };
                for (int32_t r = 0; !adaptive(scenario) && r < scenario->replicates; r++) {
                        task[count] = every;
                        task[count].replicate = r;
                        task[count].unit = count;
                        count++;
                }
                if (adaptive(scenario))
                        task[count++] = every;
        }
        return count;
}

static struct crew_task *list_tasks(const struct sweep *sweep, const struct sweep_options *options,
                                    int64_t *ntask)
{
        struct crew_task *task = calloc((size_t)sweep->nslot + 1, sizeof(*task));
        *ntask = 0;
        if (!task)
                return NULL;
        int64_t count = fill_tasks(sweep->scenario, task);
        qsort(task, (size_t)count, sizeof(*task), by_cost);
        *ntask = pick(sweep, options, task, count);
        return task;
}

/* Of threads that have a core there are more than runs. */
static int32_t threads_of_a_run(const struct sweep_options *options, int64_t ntask)
{
        int32_t threads = options->jobs < options->cores ? options->jobs : options->cores;
        return ntask > 0 && ntask < threads ? threads / (int32_t)ntask : 1;
}

static int run_missing(struct sweep *sweep, struct claims *claims,
                       const struct sweep_options *options, struct lb_error *err)
{
        if (sweep->ndone == sweep->nrun || (options->stop && *options->stop))
                return 0;
        struct crew_order order = { .claims = claims };
        struct point_shared *graphs = point_shared_create(sweep->scenario, err);
        if (!graphs)
                return -1;
        struct crew_task *task = list_tasks(sweep, options, &order.ntask);
        shared_divide(graphs, threads_of_a_run(options, order.ntask));
        order.graphs = graphs;
        order.task = task;
        int status = task ? ranks_crew_run(sweep, &order, options, err)
                          : lb_error_fail(err, "out of memory");
        sweep_count(sweep);
        sweep->undivided = shared_undivided(graphs);
        if (!sweep->undivided && options->jobs > order.ntask && options->cores <= order.ntask)
                sweep->undivided = "there are no more cores";
        free(task);
        point_shared_destroy(graphs);
        return status;
}

/* ---- Sweeps ---- */

static int allocate(struct sweep *sweep, const struct scenario *scenario, const char *directory,
                    struct lb_error *err)
{
        memset(sweep, 0, sizeof(*sweep));
        sweep->scenario = scenario;
        sweep->nslot = scenario->npoint * scenario->replicates;
        sweep->store = store_create(directory, sweep->nslot);
        sweep->result = sweep->store.result;
        sweep->done = calloc((size_t)sweep->nslot + 1, sizeof(*sweep->done));
        if (!sweep->result || !sweep->done)
                return lb_error_fail(err, "out of memory for %lld runs", (long long)sweep->nslot);
        return 0;
}

static int begin(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        if (options->directory && ranks_journal(sweep, options, err) < 0)
                return -1;
        sweep_count(sweep);
        sweep->nreused = sweep->ndone;
        return 0;
}

static struct journal_options merged(const struct sweep *sweep, const struct sweep_options *options,
                                     int32_t i)
{
        return (struct journal_options){ .directory = options->merge[i],
                                         .scenario = sweep->scenario,
                                         .other_build = options->other_build,
                                         .notes = options->notes };
}

/* Before there is a directory for the whole. */
static int check_merged(const struct sweep *sweep, const struct sweep_options *options,
                        struct lb_error *err)
{
        for (int32_t i = 0; i < options->nmerge; i++) {
                struct journal_options other = merged(sweep, options, i);
                other.notes = NULL;
                if (journal_check(&other, err) < 0)
                        return -1;
        }
        return 0;
}

static int merge(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        for (int32_t i = 0; i < options->nmerge; i++) {
                const struct journal_options other = merged(sweep, options, i);
                if (journal_merge(sweep->journal, &other, sweep, err) < 0)
                        return -1;
        }
        sweep_count(sweep);
        sweep->nmerged = sweep->ndone - sweep->nreused;
        return 0;
}

/* Rank 0 of several: what the others leave undone, if anything, is done here. */
static int run_first(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        struct claims *claims;
        if (ranks_lead(sweep, options, &claims, err) < 0)
                return -1;
        int status = run_missing(sweep, claims, options, err);
        sweep->norphan = claims_orphans(claims);
        if (status < 0 || (options->stop && *options->stop)) {
                claims_close(claims);
                return status;
        }
        status = ranks_gather(sweep, options, err);
        sweep_count(sweep);
        sweep->nmerged = sweep->ndone - sweep->nreused - sweep->nmine;
        if (status == 0)
                status = run_missing(sweep, NULL, options, err);
        claims_remove(claims);
        ranks_clean(options);
        return status;
}

/* Another rank. When the claims are gone, rank 0 has everything, whatever failed here. */
static int run_other(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        struct claims *claims;
        if (ranks_join(sweep, options, &claims, err) < 0)
                return -1;
        if (!claims)
                return 0;
        int status = begin(sweep, options, err);
        if (status == 0)
                status = run_missing(sweep, claims, options, err);
        if (!claims_there(claims)) {
                ranks_leave(options);
                status = 0;
        }
        claims_close(claims);
        return status;
}

static int run(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        if (options->rank > 0)
                return run_other(sweep, options, err);
        if (check_merged(sweep, options, err) < 0 || begin(sweep, options, err) < 0 ||
            merge(sweep, options, err) < 0)
                return -1;
        if (options->nrank > 1)
                return run_first(sweep, options, err);
        return run_missing(sweep, NULL, options, err);
}

int sweep_run(struct sweep *sweep, const struct scenario *scenario,
              const struct sweep_options *options, struct lb_error *err)
{
        double start_s = clock_s();
        if (allocate(sweep, scenario, options->directory, err) < 0 ||
            run(sweep, options, err) < 0) {
                sweep_finish(sweep);
                return -1;
        }
        sweep->elapsed_s = clock_s() - start_s;
        bool stopped = options->stop && *options->stop;
        bool part = options->nshard > 1 || options->rank > 0;
        if (sweep->ndone == sweep->nrun || (part && !stopped))
                return 0;
        return lb_error_stop(err, "interrupted with %lld of %lld runs done",
                             (long long)sweep->ndone, (long long)sweep->nrun);
}

void sweep_finish(struct sweep *sweep)
{
        for (int64_t r = 0; sweep->result && r < sweep->nslot; r++) {
                sim_result_finish(&sweep->result[r]);
                sweep_pace(sweep, r);
        }
        store_destroy(&sweep->store);
        free(sweep->done);
        journal_close(sweep->journal);
        memset(sweep, 0, sizeof(*sweep));
}
