/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/workload.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "models/jitter.h"
#include "models/load.h"
#include "models/trace.h"

/*
 * The synthetic benchmark of papers/ompss2-cluster-dlb 6.2, and the same with given loads. The
 * number of tasks is the same for all appranks; the load is in their durations, as in the paper.
 * The loads stay the same in every iteration.
 *
 * A trace has work and number of tasks of its own for every apprank and iteration; its tasks of one
 * apprank and iteration last equally long, to the nanosecond. Beyond its end it begins again.
 */
enum model { MODEL_SYNTHETIC = 0, MODEL_GIVEN, MODEL_TRACE, MODEL_N };
enum slow { SLOW_NONE = 0, SLOW_MOST, SLOW_LEAST, SLOW_FIRST, SLOW_N };
enum worst { WORST_RANDOM = 0, WORST_FIRST, WORST_LAST, WORST_N };

const char *const workload_models[] = {
        [MODEL_SYNTHETIC] = "synthetic",
        [MODEL_GIVEN] = "given",
        [MODEL_TRACE] = "trace",
        [MODEL_N] = NULL,
};

static const char *const slow_names[] = {
        [SLOW_NONE] = "none",   [SLOW_MOST] = "most", [SLOW_LEAST] = "least",
        [SLOW_FIRST] = "first", [SLOW_N] = NULL,
};

static const char *const worst_names[] = {
        [WORST_RANDOM] = "random",
        [WORST_FIRST] = "first",
        [WORST_LAST] = "last",
        [WORST_N] = NULL,
};

static const double task_ms_max = 3.6e6; /* an hour */

const struct lb_param workload_params[] = {
        [WORKLOAD_MODEL] = { .name = "model",
                             .type = LB_PARAM_CHOICE,
                             .fallback = MODEL_SYNTHETIC,
                             .choices = workload_models,
                             .help = "where the loads come from: drawn for an imbalance, given, or "
                                     "traced in a real run" },
        [WORKLOAD_IMBALANCE] = { .name = "imbalance",
                                 .type = LB_PARAM_NUMBER,
                                 .fallback = 2.0,
                                 .min = 1,
                                 .max = 1e6,
                                 .help =
                                     "load of the worst apprank over the mean load; at most the "
                                     "number of appranks" },
        [WORKLOAD_ITERATIONS] = { .name = "iterations",
                                  .type = LB_PARAM_INTEGER,
                                  .fallback = 10,
                                  .min = 1,
                                  .max = 1e6,
                                  .help = "iterations, each ended by a barrier" },
        [WORKLOAD_TASKS_PER_CORE] = { .name = "tasks_per_core",
                                      .type = LB_PARAM_INTEGER,
                                      .fallback = 100,
                                      .min = 1,
                                      .max = 1e6,
                                      .help = "tasks created per core and iteration" },
        [WORKLOAD_TASK_MS] = { .name = "task_ms",
                               .unit = "ms",
                               .type = LB_PARAM_NUMBER,
                               .fallback = 50,
                               .min = 0,
                               .max = 3.6e6,
                               .help = "mean duration of a task over all appranks" },
        [WORKLOAD_TASK_BYTES] = { .name = "task_bytes",
                                  .unit = "bytes",
                                  .type = LB_PARAM_INTEGER,
                                  .fallback = 1,
                                  .min = 0,
                                  .max = 1e12,
                                  .help = "data moved when a task runs elsewhere than its data" },
        [WORKLOAD_WRITEBACK] = { .name = "writeback",
                                 .type = LB_PARAM_SWITCH,
                                 .max = 1,
                                 .help = "the taskwait of an iteration brings the data home" },
        [WORKLOAD_JITTER] = { .name = "jitter",
                              .type = LB_PARAM_CHOICE,
                              .fallback = JITTER_NONE,
                              .choices = jitter_names,
                              .help = "distribution of the durations of one apprank's tasks" },
        [WORKLOAD_JITTER_CV] = { .name = "jitter_cv",
                                 .type = LB_PARAM_NUMBER,
                                 .fallback = 0.1,
                                 .min = 0,
                                 .max = 10,
                                 .help =
                                     "standard deviation over mean of the jitter; at most 0.577 "
                                     "for uniform, 0.5 for gaussian (cut off at 0 and twice "
                                     "the mean), 1 for exponential (shifted below 1)" },
        [WORKLOAD_SLOW] = { .name = "slow",
                            .type = LB_PARAM_CHOICE,
                            .fallback = SLOW_NONE,
                            .choices = slow_names,
                            .help = "emulate a slow node: the home of the apprank with most or "
                                    "least work, or the first" },
        [WORKLOAD_SLOW_FACTOR] = { .name = "slow_factor",
                                   .type = LB_PARAM_NUMBER,
                                   .fallback = 3,
                                   .min = 1,
                                   .max = 1000,
                                   .help = "how many times longer tasks last on the slow node" },
        [WORKLOAD_WORST] = { .name = "worst",
                             .type = LB_PARAM_CHOICE,
                             .fallback = WORST_RANDOM,
                             .choices = worst_names,
                             .help = "which apprank is the worst" },
        [WORKLOAD_NPARAM] = { 0 },
};

