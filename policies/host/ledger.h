/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_LEDGER_H
#define LB_POLICIES_HOST_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/host/metrics.h"
#include "policies/host/observe.h"

/*
 * The ledger of a run: hosts, simulated or live, report what happens; all metrics and time series
 * are computed here, from the same totals for all of them.
 *
 *   host --- totals, kept as things happen or handed over at marks ---> ledger ---> metric[]
 *        '-- marks: iterations' ends, samples, the end ----------------'     '---> time series
 *
 * - Totals count from the start of the run and are looked at at marks alone: the end of each
 *   iteration, each sample, and what ledger_metrics() finds when the run is over. So a fast host
 *   keeps its own integrals (core time: + at stop, - at start) and writes them here just before a
 *   mark; another one adds as things happen (ledger_created() and so on). The ledger takes
 *   differences.
 * - Totals are doubles: whole numbers in them are exact up to 2^53, 104 core-days in ns.
 * - Busy core time for the samples comes in one of two ways: node_busy_ns[] (and worker_busy_ns[])
 *   as of the sample, then ledger_sample(); or, by hosts that learn of it afterwards, whole
 *   intervals with ledger_busy(), in any order, but none that ends after the next iteration's end
 *   is reported later. Such hosts say so (spec.hindsight) and take no samples.
 * - "The last third" of the iterations begins with ledger_first_steady(); first to last there is at
 *   least one iteration in it.
 * - No clock, no I/O; memory is allocated where it is created and where samples grow. Without
 *   memory for samples the run goes on, and ledger_status() says so at its end.
 */

struct ledger_power { /* W per core */
        double busy, polling, idle, off;
};

struct ledger_spec {
        enum metric_host host;
        int32_t nnode, napprank, nworker;
        int32_t ncore;             /* of each node */
        const double *node_cores;  /* [nnode] of each, where they are not the same; NULL: ncore */
        int32_t appranks_per_node; /* at home on node apprank / appranks_per_node */
        const double *node_speed;  /* [nnode] of a core */
        const double
            *node_slowdown; /* [nnode] what the program takes longer there in the last third,
                               at most where that varies (see ledger.capacity); NULL: 1 */
        const double *apprank_speed; /* [napprank] of its own cores together; NULL: not known */
        struct ledger_power power;   /* for energy */
        int32_t niteration;
        int64_t sample_ns; /* interval of samples; 0: there are none */
        bool keep;         /* the time series of workers */
        bool hindsight;
};

/* Since the start of the run. */
struct ledger_totals {
        double useful_ns, work_ns; /* executed tasks, without what was in vain: core time where they
                                      ran, time at speed 1 */
        double tasks, home_tasks;  /* executed: all, at home */
        double borrowed_ns;        /* core time of workers on cores that they did not own */
        double helper_ns;          /* helper processes x time */
        double starts;             /* helper processes started */
        double bytes;              /* moved between nodes */
        double moved_cores;        /* changes of owner */
        double decisions;          /* of whoever moves cores, tasks or processes */
        double events;             /* of a simulation */
        double mpi_ns;             /* of the appranks' main programs in MPI */
        double cores_lent, cores_borrowed, cores_reclaimed; /* times */
        double message_ns, poll_ns, decision_ns;            /* core time of the balancing itself */
};

/* What no policy can do better than, over all work / speed of all cores; NaN: not known. */
struct ledger_limits {
        double floor, floor_blind; /* list scheduling of the tasks on all cores */
        double cut;                /* who may use which cores */
};

struct ledger_samples; /* ledger_samples.c */

struct ledger {
        struct ledger_spec spec; /* its arrays: copies */

        /* what hosts keep right at every mark */
        struct ledger_totals now;
        double *node_busy_ns;    /* [nnode] core time in tasks and in the runtime's own work */
        double *apprank_work_ns; /* [napprank] at speed 1, of the tasks that the workload drew, once
                                    their iteration is over */
        double *worker_busy_ns;  /* [nworker] as node_busy_ns; where series are kept */
        int32_t *owned;          /* [nworker] cores; where series are kept; see ledger_owns() */
        int32_t *node_freed;     /* [nnode] cores left to others by processes that share CPUs */

        /* what they may set before the end */
        double extra_cores;  /* beyond those of the platform */
        double shared_cores; /* of a node, that there are processes for; 0: all */
        double capacity; /* cores x speed in the iteration that runs, where that varies; 0: as the
                            spec says */
        double chain_ns; /* the least that tasks that wait for each other take, mean of the last
                            third */
        struct ledger_limits limits; /* NaN unless the host knows them */
        double helpers;              /* at the end */
        double load_gap;

