/* SPDX-License-Identifier: BSD-3-Clause */
/* What each iteration took, kept at home and gathered for the report at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/report.h"
#include "real/runtime/process.h"

/* Columns of an iteration, followed by the time in tasks on each node. */
enum column { START_S, END_S, WORK_S, MPI_S, TASKS, OFFLOADED_TASKS, COST, NCOLUMN };

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
        int32_t node = p->job->shape.worker_node[place_worker(p, task->place)];
        double *r = row(p, task->iteration), wall_s = (double)task->wall_ns * 1e-9;
        r[WORK_S] += wall_s * p->job->speed[node];
        r[TASKS]++;
        r[COST] += task->cost;
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
enum {
        BYTES,
        LENT,
        BORROWED,
        RECLAIMED,
        OWNERSHIP,
        DECISIONS,
        BUILTIN,
        WOKEN,
        RETIRED,
        COPIES,
        USED,
        NSUM
};
_Static_assert((int)NSUM == (int)ACCOUNT_SUMS, "a place for each");

/* Nodes may have different ones: each falls back by itself. */
static const char *manager_name(const struct process *p, long long builtin)
{
        if (builtin == p->job->nworker)
                return cores_builtin.name;
        return builtin == 0 ? cores_dlb.name : "dlb, builtin on some nodes";
}

void account_figures(const struct process *p, struct account_figures *figures)
{
        struct control_figures f = control_figures(p->control);
        int64_t used, copies = replicate_sent(p, &used);
        *figures = (struct account_figures){
                .sum = { [BYTES] = p->offloaded_bytes,
                         [LENT] = f.lent,
                         [BORROWED] = f.borrowed,
                         [RECLAIMED] = f.reclaimed,
                         [OWNERSHIP] = f.ownership_changes,
                         [DECISIONS] = f.decisions,
                         [WOKEN] = f.wakes,
                         [RETIRED] = f.retirements,
                         [COPIES] = copies,
                         [USED] = used,
                         [BUILTIN] = p->cores_type == &cores_builtin },
                .gap = f.max_load_gap,
                .missed = cpus_missed(p),
        };
}

void account_add(struct account_figures *sum, const struct account_figures *figures)
{
        for (int i = 0; i < NSUM; i++)
                sum->sum[i] += figures->sum[i];
        sum->gap = figures->gap > sum->gap ? figures->gap : sum->gap;
        sum->missed = figures->missed > sum->missed ? figures->missed : sum->missed;
}

static void take_figures(const struct process *p, struct report *report,
                         const struct account_figures *figures)
{
        report->bytes_offloaded = figures->sum[BYTES];
        report->cores_lent = figures->sum[LENT];
        report->cores_borrowed = figures->sum[BORROWED];
        report->cores_reclaimed = figures->sum[RECLAIMED];
        report->ownership_changes = figures->sum[OWNERSHIP];
        report->decisions = figures->sum[DECISIONS];
        report->helpers_woken = figures->sum[WOKEN];
        report->helpers_retired = figures->sum[RETIRED];
        report->copies = figures->sum[COPIES];
        report->copies_used = figures->sum[USED];
        report->load_gap = figures->gap;
        report->cpus_missed = figures->missed;
        report->cpus = cpus_stat(p);
        report->message_delay_us = cpus_message_delay_us(p);
        report->core_manager = manager_name(p, figures->sum[BUILTIN]);
}

static void sum_figures(const struct process *p, struct account_figures *sum)
{
        struct account_figures mine;
        account_figures(p, &mine);
        MPI_Allreduce(mine.sum, sum->sum, NSUM, MPI_LONG_LONG, MPI_SUM, p->all);
        MPI_Allreduce(&mine.gap, &sum->gap, 1, MPI_DOUBLE, MPI_MAX, p->all);
        sum->missed = cpus_missed_by_any(p);
}

static void *need(void *memory)
{
        if (!memory)
                fail("lbrun_stop", "out of memory for the report");
        return memory;
}

const double *account_rows(const struct process *p, int *count)
{
        *count = p->account->niteration * p->account->width;
        return p->account->row;
}

/* All appranks' rows, one apprank after another, at apprank 0. */
static double *gather(const struct process *p, int *count)
{
        int napprank = p->job->napprank, mine, total = 0;
        const double *row = account_rows(p, &mine);
        int *first = need(calloc((size_t)napprank + 1, sizeof(*first)));
        MPI_Gather(&mine, 1, MPI_INT, count, 1, MPI_INT, 0, p->world);
        for (int i = 0; p->apprank == 0 && i < napprank; i++) {
                first[i] = total;
                total += count[i];
        }
        double *rows = need(calloc((size_t)total + 1, sizeof(*rows)));
        MPI_Gatherv(row, mine, MPI_DOUBLE, rows, count, first, MPI_DOUBLE, 0, p->world);
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
        apprank->cost = column(rows, niteration, width, COST);
        apprank->tasks = whole_column(rows, niteration, width, TASKS);
        apprank->offloaded_tasks = whole_column(rows, niteration, width, OFFLOADED_TASKS);
}

static void release(struct report_apprank *apprank)
{
        void *parts[] = { apprank->start_s, apprank->end_s, apprank->work_s,         apprank->mpi_s,
                          apprank->cost,    apprank->tasks, apprank->offloaded_tasks };
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                free(parts[i]);
}

static int tell(enum account_when when, const struct lb_error *err)
{
        if (when == ACCOUNT_END)
                fail_later("lbrun_stop", "%s", err->text);
        else
                fprintf(stderr, "lbrun: %s\n", err->text);
        return -1;
}

static int write_all(const struct process *p, const struct report *report, enum account_when when)
{
        struct lb_error err;
        int status = 0;
        if (when != ACCOUNT_SO_FAR && p->job->param[JOB_QUIET] == 0) {
                report_print(report, stdout);
                fflush(stdout);
        }
        if (p->job->report[0] && report_write(report, p->job->report, &err) < 0)
                status = tell(when, &err);
        if (p->job->loads[0] && report_write_loads(report, p->job->loads, &err) < 0)
                status = tell(when, &err);
        return status;
}

int account_write(const struct process *p, const struct account_figures *sum, const double *rows,
                  const int *count, enum account_when when)
{
        struct report report = { .job = p->job, .mpi = LBRUN_MPI, .cut = when != ACCOUNT_END };
        take_figures(p, &report, sum);
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
        report.apprank = appranks;
        report.node_useful_s = useful;
        int status = write_all(p, &report, when);
        for (int32_t i = 0; i < napprank; i++)
                release(&appranks[i]);
        free(appranks);
        free(useful);
        return status;
}

void account_report(struct process *p)
{
        struct account_figures sum;
        sum_figures(p, &sum);
        if (!p->home)
                return;
        int *count = need(calloc((size_t)p->job->napprank, sizeof(*count)));
        double *rows = gather(p, count);
        if (p->apprank == 0)
                (void)account_write(p, &sum, rows, count, ACCOUNT_END); /* tells, and fails later */
        free(rows);
        free(count);
}