struct workload {
        int32_t napprank, niteration;
        const struct trace *trace; /* or NULL, then: */
        int64_t ntask;             /* of every apprank in every iteration */
        int64_t task_bytes;
        bool writeback;
        int32_t slow_node; /* -1: none */
        double slow_factor;
        struct jitter jitter;
        uint64_t key;      /* of the jitter */
        int64_t task_ns[]; /* [napprank] without a trace */
};

static int check_spec(const struct workload_spec *spec, struct lb_error *err)
{
        if (spec->nnode < 1 || spec->cores_per_node < 1 || spec->appranks_per_node < 1)
                return lb_error_set(err,
                                    "found %d nodes, %d cores and %d appranks per node, allowed is "
                                    "at least 1 of each",
                                    spec->nnode, spec->cores_per_node, spec->appranks_per_node);
        if ((int64_t)spec->nnode * spec->appranks_per_node > INT32_MAX)
                return lb_error_set(err, "found %lld appranks, allowed is at most %d",
                                    (long long)spec->nnode * spec->appranks_per_node, INT32_MAX);
        for (int i = 0; i < WORKLOAD_NPARAM; i++)
                if (lb_param_check(&workload_params[i], spec->param[i], err) != 0)
                        return lb_error_prefix(err, "%s: ", workload_params[i].name);
        return 0;
}

static int32_t index_of_most(const double *load, int32_t n)
{
        int32_t most = 0;
        for (int32_t i = 1; i < n; i++)
                if (load[i] > load[most])
                        most = i;
        return most;
}

static int32_t index_of_least(const double *load, int32_t n)
{
        int32_t least = 0;
        for (int32_t i = 1; i < n; i++)
                if (load[i] < load[least])
                        least = i;
        return least;
}

static int loads_synthetic(const struct workload_spec *spec, double *load, int32_t n,
                           struct lb_error *err)
{
        const double *param = spec->param;
        if (load_uniform(load, n, param[WORKLOAD_TASK_MS], param[WORKLOAD_IMBALANCE], spec->seed, 0,
                         err) != 0)
                return -1;
        if (param[WORKLOAD_WORST] == WORST_RANDOM)
                return 0;
        int32_t from = index_of_most(load, n);
        int32_t to = param[WORKLOAD_WORST] == WORST_FIRST ? 0 : n - 1;
        double worst = load[from];
        load[from] = load[to];
        load[to] = worst;
        return 0;
}

static int loads_given(const struct workload_spec *spec, double *load, int32_t n,
                       struct lb_error *err)
{
        int32_t nload = spec->load_ms ? spec->nload : 0;
        if (nload != n)
                return lb_error_set(err,
                                    "model \"given\": found %d loads, allowed is %d, one for each "
                                    "apprank",
                                    nload, n);
        for (int32_t i = 0; i < n; i++)
                load[i] = spec->load_ms[i];
        return 0;
}

/* The appranks' work over the whole trace. */
static int loads_trace(const struct workload_spec *spec, double *load, int32_t n,
                       struct lb_error *err)
{
        const struct trace *trace = spec->trace;
        if (!trace)
                return lb_error_set(err, "model \"trace\": found no file, allowed is one of lbrun "
                                         "--loads");
        if (trace_napprank(trace) != n)
                return lb_error_set(err,
                                    "model \"trace\": found work of %d appranks, allowed is %d, "
                                    "the number of appranks",
                                    trace_napprank(trace), n);
        for (int32_t a = 0; a < n; a++) {
                load[a] = 0;
                for (int32_t i = 0; i < trace_niteration(trace); i++)
                        load[a] += trace_work_s(trace, i, a);
        }
        return 0;
}

static int fill_loads(const struct workload_spec *spec, double *load_ms, int32_t n,
                      struct lb_error *err)
{
        bool given = spec->param[WORKLOAD_MODEL] == MODEL_GIVEN;
        if ((given ? loads_given : loads_synthetic)(spec, load_ms, n, err) != 0)
                return -1;
        for (int32_t i = 0; i < n; i++)
                if (!(load_ms[i] >= 0 && load_ms[i] <= task_ms_max))
                        return lb_error_set(err,
                                            "apprank %d: found tasks of %.10g ms on average, "
                                            "allowed is 0 to %.10g ms",
                                            i, load_ms[i], task_ms_max);
        return 0;
}

/* The node emulated as slow, or -1. Appranks lie on their homes block by block. */
static int32_t choose_slow(const struct workload_spec *spec, const double *load, int32_t n)
{
        switch ((enum slow)(int)spec->param[WORKLOAD_SLOW]) {
        case SLOW_MOST:
                return index_of_most(load, n) / spec->appranks_per_node;
        case SLOW_LEAST:
                return index_of_least(load, n) / spec->appranks_per_node;
        case SLOW_FIRST:
                return 0;
        case SLOW_NONE:
        case SLOW_N:
                break;
        }
        return -1;
}

