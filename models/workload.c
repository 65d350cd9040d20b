/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/workload.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "models/jitter.h"
#include "models/taskgraph.h"
#include "models/trace.h"
#include "models/workload_impl.h"

/*
 * A trace has work and number of tasks of its own for every apprank and iteration; its tasks of one
 * apprank and iteration last equally long, to the nanosecond. Beyond its end it begins again. All
 * other models fill a plan.
 */
const struct workload_model workload_trace = { .reads_file = true };
static const struct workload_model *const models[MODEL_N] = {
#define MODEL(place, name) [MODEL_##place] = &workload_##name,
#include "models/workload_model_list.h"
#undef MODEL
};

struct workload {
        int32_t napprank, niteration;
        const struct trace *trace; /* or NULL, then the plan */
        int64_t trace_tasks;       /* of each apprank with work; 0: as the trace says */
        struct plan plan;
        int64_t serial_ns; /* of each apprank */
        int64_t task_bytes, result_bytes;
        bool writeback;
        int32_t nregion;   /* where the plan has none */
        int32_t slow_node; /* -1: none */
        double slow_factor;
        int32_t slow_iterations; /* 0: always */
        struct jitter jitter;
        uint64_t key; /* of the jitter */
        struct workload_exchange exchange;
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

int32_t workload_most_loaded(const double *load, int32_t n)
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

/* The node emulated as slow, or -1. Appranks lie on their homes block by block. */
static int32_t choose_slow(const struct workload_spec *spec, const double *load, int32_t n)
{
        switch ((enum slow)(int)spec->param[WORKLOAD_SLOW]) {
        case SLOW_MOST:
                return workload_most_loaded(load, n) / spec->appranks_per_node;
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

int64_t workload_tasks_per_apprank(const struct workload_spec *spec)
{
        int64_t on_node = (int64_t)spec->param[WORKLOAD_TASKS_PER_CORE] * spec->cores_per_node;
        int64_t ntask = on_node / spec->appranks_per_node;
        return ntask > 0 ? ntask : 1;
}

/* All but the loads. */
static int set_up(struct workload *workload, const struct workload_spec *spec, int32_t napprank,
                  struct lb_error *err)
{
        const double *param = spec->param;
        *workload = (struct workload){
                .napprank = napprank,
                .niteration = (int32_t)param[WORKLOAD_ITERATIONS],
                .trace = param[WORKLOAD_MODEL] == MODEL_TRACE ? spec->trace : NULL,
                .trace_tasks = (int64_t)param[WORKLOAD_TRACE_TASKS],
                .serial_ns = llround(param[WORKLOAD_SERIAL_S] * 1e9),
                .task_bytes = (int64_t)param[WORKLOAD_TASK_BYTES],
                .result_bytes = (int64_t)param[WORKLOAD_TASK_BYTES],
                .writeback = param[WORKLOAD_WRITEBACK] != 0,
                .nregion = (int32_t)param[WORKLOAD_REGIONS],
                .slow_factor = param[WORKLOAD_SLOW_FACTOR],
                .slow_iterations = (int32_t)param[WORKLOAD_SLOW_ITERATIONS],
                .key = lb_random_key(spec->seed, LB_RANDOM_TASK),
                .exchange = { .meeting = WORKLOAD_BARRIER, .nmeeting = 1 },
        };
        return jitter_init(&workload->jitter, (enum jitter_kind)(int)param[WORKLOAD_JITTER],
                           param[WORKLOAD_JITTER_CV], err);
}

static int fill(struct workload *workload, const struct workload_spec *spec, struct lb_error *err)
{
        int model = (int)spec->param[WORKLOAD_MODEL];
        int32_t n = workload->napprank;
        if (model != MODEL_TRACE) {
                if (models[model]->fill(&workload->plan, spec, err) != 0)
                        return -1;
                if (models[model]->exchange &&
                    models[model]->exchange(&workload->exchange, spec, err) != 0)
                        return -1;
                if (workload->plan.graph && workload->jitter.kind != JITTER_NONE)
                        return lb_error_set(err,
                                            "jitter: found %s, allowed with explicit tasks is "
                                            "none: they have durations of their own",
                                            jitter_names[workload->jitter.kind]);
                workload->slow_node = choose_slow(spec, workload->plan.load, n);
                if (workload->plan.task_bytes >= 0)
                        workload->task_bytes = workload->plan.task_bytes;
                if (workload->plan.result_bytes >= 0)
                        workload->result_bytes = workload->plan.result_bytes;
                return 0;
        }
        double *load = malloc((size_t)n * sizeof(*load));
        if (!load)
                return lb_error_fail(err, "out of memory for %d appranks", n);
        int status = loads_trace(spec, load, n, err);
        if (status == 0)
                workload->slow_node = choose_slow(spec, load, n);
        free(load);
        return status;
}

struct workload *workload_create(const struct workload_spec *spec, struct lb_error *err)
{
        if (check_spec(spec, err) != 0)
                return NULL;
        struct workload *workload = malloc(sizeof(*workload));
        if (!workload) {
                lb_error_fail(err, "out of memory for a workload");
                return NULL;
        }
        if (set_up(workload, spec, workload_spec_napprank(spec), err) == 0 &&
            fill(workload, spec, err) == 0)
                return workload;
        workload_destroy(workload);
        return NULL;
}

void workload_destroy(struct workload *workload)
{
        if (!workload)
                return;
        plan_finish(&workload->plan);
        jitter_finish(&workload->jitter);
        free(workload->exchange.first);
        free(workload->exchange.peer);
        free(workload->exchange.bytes);
        free(workload);
}

size_t workload_bytes(const struct workload *workload)
{
        const struct plan *plan = &workload->plan;
        size_t npart = (size_t)plan->nstep * (size_t)plan->napprank;
        double own_tasks = plan->own_graph ? taskgraph_ntask(plan->own_graph) : 0;
        return sizeof(*workload) + npart * sizeof(*plan->part) + (size_t)plan->size * 8 +
               (size_t)plan->region_size * 8 + (size_t)workload->napprank * 64 +
               (size_t)own_tasks * 64;
}

const struct workload_exchange *workload_exchange(const struct workload *workload)
{
        return &workload->exchange;
}

double workload_tasks_about(const struct workload_spec *spec)
{
        const struct workload_model *model = models[(int)spec->param[WORKLOAD_MODEL]];
        double on_node = model->tasks_of_node
                             ? model->tasks_of_node(spec)
                             : spec->param[WORKLOAD_TASKS_PER_CORE] * spec->cores_per_node;
        return on_node * spec->nnode * spec->param[WORKLOAD_ITERATIONS];
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
        struct work work = { .serial_ns = workload->serial_ns,
                             .start_ns = workload->serial_ns,
                             .task_bytes = workload->task_bytes,
                             .result_bytes = workload->result_bytes };
        if (!trace) {
                const struct plan_part *part = plan_at(&workload->plan, iteration, apprank);
                work.ntask = part->ntask;
                work.task_ns = part->task_ns;
                work.serial_ns += part->serial_ns;
                work.start_ns += part->start_ns;
                return work;
        }
        iteration %= trace_niteration(trace);
        work.ntask = trace_tasks(trace, iteration, apprank);
        if (work.ntask > 0 && workload->trace_tasks > 0)
                work.ntask = workload->trace_tasks;
        double serial_s = trace_serial_s(trace, iteration, apprank);
        double tasks_s = trace_work_s(trace, iteration, apprank) - serial_s;
        if (work.ntask > 0)
                work.task_ns = llround(tasks_s * 1e9 / (double)work.ntask);
        work.serial_ns += llround(serial_s * 1e9);
        work.start_ns += llround(serial_s * 1e9);
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
        const struct plan *plan = &workload->plan;
        return workload->jitter.kind == JITTER_NONE && plan->ntask == 0 && !plan->graph;
}

const struct taskgraph *workload_graph_of(const struct workload *workload)
{
        return workload->plan.graph;
}

/* What tasks first .. first + count - 1 last before jitter; 0 beyond the last. */
static void plain_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                     int64_t first, int32_t count, int64_t *task_ns)
{
        const struct plan_part *part =
            workload->trace ? NULL : plan_at(&workload->plan, iteration, apprank);
        const int64_t *each = NULL;
        if (workload->plan.graph)
                each = taskgraph_part(workload->plan.graph, iteration, apprank)->task_ns;
        else if (part && part->first != PLAN_ALIKE)
                each = &workload->plan.task_ns[part->first];
        int64_t alike = part ? part->task_ns : work_of(workload, apprank, iteration).task_ns;
        for (int32_t i = 0; i < count; i++)
                task_ns[i] = !each ? alike : first + i < part->ntask ? each[first + i] : 0;
}

/* Tasks first .. first + count - 1, both even: they share random numbers two by two. */
static void draw(const struct workload *workload, int32_t apprank, int32_t iteration, int64_t first,
                 int32_t count, int64_t *task_ns)
{
        assert(apprank >= 0 && apprank < workload->napprank && iteration >= 0 && first >= 0);
        plain_ns(workload, apprank, iteration, first, count, task_ns);
        if (workload->jitter.kind == JITTER_NONE)
                return;
        uint64_t bits[WORKLOAD_BLOCK];
        double factor[WORKLOAD_BLOCK], most_ns = plan_task_ms_max * 1e6;
        uint64_t stream = (uint64_t)apprank << 32 | (uint64_t)iteration;
        lb_random_pairs(workload->key, stream, (uint64_t)first / 2, count / 2, bits);
        jitter_factors(&workload->jitter, bits, count, factor);
        for (int32_t i = 0; i < count; i++) {
                double ns = (double)task_ns[i] * factor[i] + 0.5;
                task_ns[i] = (int64_t)(ns < most_ns ? ns : most_ns);
        }
}

void workload_block_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                       int64_t block, int64_t *task_ns)
{
        draw(workload, apprank, iteration, block * WORKLOAD_BLOCK, WORKLOAD_BLOCK, task_ns);
}

double workload_drawn_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                         int64_t ntask)
{
        int64_t task_ns[WORKLOAD_BLOCK];
        double sum_ns = 0;
        for (int64_t from = 0; from < ntask; from += WORKLOAD_BLOCK) {
                int64_t count = ntask - from < WORKLOAD_BLOCK ? ntask - from : WORKLOAD_BLOCK;
                workload_block_ns(workload, apprank, iteration, from / WORKLOAD_BLOCK, task_ns);
                for (int64_t t = 0; t < count; t++)
                        sum_ns += (double)task_ns[t];
        }
        return sum_ns;
}

