/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_TALLY_H
#define LB_REAL_CONTROL_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/control/report.h"

/*
 * What the ranks of a job have counted and recorded, put together: by apprank 0 when the job ends,
 * or, of a job that was ended without a word, by lbrun, from what the ranks have left
 * (real/node/estate.h).
 */

/* Numbers of an iteration that is over, at home; the time in tasks on each node follows. */
enum tally_column {
        TALLY_START_S,
        TALLY_END_S,
        TALLY_WORK_S,
        TALLY_MPI_S,
        TALLY_TASKS,
        TALLY_OFFLOADED_TASKS,
        TALLY_COST,
        TALLY_CHAIN_S,
        TALLY_NCOLUMN
};

static inline int32_t tally_width(const struct job *job)
{
        return TALLY_NCOLUMN + job->nnode;
}

/* Figures that add up over all ranks, helpers' too. */
enum tally_sum {
        TALLY_BYTES,
        TALLY_COPY_NS,
        TALLY_LENT,
        TALLY_BORROWED,
        TALLY_RECLAIMED,
        TALLY_OWNERSHIP,
        TALLY_DECISIONS,
        TALLY_BUILTIN, /* 1: its core manager is ours */
        TALLY_WOKEN,
        TALLY_RETIRED,
        TALLY_COPIES,
        TALLY_USED,
        TALLY_NSUM
};
struct tally_figures {
        long long sum[TALLY_NSUM];
        double gap;    /* the largest; likewise: */
        double missed; /* by virtual CPUs */
        double message_delay_us;
};
void tally_add(struct tally_figures *sum, const struct tally_figures *figures);

/*
 * A report, of rows [count[a] / width][width] of one apprank after another, which are copied.
 * What else is known (mpi, cpus, cut and what belongs to it) is the caller's to set.
 */
struct tally {
        struct report report;
        struct report_apprank *apprank; /* [napprank] */
        double *node_useful_s;
};
int tally_init(struct tally *tally, const struct job *job, const struct tally_figures *sum,
               const double *rows, const int *count, struct lb_error *err) LB_MUST_CHECK;
void tally_finish(struct tally *tally);

/* A change of what a core does for a worker, or of one of its figures, for the trace. */
struct tally_record {
        int64_t time_ns; /* since the job's start */
        int32_t worker;
        int16_t core;   /* -1 - enum observed_figure: a figure */
        int16_t number; /* enum observed_state, or the figure */
};

/* The job's trace, of all workers' records up to until_ns; sorts them. */
int tally_trace(const struct job *job, struct tally_record *record, int64_t count, int64_t until_ns,
                struct lb_error *err) LB_MUST_CHECK;

#endif
