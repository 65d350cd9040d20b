/* SPDX-License-Identifier: BSD-3-Clause */
/* What each iteration took, kept at home and gathered for the report at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/report.h"
#include "real/runtime/process.h"

/* Columns of an iteration, followed by the time in tasks on each node. */
enum column { START_S, END_S, WORK_S, MPI_S, TASKS, OFFLOADED_TASKS, NCOLUMN };

struct account {
        double *row;                     /* [room][width] */
        int32_t niteration, room, width; /* finished; row niteration is the present one */
        double last_mpi_s, core_wait_s;
};

static double since_start_s(const struct process *p)
{
        return (double)(now_ns() - p->start_ns) * 1e-9;
}

/* Row i, made where it is new. */
static double *row(struct process *p, int32_t i)
{
        struct account *a = p->account;
        if (i >= a->room) {
                int32_t room = a->room ? 2 * a->room : 64;
                size_t width = (size_t)a->width;
                double *grown = realloc(a->row, (size_t)room * width * sizeof(*grown));
                if (!grown)
                        fail("lbrun_iteration", "out of memory");
                memset(grown + (size_t)a->room * width, 0,
                       (size_t)(room - a->room) * width * sizeof(*grown));
                a->row = grown;
                a->room = room;
        }
        return a->row + (size_t)i * (size_t)a->width;
}

void account_start(struct process *p)
{
        p->account = calloc(1, sizeof(*p->account));
        if (!p->account)
                fail("lbrun_start", "out of memory");
        p->account->width = NCOLUMN + p->job->nnode;
        p->account->last_mpi_s = (double)polite_mpi_ns() * 1e-9;
        row(p, 0); /* begins with the job; a helper's tasks may come before the start is over */
}

void account_task(struct process *p, const struct task *task)
{
        int32_t worker = p->job->shape.apprank_first[p->apprank] + task->place;
        int32_t node = p->job->shape.worker_node[worker];
        double *r = row(p, task->iteration), wall_s = (double)task->wall_ns * 1e-9;
        r[WORK_S] += wall_s * p->job->speed[node];
        r[TASKS]++;
        r[OFFLOADED_TASKS] += task->place > 0;
        r[NCOLUMN + node] += wall_s;
}

void account_light(struct process *p, int64_t count, int64_t ns)
{
        double *r = row(p, p->account->niteration), wall_s = (double)ns * 1e-9;
        r[WORK_S] += wall_s * p->job->speed[p->node];
        r[TASKS] += (double)count;
        r[NCOLUMN + p->node] += wall_s;
}

void account_core_wait(struct process *p, int64_t ns)
{
        p->account->core_wait_s = (double)ns * 1e-9;
}

/* Where MPI ends an iteration, others may begin the next one on this rank's cores before it has one
 * again itself: what it waits for then is of the next. */
void account_iteration(struct process *p)
{
        struct account *a = p->account;
        double now_s = since_start_s(p) - a->core_wait_s, mpi_s = (double)polite_mpi_ns() * 1e-9;
        double *r = row(p, a->niteration);
        r[END_S] = now_s;
        r[MPI_S] = mpi_s - a->last_mpi_s;
        a->last_mpi_s = mpi_s;
        a->core_wait_s = 0;
        row(p, ++a->niteration)[START_S] = now_s;
}

int32_t account_now(const struct process *p)
{
        return p->account->niteration;
}

void account_stop(struct process *p)
{
        if (p->account)
                free(p->account->row);
        free(p->account);
        p->account = NULL;
}

/* ---- The report ---- */

/* Figures that add up over all ranks, helpers' too. */
enum { BYTES, LENT, BORROWED, RECLAIMED, OWNERSHIP, BUILTIN, NSUM };

/* Nodes may have different ones: each falls back by itself. */
static const char *manager_name(const struct process *p, long long builtin)
{
        if (builtin == p->job->nworker)
                return cores_builtin.name;
        return builtin == 0 ? cores_dlb.name : "dlb, builtin on some nodes";
}

static void sum_figures(const struct process *p, struct report *report)
{
        struct control_figures f = control_figures(p->control);
        long long mine[NSUM] = { p->offloaded_bytes,  f.lent,
                                 f.borrowed,          f.reclaimed,
                                 f.ownership_changes, p->cores_type == &cores_builtin };
        long long sum[NSUM];
        double gap = f.max_load_gap, most;
        MPI_Allreduce(mine, sum, NSUM, MPI_LONG_LONG, MPI_SUM, p->all);
        MPI_Allreduce(&gap, &most, 1, MPI_DOUBLE, MPI_MAX, p->all);
        report->bytes_offloaded = sum[BYTES];
        report->cores_lent = sum[LENT];
        report->cores_borrowed = sum[BORROWED];
        report->cores_reclaimed = sum[RECLAIMED];
        report->ownership_changes = sum[OWNERSHIP];
        report->load_gap = most;
        report->core_manager = manager_name(p, sum[BUILTIN]);
}

