/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_WORKLOAD_H
#define LB_MODELS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"

struct taskgraph;
struct trace;

/*
 * Workloads: what work arises where. In every iteration each apprank creates `ntask` offloadable
 * tasks, waits for them and meets the others at a barrier.
 *
 * - A task's duration is a function of (seed, apprank, iteration, task index) on a core of speed 1,
 *   never of the order of events.
 * - A workload is immutable once created and may be read by any number of threads.
 * - Models of programs derive the durations from the computation: models/micropp.c, models/nbody.c.
 * - Links GSL (the jitter distributions): for the programs only. The loads are in models/load.h.
 */

/* The parameters of all models together: one table for the scenario, unused ones are ignored. */
enum workload_param {
        WORKLOAD_MODEL, /* choice of workload_models[] */
        WORKLOAD_IMBALANCE,
        WORKLOAD_ITERATIONS,
        WORKLOAD_TASKS_PER_CORE,
        WORKLOAD_TASK_MS,
        WORKLOAD_TASK_BYTES,
        WORKLOAD_WRITEBACK,   /* switch: taskwait brings the data home */
        WORKLOAD_JITTER,      /* choice: none, uniform, gaussian, lognormal, exponential, gamma */
        WORKLOAD_JITTER_CV,   /* standard deviation over mean of a task's duration */
        WORKLOAD_SLOW,        /* choice: none, most, least, first: whose node is emulated as slow */
        WORKLOAD_SLOW_FACTOR, /* tasks executed on that node take this many times as long */
        WORKLOAD_WORST,       /* choice: random, first, last: which apprank is the worst */
        WORKLOAD_PHASE_ITERATIONS,
        WORKLOAD_MICROPP_NONLINEAR,    /* share of the points, the first ones */
        WORKLOAD_MICROPP_LINEAR_STEPS, /* iterations before any is */
        WORKLOAD_MICROPP_NEWTON,       /* iterations of a non-linear point */
        WORKLOAD_MICROPP_CG_LINEAR,
        WORKLOAD_MICROPP_CG_NONLINEAR,
        WORKLOAD_MICROPP_CG_MS,
        WORKLOAD_MICROPP_ASSEMBLY_MS,
        WORKLOAD_NBODY_BODIES, /* per node */
        WORKLOAD_NBODY_BLOCK,  /* bodies per task */
        WORKLOAD_NBODY_THETA,
        WORKLOAD_NBODY_INTERACTION_NS,
        WORKLOAD_MATMUL_SIZE,
        WORKLOAD_MATMUL_TASKS, /* per apprank that has any */
        WORKLOAD_MATMUL_RANKS, /* which are the first so many; 0: all */
        WORKLOAD_MATMUL_GFLOPS,
        WORKLOAD_MESH_STEPS, /* until the wave begins again; the lake's period */
        WORKLOAD_MESH_REFINE,
        WORKLOAD_MESH_WIDTH,
        WORKLOAD_LIMITER_FACTOR,
        WORKLOAD_LIMITER_BAND,
        WORKLOAD_TRACE_TASKS, /* trace: tasks of each apprank with work; 0: as measured */
        WORKLOAD_LIMITER_SHARE,
        WORKLOAD_REGIONS, /* parallel regions of an iteration, where the model has none of its own
                           */
        WORKLOAD_MULTIZONE_BENCHMARK, /* choice: bt, sp, lu */
        WORKLOAD_MULTIZONE_CLASS,     /* choice: S, W, A, B, C, D */
        WORKLOAD_MULTIZONE_MAP,       /* choice: packed, block, cyclic */
        WORKLOAD_MULTIZONE_MFLOPS,
        WORKLOAD_FT_CLASS,        /* choice: S, W, A, B, C, D */
        WORKLOAD_FT_GFLOPS,       /* rate of a core of speed 1 */
        WORKLOAD_MINIFE_ELEMENTS, /* along each side of the cube */
        WORKLOAD_MINIFE_GBPS,     /* memory bandwidth of a core of speed 1 */
        WORKLOAD_CHOLESKY_SIZE,
        WORKLOAD_CHOLESKY_BLOCK,
        WORKLOAD_CHOLESKY_MATRICES, /* of an apprank, on average */
        WORKLOAD_CHOLESKY_GFLOPS,   /* rate of a core of speed 1 */
        WORKLOAD_CHOLESKY_FILL_NS,  /* of one entry */
        WORKLOAD_CHOLESKY_DIAGONAL, /* choice: half, whole */
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
        int64_t task_ns;      /* mean duration at speed 1 */
        int64_t task_bytes;   /* moved when a task runs elsewhere than where its data is */
        int64_t result_bytes; /* of its outputs, where those return home by themselves: as many as
                                 task_bytes unless the model knows better */
};

/*
 * About how many tasks all iterations together have, for any model but "trace". Cheap: for a check
 * beforehand.
 */
double workload_tasks_about(const struct workload_spec *spec);

struct workload; /* opaque */

struct workload *workload_create(const struct workload_spec *spec, struct lb_error *err);
void workload_destroy(struct workload *workload);

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

/*
 * Explicit tasks with dependencies, the same in every iteration; NULL: all tasks are independent.
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

/* How many times longer tasks last when executed on a node: not 1 on the emulated slow node. */
double workload_node_factor(const struct workload *workload, int32_t node);

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