int64_t workload_task_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                         int64_t task)
{
        int64_t pair_ns[2];
        draw(workload, apprank, iteration, task & ~INT64_C(1), 2, pair_ns);
        return pair_ns[task & 1];
}

/* NULL: not divided. */
static const struct plan_part *divided(const struct workload *workload, int32_t apprank,
                                       int32_t iteration)
{
        const struct plan_part *part =
            workload->trace ? NULL : plan_at(&workload->plan, iteration, apprank);
        return part && part->nregion > 0 ? part : NULL;
}

int32_t workload_nregion(const struct workload *workload, int32_t apprank, int32_t iteration)
{
        const struct plan_part *part = divided(workload, apprank, iteration);
        return part ? part->nregion : workload->nregion;
}

int64_t workload_region_tasks(const struct workload *workload, int32_t apprank, int32_t iteration,
                              int32_t region)
{
        const struct plan_part *part = divided(workload, apprank, iteration);
        if (part)
                return workload->plan.region[part->first_region + region];
        int64_t ntask = work_of(workload, apprank, iteration).ntask;
        return ntask * (region + 1) / workload->nregion - ntask * region / workload->nregion;
}

int64_t workload_message_bytes(const struct workload *workload, int32_t apprank)
{
        const int64_t *bytes = workload->trace ? NULL : workload->plan.message_bytes;
        return bytes ? bytes[apprank] : 0;
}

double workload_node_factor(const struct workload *workload, int32_t node, int32_t iteration)
{
        int32_t stretch = workload->slow_iterations;
        bool slow = stretch == 0 || iteration / stretch % 2 == 1;
        return slow ? workload_node_most(workload, node) : 1;
}

double workload_node_most(const struct workload *workload, int32_t node)
{
        return node == workload->slow_node ? workload->slow_factor : 1;
}

bool workload_nodes_vary(const struct workload *workload)
{
        return workload->slow_node >= 0 && workload->slow_iterations > 0;
}

bool workload_nodes_change(const struct workload *workload, int32_t iteration)
{
        return workload_nodes_vary(workload) && iteration % workload->slow_iterations == 0;
}

bool workload_uses_loads(int model)
{
        return models[model]->reads_loads;
}

bool workload_uses_file(int model)
{
        return models[model]->reads_file;
}
