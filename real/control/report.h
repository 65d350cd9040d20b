/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_REPORT_H
#define LB_REAL_CONTROL_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "real/control/job.h"
#include "real/node/cpu_groups.h"

/*
 * What a run was worth, at its end: the table on standard output, --report FILE (JSON) and --loads
 * FILE (CSV). Names and definitions are those of policies/host/metrics.h; the ledger computes them.
 *
 * - The run is judged by the iterations that all appranks have ended. An iteration lasts from the
 *   last apprank's end of the one before (the first start, for iteration 0) to the last one's end.
 * - Core time is busy and useful while it is spent in tasks. An apprank's own cores, for
 *   without_balancing_s, are its part of those of its home.
 * - tasks, offloaded_tasks and offloaded_fraction are of all iterations; bytes and cores are of the
 *   whole run.
 */
struct report_apprank { /* what an apprank measured; arrays are [niteration] */
        int32_t niteration;
        double *start_s, *end_s; /* since the job's start, the same clock for all */
        double *work_s;  /* time at speed 1 of its tasks, wherever they ran, created in it */
        double *mpi_s;   /* main program in MPI */
        double *cost;    /* hints of those tasks; NULL: none */
        double *chain_s; /* longest chain of tasks that waited for each other, as on the fastest
                            node; NULL: not known */
        int64_t *tasks, *offloaded_tasks;
};

struct report {
        const struct job *job;                /* with its shape */
        const struct report_apprank *apprank; /* [job->napprank] */
        const double *node_useful_s;          /* [niteration][nnode] time in tasks per node, for the
                                                 iterations that all appranks have ended */
        int64_t bytes_offloaded, cores_lent, cores_borrowed, cores_reclaimed, ownership_changes;
        int64_t decisions, helpers_woken, helpers_retired;
        double copy_s; /* processor time, of CPUs as fast as the job's, in copies of that data */
        int64_t copies, copies_used; /* of tasks, to other ranks; whose results were taken */
        double load_gap; /* largest share by which tasks' wall time exceeds their processor time; 0
                            where tasks sleep */
        double cpus_missed;             /* share of its quota that a virtual CPU missed, the most */
        struct cpu_stat cpus;           /* of virtual CPUs */
        double message_delay_us;        /* between them: a sum over all appranks; 0: not known */
        const char *mpi, *core_manager; /* or NULL */
        bool cut;                       /* the job was not at its end when this was written, */
        double until_s;                 /* but so far; 0: not known; and what ended it: */
        const char *ended_by;           /* or NULL: nothing yet, or not known */
};

/* Had all virtual CPUs their quotas? Otherwise times mean nothing. True where there are none. */
bool report_is_valid(const struct report *report);

/* The verdict, then a table: at most 25 lines of 80 columns. */
void report_print(const struct report *report, FILE *out);

/*
 * A JSON object: schema ("lbrun-report-1"), system, lewi, drom, virtual_nodes, nodes, cores (of
 * each node), degree, appranks, workers, helpers_woken and helpers_retired (null where helpers do
 * not sleep), replicas and replicas_used (null where tasks do not migrate), mpi, core_manager,
 * virtual_cpus (null, or an object: speed, quota_us, period_us, missed, periods, throttled,
 * throttled_s, message_delay_us), valid (false: a virtual CPU missed its quota, and the times are
 * of no use), complete (false: written before the job's end), until_s and ended_by (then: how much
 * of the job it is of, and what ended it, where that is known; else null), node_speed[nodes],
 * iterations, iteration_s[iterations], every metric that makes sense for live runs by its name,
 * chain_s (the longest chain of an apprank's tasks that waited for each other, mean of the last
 * third; on nodes of the fastest speed), ends_apart_s (from the first apprank's end of an iteration
 * to the last one's, likewise: long where ranks do not wait for each other), copy_s (processor time
 * in which ranks of one machine copied tasks' data, by reading or writing the other's memory; what
 * MPI copies is not in it), apprank_work_s[appranks] and node_useful_s[nodes] (means per iteration
 * over the last third). Figures by iteration are null where there is none.
 */
int report_write(const struct report *report, const char *file, struct lb_error *err) LB_MUST_CHECK;

/* Of that its members "complete" and "ended_by", which reports of all kinds of jobs have. */
void report_write_end(bool complete, const char *ended_by, FILE *out);

/* The measured work, for lbsim's workload model "trace": the CSV of models/trace.h, with the
 * column "cost" where tasks had costs. */
int report_write_loads(const struct report *report, const char *file,
                       struct lb_error *err) LB_MUST_CHECK;

#endif
