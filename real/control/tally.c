/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/control/tally.h"

#include <stdlib.h>

#include "plots/trace.h"
#include "real/node/cores.h"

/* ---- The report ---- */

void tally_add(struct tally_figures *sum, const struct tally_figures *figures)
{
        for (int i = 0; i < TALLY_NSUM; i++)
                sum->sum[i] += figures->sum[i];
        sum->gap = figures->gap > sum->gap ? figures->gap : sum->gap;
        sum->missed = figures->missed > sum->missed ? figures->missed : sum->missed;
        if (figures->message_delay_us > sum->message_delay_us)
                sum->message_delay_us = figures->message_delay_us;
}

/* Nodes may have different ones: each falls back by itself. */
static const char *manager_name(const struct job *job, long long builtin)
{
        if (builtin == job->nworker)
                return cores_builtin.name;
        return builtin == 0 ? cores_dlb.name : "dlb, builtin on some nodes";
}

static void take_figures(struct report *report, const struct tally_figures *figures)
{
        report->bytes_offloaded = figures->sum[TALLY_BYTES];
        report->copy_s = (double)figures->sum[TALLY_COPY_NS] * 1e-9;
        report->cores_lent = figures->sum[TALLY_LENT];
        report->cores_borrowed = figures->sum[TALLY_BORROWED];
        report->cores_reclaimed = figures->sum[TALLY_RECLAIMED];
        report->ownership_changes = figures->sum[TALLY_OWNERSHIP];
        report->decisions = figures->sum[TALLY_DECISIONS];
        report->helpers_woken = figures->sum[TALLY_WOKEN];
        report->helpers_retired = figures->sum[TALLY_RETIRED];
        report->copies = figures->sum[TALLY_COPIES];
        report->copies_used = figures->sum[TALLY_USED];
        report->load_gap = figures->gap;
        report->cpus_missed = figures->missed;
        report->message_delay_us = figures->message_delay_us;
        report->core_manager = manager_name(report->job, figures->sum[TALLY_BUILTIN]);
}

/* A column of an apprank's rows; NULL out of memory. */
static double *column(const double *rows, int32_t niteration, int32_t width,
                      enum tally_column which)
{
        double *values = calloc((size_t)niteration + 1, sizeof(*values));
        for (int32_t i = 0; values && i < niteration; i++)
                values[i] = rows[i * width + (int32_t)which];
        return values;
}

static int64_t *whole_column(const double *rows, int32_t niteration, int32_t width,
                             enum tally_column which)
{
        int64_t *values = calloc((size_t)niteration + 1, sizeof(*values));
        for (int32_t i = 0; values && i < niteration; i++)
                values[i] = (int64_t)rows[i * width + (int32_t)which];
        return values;
}

static int unpack(struct report_apprank *a, const double *rows, int32_t niteration, int32_t width)
{
        a->niteration = niteration;
        a->start_s = column(rows, niteration, width, TALLY_START_S);
        a->end_s = column(rows, niteration, width, TALLY_END_S);
        a->work_s = column(rows, niteration, width, TALLY_WORK_S);
        a->mpi_s = column(rows, niteration, width, TALLY_MPI_S);
        a->cost = column(rows, niteration, width, TALLY_COST);
        a->chain_s = column(rows, niteration, width, TALLY_CHAIN_S);
        a->tasks = whole_column(rows, niteration, width, TALLY_TASKS);
        a->offloaded_tasks = whole_column(rows, niteration, width, TALLY_OFFLOADED_TASKS);
        bool all = a->start_s && a->end_s && a->work_s && a->mpi_s && a->cost && a->chain_s &&
                   a->tasks && a->offloaded_tasks;
        return all ? 0 : -1;
}

static void release(struct report_apprank *apprank)
{
        void *parts[] = { apprank->start_s, apprank->end_s,          apprank->work_s,
                          apprank->mpi_s,   apprank->cost,           apprank->chain_s,
                          apprank->tasks,   apprank->offloaded_tasks };
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                free(parts[i]);
}

static void add_useful(double *useful_s, const double *rows, int32_t niteration, int32_t nnode)
{
        for (int32_t i = 0; i < niteration; i++)
                for (int32_t n = 0; n < nnode; n++)
                        useful_s[i * nnode + n] +=
                            rows[i * (TALLY_NCOLUMN + nnode) + TALLY_NCOLUMN + n];
}

int tally_init(struct tally *tally, const struct job *job, const struct tally_figures *sum,
               const double *rows, const int *count, struct lb_error *err)
{
        int32_t width = tally_width(job), napprank = job->napprank, shared = INT32_MAX;
        for (int32_t a = 0; a < napprank; a++)
                shared = count[a] / width < shared ? count[a] / width : shared;
        *tally = (struct tally){ .report = { .job = job } };
        tally->apprank = calloc((size_t)napprank + 1, sizeof(*tally->apprank));
        tally->node_useful_s =
            calloc((size_t)shared * (size_t)job->nnode + 1, sizeof(*tally->node_useful_s));
        int status = tally->apprank && tally->node_useful_s ? 0 : -1;
        for (int32_t a = 0; status == 0 && a < napprank; a++) {
                status = unpack(&tally->apprank[a], rows, count[a] / width, width);
                add_useful(tally->node_useful_s, rows, shared, job->nnode);
                rows += count[a];
        }
        take_figures(&tally->report, sum);
        tally->report.apprank = tally->apprank;
        tally->report.node_useful_s = tally->node_useful_s;
        if (status == 0)
                return 0;
        tally_finish(tally);
        return lb_error_fail(err, "out of memory for the report");
}

void tally_finish(struct tally *tally)
{
        for (int32_t a = 0; tally->apprank && a < tally->report.job->napprank; a++)
                release(&tally->apprank[a]);
        free(tally->apprank);
        free(tally->node_useful_s);
        *tally = (struct tally){ .apprank = NULL };
}

/* ---- The trace ---- */

static int by_time(const void *a, const void *b)
{
        const struct tally_record *x = a, *y = b;
        if (x->time_ns != y->time_ns)
                return x->time_ns < y->time_ns ? -1 : 1;
        return (x->worker > y->worker) - (x->worker < y->worker);
}

/* The nodes' imbalance at each poll of worker 0. */
static void replay(struct observer *o, const struct tally_record *r)
{
        enum observed_figure figure = (enum observed_figure)(-1 - r->core);
        if (r->core >= 0)
                observe_sight(o, r->time_ns, r->worker, r->core, (enum observed_state)r->number);
        else
                observe_figure(o, r->time_ns, r->worker, figure, r->number);
        if (r->worker == 0 && figure == OBSERVED_BUSY_CORES)
                observe_imbalance(o, r->time_ns);
}

int tally_trace(const struct job *job, struct tally_record *record, int64_t count, int64_t until_ns,
                struct lb_error *err)
{
        const struct lb_shape *shape = &job->shape;
        struct trace_spec spec = {
                .file = job->trace,
                .nnode = shape->nnode,
                .cores_per_node = job->cores_per_node,
                .napprank = shape->napprank,
                .nworker = shape->nworker,
                .worker_node = shape->worker_node,
                .worker_apprank = shape->worker_apprank,
                .core_step = 1,
        };
        qsort(record, (size_t)count, sizeof(*record), by_time);
        while (count > 0 && record[count - 1].time_ns > until_ns)
                count--;
        struct trace *trace = trace_create(&spec, err);
        if (!trace)
                return -1;
        for (int64_t i = 0; i < count; i++)
                replay(trace_observer(trace), &record[i]);
        return trace_close(trace, count > 0 ? record[count - 1].time_ns + 1 : 1, err);
}