        /* marks so far */
        int32_t iteration, first_steady;
        int64_t time_ns;           /* of the last one */
        double *iteration_s;       /* [spec.niteration] */
        struct ledger_totals from; /* at the start of the last third; likewise: */
        int64_t from_ns;
        double *from_busy_ns, *from_work_ns;
        double used_cores, freed;       /* sums over the last third's iterations */
        double slowest_own_s;           /* likewise, of each iteration's slowest apprank */
        double *before_work_ns;         /* [napprank] at the end of the iteration before */
        double alone_imbalance;         /* see ledger_arrivals(); NaN: never told */
        double before_bytes;            /* now.bytes, at the end of the iteration before */
        double before_all_ns;           /* now.work_ns, likewise */
        double least_ns;                /* of the last third's work, where capacity varies */
        struct observer *observer;      /* is told of iterations; the host's own; NULL: none */
        struct ledger_samples *samples; /* NULL: none */
};

/* Errors: memory. The arrays of the spec are copied. */
struct ledger *ledger_create(const struct ledger_spec *spec, struct lb_error *err);
void ledger_destroy(struct ledger *l); /* takes NULL */

/* The first iteration of the last third; the last one where there are only a few. */
int32_t ledger_first_steady(int32_t niteration);

/* Of a core of a node, for the program. */
double ledger_speed(const struct ledger_spec *spec, int32_t node);

/* ---- Observations ---- */

/* The workload drew tasks of an apprank for an iteration; counted when that is over. */
static inline void ledger_created(struct ledger *l, int32_t apprank, double work_ns)
{
        l->apprank_work_ns[apprank] += work_ns;
}

/* Tasks were executed. */
static inline void ledger_finished(struct ledger *l, double tasks, bool home, double useful_ns,
                                   double work_ns)
{
        l->now.tasks += tasks;
        l->now.home_tasks += home ? tasks : 0;
        l->now.useful_ns += useful_ns;
        l->now.work_ns += work_ns;
}

static inline void ledger_message(struct ledger *l, double bytes)
{
        l->now.bytes += bytes;
}

static inline void ledger_moved(struct ledger *l, double cores)
{
        l->now.moved_cores += cores;
}

static inline void ledger_decided(struct ledger *l)
{
        l->now.decisions++;
}

/* Core time of a worker, spread evenly over an interval; hosts with hindsight. Samples only:
 * node_busy_ns[] grows by it as well. */
void ledger_busy(struct ledger *l, int32_t node, int32_t worker, int64_t from_ns, int64_t until_ns,
                 double busy_ns);

/* From now on a worker owns so many cores: samples that have ended keep what it owned. Hosts that
 * take samples may write owned[] just before each instead. */
void ledger_owns(struct ledger *l, int64_t time_ns, int32_t worker, int32_t cores);

/* When each process would have met the others, in an iteration in which it had its CPU to itself:
 * then alone can the imbalance of the processes of the fastest nodes be known. */
void ledger_arrivals(struct ledger *l, const int64_t *arrival_ns /* [napprank] */);

/* A worker that was gone is there again, and its totals begin at 0. */
void ledger_restart(struct ledger *l, int32_t worker);

/* ---- Marks ---- */

/* The iteration is over, and the next begins. */
void ledger_iteration(struct ledger *l, int64_t time_ns);

/* A sample of what was busy since the last one, spec.sample_ns ago. */
void ledger_sample(struct ledger *l);

/* ---- Results ---- */

/* Whether there was memory for all samples. To be asked before the results. */
int ledger_status(struct ledger *l, struct lb_error *err) LB_MUST_CHECK;

/* All metrics, of the iterations that are over; those without meaning for the host are NaN. */
void ledger_metrics(const struct ledger *l, double metric[static METRIC_ALL]);

/* Time series: sample s is the mean over the interval that ends at (s + 1) * sample_ns. */
struct ledger_series {
        int32_t nsample;
        double *imbalance;    /* [nsample] max / mean over nodes of busy cores */
        float *busy_cores;    /* [nsample][nworker] */
        int32_t *owned_cores; /* [nsample][nworker] at the sample's time */
};

/* The arrays become the caller's, to be freed. NULL where not kept. */
struct ledger_series ledger_take_series(struct ledger *l);
double *ledger_take_iterations(struct ledger *l);

#endif