static int64_t tasks_per_apprank(const struct workload_spec *spec)
{
        int64_t on_node = (int64_t)spec->param[WORKLOAD_TASKS_PER_CORE] * spec->cores_per_node;
        int64_t ntask = on_node / spec->appranks_per_node;
        return ntask > 0 ? ntask : 1;
}

/* All but the loads; the header of a workload. */
static int set_up(struct workload *workload, const struct workload_spec *spec, int32_t napprank,
                  struct lb_error *err)
{
        const double *param = spec->param;
        *workload = (struct workload){
                .napprank = napprank,
                .niteration = (int32_t)param[WORKLOAD_ITERATIONS],
                .trace = param[WORKLOAD_MODEL] == MODEL_TRACE ? spec->trace : NULL,
                .ntask = tasks_per_apprank(spec),
                .task_bytes = (int64_t)param[WORKLOAD_TASK_BYTES],
                .writeback = param[WORKLOAD_WRITEBACK] != 0,
                .slow_factor = param[WORKLOAD_SLOW_FACTOR],
                .key = lb_random_key(spec->seed, LB_RANDOM_TASK),
        };
        return jitter_init(&workload->jitter, (enum jitter_kind)(int)param[WORKLOAD_JITTER],
                           param[WORKLOAD_JITTER_CV], err);
}

static int fill_tasks(struct workload *workload, const struct workload_spec *spec, double *load,
                      struct lb_error *err)
{
        int32_t n = workload->napprank;
        bool traced = spec->param[WORKLOAD_MODEL] == MODEL_TRACE;
        if ((traced ? loads_trace : fill_loads)(spec, load, n, err) != 0)
                return -1;
        workload->slow_node = choose_slow(spec, load, n);
        for (int32_t i = 0; i < n && !traced; i++)
                workload->task_ns[i] = llround(load[i] * 1e6);
        return 0;
}

struct workload *workload_create(const struct workload_spec *spec, struct lb_error *err)
{
        if (check_spec(spec, err) != 0)
                return NULL;
        int32_t n = spec->nnode * spec->appranks_per_node;
        double *load = malloc((size_t)n * sizeof(*load));
        struct workload *workload =
            malloc(sizeof(*workload) + (size_t)n * sizeof(workload->task_ns[0]));
        if (!load || !workload) {
                lb_error_fail(err, "out of memory for %d appranks", n);
                goto error;
        }
        if (set_up(workload, spec, n, err) != 0 || fill_tasks(workload, spec, load, err) != 0)
                goto error;
        free(load);
        return workload;
error:
        free(load);
        workload_destroy(workload);
        return NULL;
}

void workload_destroy(struct workload *workload)
{
        free(workload);
}

int32_t workload_niteration(const struct workload *workload)
{
        return workload->niteration;
}

int32_t workload_napprank(const struct workload *workload)
{
        return workload->napprank;
}

bool workload_writeback(const struct workload *workload)
{
        return workload->writeback;
}

/* What an apprank does in an iteration. */
static struct work work_of(const struct workload *workload, int32_t apprank, int32_t iteration)
{
        const struct trace *trace = workload->trace;
        struct work work = { .task_bytes = workload->task_bytes };
        if (!trace) {
                work.ntask = workload->ntask;
                work.task_ns = workload->task_ns[apprank];
                return work;
        }
        iteration %= trace_niteration(trace);
        work.ntask = trace_tasks(trace, iteration, apprank);
        if (work.ntask > 0)
                work.task_ns =
                    llround(trace_work_s(trace, iteration, apprank) * 1e9 / (double)work.ntask);
        return work;
}

void workload_iteration(const struct workload *workload, int32_t iteration, struct work *work)
{
        assert(iteration >= 0 && iteration < workload->niteration);
        for (int32_t a = 0; a < workload->napprank; a++)
                work[a] = work_of(workload, a, iteration);
}

bool workload_alike(const struct workload *workload)
{
        return workload->jitter.kind == JITTER_NONE;
}

int64_t workload_task_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                         int64_t task)
{
        assert(apprank >= 0 && apprank < workload->napprank && iteration >= 0 && task >= 0);
        int64_t mean_ns = work_of(workload, apprank, iteration).task_ns;
        if (workload_alike(workload))
                return mean_ns;
        uint64_t stream = (uint64_t)apprank << 32 | (uint64_t)iteration;
        uint64_t bits = lb_random_at(workload->key, stream, (uint64_t)task);
        double u = ((double)(bits >> 12) + 0.5) * 0x1.0p-52; /* in (0, 1), exactly */
        double ns = (double)mean_ns * jitter_factor(&workload->jitter, u);
        return llround(fmin(ns, task_ms_max * 1e6));
}

double workload_node_factor(const struct workload *workload, int32_t node)
{
        return node == workload->slow_node ? workload->slow_factor : 1;
}
