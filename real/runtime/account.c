/* SPDX-License-Identifier: BSD-3-Clause */
/* What each iteration took, kept at home and gathered for the report at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/report.h"
#include "real/node/estate.h"
#include "real/runtime/process.h"

struct account {
        double *row;                     /* [room][width], where lbrun can read them */
        int32_t niteration, room, width; /* finished; row niteration is the present one */
        double last_mpi_s, core_wait_s;
        struct tally_figures *figures; /* as last published, likewise */
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
                size_t bytes = width * sizeof(*a->row);
                double *grown = estate_realloc(ESTATE_ROWS, a->row, (size_t)a->room * bytes,
                                               (size_t)room * bytes);
                if (!grown)
                        fail("lbrun_iteration", "out of memory");
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
        p->account->width = tally_width(p->job);
        p->account->last_mpi_s = (double)polite_mpi_ns() * 1e-9;
        chain_start(p);
        row(p, 0); /* begins with the job; a helper's tasks may come before the start is over */
        p->account->figures = estate_realloc(ESTATE_FIGURES, NULL, 0, sizeof(*p->account->figures));
        if (!p->account->figures)
                fail("lbrun_start", "out of memory");
}

void account_task(struct process *p, const struct task *task)
{
        int32_t node = place_node(p, task->place);
        double *r = row(p, task->iteration), wall_s = (double)task->wall_ns * 1e-9;
        r[TALLY_WORK_S] += wall_s * p->job->speed[node];
        r[TALLY_TASKS]++;
        r[TALLY_COST] += task->cost;
        r[TALLY_OFFLOADED_TASKS] += task->place > 0;
        r[TALLY_NCOLUMN + node] += wall_s;
}

void account_light(struct process *p, int64_t count, int64_t ns)
{
        double *r = row(p, p->account->niteration), wall_s = (double)ns * 1e-9;
        r[TALLY_WORK_S] += wall_s * p->job->speed[p->node];
        r[TALLY_TASKS] += (double)count;
        r[TALLY_NCOLUMN + p->node] += wall_s;
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
        r[TALLY_END_S] = now_s;
        r[TALLY_MPI_S] = mpi_s - a->last_mpi_s;
        r[TALLY_CHAIN_S] = chain_pass_s(p);
        a->last_mpi_s = mpi_s;
        a->core_wait_s = 0;
        row(p, ++a->niteration)[TALLY_START_S] = now_s;
        int64_t bytes = (int64_t)a->niteration * a->width * (int64_t)sizeof(*a->row);
        atomic_store(&estate_own()->bytes[ESTATE_ROWS], p->home ? bytes : 0);
}

void account_publish(struct process *p)
{
        struct estate *estate = estate_own();
        account_figures(p, p->account->figures);
        atomic_store(&estate->bytes[ESTATE_FIGURES], (int64_t)sizeof(*p->account->figures));
        atomic_store(&estate->until_ns, now_ns());
}

int32_t account_now(const struct process *p)
{
        return p->account->niteration;
}

void account_stop(struct process *p)
{
        if (p->account) {
                estate_free(ESTATE_ROWS, p->account->row);
                estate_free(ESTATE_FIGURES, p->account->figures);
        }
        free(p->account);
        p->account = NULL;
}

/* ---- The report ---- */

static int64_t copy_ns(const struct process *p)
{
        return p->transport ? transport_figures(p->transport).copy_ns : p->copy_ns;
}

void account_figures(const struct process *p, struct tally_figures *figures)
{
        struct control_figures f = control_figures(p->control);
        int64_t used, copies = replicate_sent(p, &used);
        *figures = (struct tally_figures){
                .sum = { [TALLY_BYTES] = p->offloaded_bytes,
                         [TALLY_COPY_NS] = cpus_slowed_ns(p, copy_ns(p)),
                         [TALLY_LENT] = f.lent,
                         [TALLY_BORROWED] = f.borrowed,
                         [TALLY_RECLAIMED] = f.reclaimed,
                         [TALLY_OWNERSHIP] = f.ownership_changes,
                         [TALLY_DECISIONS] = f.decisions,
                         [TALLY_WOKEN] = f.wakes,
                         [TALLY_RETIRED] = f.retirements,
                         [TALLY_COPIES] = copies,
                         [TALLY_USED] = used,
                         [TALLY_BUILTIN] = p->cores_type == &cores_builtin },
                .gap = f.max_load_gap,
                .missed = cpus_missed(p),
                .message_delay_us = cpus_message_delay_us(p),
        };
}

static void sum_figures(const struct process *p, struct tally_figures *sum)
{
        struct tally_figures mine;
        account_figures(p, &mine);
        MPI_Allreduce(mine.sum, sum->sum, TALLY_NSUM, MPI_LONG_LONG, MPI_SUM, p->all);
        MPI_Allreduce(&mine.gap, &sum->gap, 1, MPI_DOUBLE, MPI_MAX, p->all);
        sum->missed = cpus_missed_by_any(p);
        sum->message_delay_us = mine.message_delay_us; /* apprank 0's */
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

int account_write(const struct process *p, const struct tally_figures *sum, const double *rows,
                  const int *count, enum account_when when)
{
        struct lb_error err;
        struct tally tally;
        char cause[SAVE_CAUSE_SIZE];
        if (tally_init(&tally, p->job, sum, rows, count, &err) < 0)
                fail("lbrun_stop", "%s", err.text);
        tally.report.mpi = LBRUN_MPI;
        tally.report.cpus = cpus_stat(p);
        tally.report.cut = when != ACCOUNT_END;
        tally.report.ended_by = when == ACCOUNT_CUT ? save_ended_by(cause) : NULL;
        tally.report.until_s = since_start_s(p);
        int status = write_all(p, &tally.report, when);
        tally_finish(&tally);
        return status;
}

void account_report(struct process *p)
{
        struct tally_figures sum;
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
