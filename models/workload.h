/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_WORKLOAD_H
#define LB_MODELS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

struct taskgraph;
struct trace;

/*
 * Workloads: what work arises where. In every iteration each apprank computes its serial part,
 * creates `ntask` offloadable tasks, waits for them and meets the others at a barrier.
 *
 * - A task's duration is a function of (seed, apprank, iteration, task index) on a core of speed 1,
 *   never of the order of events.
 * - A workload is immutable once created and may be read by any number of threads.
 * - Models of programs derive the durations from the computation: models/micropp.c, models/nbody.c.
 * - Links GSL (the jitter distributions): for the programs only. The loads are in models/load.h.
 */

/* The parameters of all models together, one table for the scenario: WORKLOAD_MODEL (choice of
 * workload_models[]), WORKLOAD_IMBALANCE and so on, which models/workload_param_list.h describes.
 */
enum workload_param {
#define PARAM(key, readers, ...) WORKLOAD_##key,
#include "models/workload_param_list.h"
#undef PARAM
        WORKLOAD_NPARAM
};
extern const struct lb_param workload_params[];

/* Bodies of model "nbody" on all nodes together, at most. */
enum { WORKLOAD_BODY_MAX = 20000000 };

struct workload_spec {
        int32_t nnode, cores_per_node, appranks_per_node;
        const double *param;           /* [WORKLOAD_NPARAM] */
        const double *load_ms;         /* [nload] given mean task durations per apprank, or NULL */
        int32_t nload;                 /* must be the number of appranks where load_ms is given */
        uint64_t seed;                 /* of the loads and the jitter; a replicate has its own */
        const struct trace *trace;     /* of model "trace": outlives the workload */
        const struct taskgraph *graph; /* of model "graph", likewise */
};

/* What one apprank does in one iteration. */
struct work {
        int64_t ntask;
        int64_t task_ns;    /* mean duration at speed 1 */
        int64_t serial_ns;  /* before it creates tasks, on one core of speed 1 at home */
        int64_t start_ns;   /* since the iteration began, likewise, when it creates them: once those
                               whose results they need have done their serial parts, too */
        int64_t task_bytes; /* moved when a task runs elsewhere than where its data is */
        int64_t result_bytes; /* of its outputs, where those return home by themselves: as many as
                                 task_bytes unless the model knows better */
};

/* Core time of all that at speed 1, without jitter. */
static inline double work_meant_ns(const struct work *work)
{
        return (double)work->ntask * (double)work->task_ns + (double)work->serial_ns;
}

/*
 * About how many tasks all iterations together have, for any model but "trace". Cheap: for a check
 * beforehand.
 */
double workload_tasks_about(const struct workload_spec *spec);

struct workload; /* opaque */

struct workload *workload_create(const struct workload_spec *spec, struct lb_error *err);
void workload_destroy(struct workload *workload);

/* Memory that a workload takes, about, bytes. */
size_t workload_bytes(const struct workload *workload);

int32_t workload_niteration(const struct workload *workload);
int32_t workload_napprank(const struct workload *workload);
bool workload_writeback(const struct workload *workload);

/* Fill work[napprank] for an iteration (0 .. niteration-1). */
void workload_iteration(const struct workload *workload, int32_t iteration, struct work *work);

/* Do all tasks of an apprank last work.task_ns? Then workload_task_ns() need not be asked. */
bool workload_alike(const struct workload *workload);

/* Duration of one task at speed 1, ns, from 0 to an hour; `task` counts from 0 in its iteration. */
int64_t workload_task_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                         int64_t task);

/* The same of tasks block * WORKLOAD_BLOCK and on, into task_ns[WORKLOAD_BLOCK], for a fraction of
 * the time; 0 beyond the last task where each has a duration of its own, else anything. */
enum { WORKLOAD_BLOCK = 64 };
void workload_block_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                       int64_t block, int64_t *task_ns);

/* All tasks of an apprank, ntask in that iteration, one after the other; draws every one of them.
 */
double workload_drawn_ns(const struct workload *workload, int32_t apprank, int32_t iteration,
                         int64_t ntask);

/*
 * Explicit tasks with dependencies; NULL: all tasks are independent.
 * Hosts that know no tasks, and those that run the regions below, may ignore the dependencies.
 */
const struct taskgraph *workload_graph_of(const struct workload *workload);

/*
 * The parallel regions of an apprank's iteration, for hosts that run it as fork and join instead of
 * tasks: an OpenMP loop each, whose chunks are consecutive tasks. At least one, together all tasks.
 * Others see the same tasks without the barriers between regions.
 */
int32_t workload_nregion(const struct workload *workload, int32_t apprank, int32_t iteration);
int64_t workload_region_tasks(const struct workload *workload, int32_t apprank, int32_t iteration,
                              int32_t region);

/* Bytes that an apprank sends to others at the end of an iteration; 0 where the model says
 * nothing. */
int64_t workload_message_bytes(const struct workload *workload, int32_t apprank);

/* Zones of model "multizone": the most appranks there may be. */
int32_t workload_nzone(const double *param);

/*
 * How many times longer tasks last when executed on a node in an iteration: not 1 on the emulated
 * slow node while it is slow. most: in any iteration; vary: it is not always slow; change: the
 * factor may be another than in the iteration before.
 */
double workload_node_factor(const struct workload *workload, int32_t node, int32_t iteration);
double workload_node_most(const struct workload *workload, int32_t node);
bool workload_nodes_vary(const struct workload *workload);
bool workload_nodes_change(const struct workload *workload, int32_t iteration);

/* How the appranks meet at the end of every iteration. */
enum workload_meeting { WORKLOAD_BARRIER = 0, WORKLOAD_ALLREDUCE, WORKLOAD_ALLTOALL };

/*
 * What the appranks of a program say to each other in every iteration, beside the tasks' data: all
 * send their messages, wait for those to them, calculate, and meet. Models without messages meet at
 * one barrier.
 */
struct workload_exchange {
        enum workload_meeting meeting;
        int32_t nmeeting;      /* so many times, one right after the other */
        int64_t meeting_bytes; /* from each apprank to each other one */
        int64_t *first;        /* [napprank + 1] an apprank's messages; NULL: there are none */
        int32_t *peer;         /* [first[napprank]] to whom */
        int64_t *bytes;        /* [first[napprank]] */
};

/* Belongs to the workload. */
const struct workload_exchange *workload_exchange(const struct workload *workload);

/* All models by name, NULL-ended; the choices of workload_params[WORKLOAD_MODEL]. */
extern const char *const workload_models[];

/* Does the model of that place in workload_models[] read the parameter, a list of loads, a file? */
bool workload_uses(int model, enum workload_param param);
bool workload_uses_loads(int model);
bool workload_uses_file(int model);

#endif