static void *need(void *memory)
{
        if (!memory)
                fail("lbrun_stop", "out of memory for the report");
        return memory;
}

/* All appranks' rows, one apprank after another, at apprank 0. */
static double *gather(const struct process *p, int *count)
{
        const struct account *a = p->account;
        int napprank = p->job->napprank, mine = a->niteration * a->width, total = 0;
        int *first = need(calloc((size_t)napprank + 1, sizeof(*first)));
        MPI_Gather(&mine, 1, MPI_INT, count, 1, MPI_INT, 0, p->world);
        for (int i = 0; p->apprank == 0 && i < napprank; i++) {
                first[i] = total;
                total += count[i];
        }
        double *rows = need(calloc((size_t)total + 1, sizeof(*rows)));
        MPI_Gatherv(a->row, mine, MPI_DOUBLE, rows, count, first, MPI_DOUBLE, 0, p->world);
        free(first);
        return rows;
}

/* A column of an apprank's rows. */
static double *column(const double *rows, int32_t niteration, int32_t width, enum column which)
{
        double *values = need(calloc((size_t)niteration + 1, sizeof(*values)));
        for (int32_t i = 0; i < niteration; i++)
                values[i] = rows[i * width + (int32_t)which];
        return values;
}

static int64_t *whole_column(const double *rows, int32_t niteration, int32_t width,
                             enum column which)
{
        int64_t *values = need(calloc((size_t)niteration + 1, sizeof(*values)));
        for (int32_t i = 0; i < niteration; i++)
                values[i] = (int64_t)rows[i * width + (int32_t)which];
        return values;
}

static void unpack(struct report_apprank *apprank, const double *rows, int32_t niteration,
                   int32_t width)
{
        apprank->niteration = niteration;
        apprank->start_s = column(rows, niteration, width, START_S);
        apprank->end_s = column(rows, niteration, width, END_S);
        apprank->work_s = column(rows, niteration, width, WORK_S);
        apprank->mpi_s = column(rows, niteration, width, MPI_S);
        apprank->tasks = whole_column(rows, niteration, width, TASKS);
        apprank->offloaded_tasks = whole_column(rows, niteration, width, OFFLOADED_TASKS);
}

static void release(struct report_apprank *apprank)
{
        void *parts[] = { apprank->start_s, apprank->end_s, apprank->work_s,
                          apprank->mpi_s,   apprank->tasks, apprank->offloaded_tasks };
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                free(parts[i]);
}

static void write_all(const struct process *p, const struct report *report)
{
        struct lb_error err;
        report_print(report, stdout);
        fflush(stdout);
        if (p->job->report[0] && report_write(report, p->job->report, &err) < 0)
                fail_later("lbrun_stop", "%s", err.text);
        if (p->job->loads[0] && report_write_loads(report, p->job->loads, &err) < 0)
                fail_later("lbrun_stop", "%s", err.text);
}

static void make_report(const struct process *p, struct report *report, const double *rows,
                        const int *count)
{
        int32_t width = p->account->width, napprank = p->job->napprank, shared = INT32_MAX;
        struct report_apprank *appranks = need(calloc((size_t)napprank, sizeof(*appranks)));
        for (int32_t i = 0; i < napprank; i++)
                shared = count[i] / width < shared ? count[i] / width : shared;
        double *useful = need(calloc((size_t)shared * (size_t)p->job->nnode + 1, sizeof(*useful)));
        const double *at = rows;
        for (int32_t i = 0; i < napprank; i++) {
                unpack(&appranks[i], at, count[i] / width, width);
                for (int32_t k = 0; k < shared; k++)
                        for (int32_t n = 0; n < p->job->nnode; n++)
                                useful[k * p->job->nnode + n] += at[k * width + NCOLUMN + n];
                at += count[i];
        }
        report->apprank = appranks;
        report->node_useful_s = useful;
        write_all(p, report);
        for (int32_t i = 0; i < napprank; i++)
                release(&appranks[i]);
        free(appranks);
        free(useful);
}

void account_report(struct process *p)
{
        struct report report = { .job = p->job, .mpi = LBRUN_MPI };
        sum_figures(p, &report);
        if (!p->home)
                return;
        int *count = need(calloc((size_t)p->job->napprank, sizeof(*count)));
        double *rows = gather(p, count);
        if (p->apprank == 0)
                make_report(p, &report, rows, count);
        free(rows);
        free(count);
}
