/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/legacy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/control/report.h"
#include "real/control/tally.h"
#include "real/launch/news.h"
#include "real/launch/plan.h"
#include "real/node/cpu_groups.h"
#include "real/node/estate.h"

enum { NO_FD = -1 };

int legacy_init(struct legacy *legacy, const struct plan *plan, struct lb_error *err)
{
        int32_t count = plan->job->nworker;
        *legacy = (struct legacy){ .plan = plan,
                                   .fd = calloc((size_t)count + 1, sizeof(*legacy->fd)),
                                   .sent = calloc((size_t)count + 1, sizeof(*legacy->sent)) };
        if (!legacy->fd || !legacy->sent) {
                free(legacy->fd);
                free(legacy->sent);
                *legacy = (struct legacy){ .plan = plan };
                return lb_error_fail(err, "out of memory");
        }
        for (int32_t i = 0; i < count; i++)
                legacy->fd[i] = NO_FD;
        return 0;
}

void legacy_finish(struct legacy *legacy)
{
        for (int32_t i = 0; legacy->fd && i < legacy->plan->job->nworker; i++) {
                if (legacy->fd[i] >= 0)
                        close(legacy->fd[i]);
                estate_release(&legacy->sent[i]);
        }
        free(legacy->fd);
        free(legacy->sent);
        legacy->fd = NULL;
        legacy->sent = NULL;
}

void legacy_take(struct legacy *legacy, const struct news *news, int fd)
{
        bool known = news->rank >= 0 && news->rank < legacy->plan->job->nworker;
        if (fd >= 0 && known && news->kind == NEWS_STARTED && legacy->fd[news->rank] < 0)
                legacy->fd[news->rank] = fd;
        else if (fd >= 0)
                close(fd);
}

void legacy_receive(struct legacy *legacy, const struct news *news, void *bytes)
{
        bool known = news->rank >= 0 && news->rank < legacy->plan->job->nworker;
        if (known && legacy->fd[news->rank] < 0) {
                estate_release(&legacy->sent[news->rank]);
                (void)estate_unpack(&legacy->sent[news->rank], bytes, (size_t)news->value);
        }
        free(bytes);
}

/* A copy of the caller's; -1: none. */
static int read_rank(const struct legacy *legacy, int32_t rank, struct estate_copy *copy)
{
        if (legacy->fd[rank] >= 0)
                return estate_read(copy, legacy->fd[rank]);
        *copy = legacy->sent[rank];
        memset(&legacy->sent[rank], 0, sizeof(legacy->sent[rank]));
        return atomic_load(&copy->head.worker) > 0 ? 0 : -1;
}

/* ---- What there is ---- */

/* By worker. */
struct inventory {
        const struct job *job;
        struct estate_copy *copy; /* [nworker] */
        int64_t until_ns;         /* what is known of all, since the job's start */
        bool is_full;
};

static void finish(struct inventory *inventory)
{
        for (int32_t w = 0; inventory->copy && w < inventory->job->nworker; w++)
                estate_release(&inventory->copy[w]);
        free(inventory->copy);
}

static int64_t records_of(const struct estate_copy *copy)
{
        return atomic_load(&copy->head.bytes[ESTATE_RECORDS]) /
               (int64_t)sizeof(struct tally_record);
}

/* Up to when its records are all there. */
static int64_t known_ns(const struct estate_copy *copy)
{
        const struct tally_record *record = copy->part[ESTATE_RECORDS];
        int64_t count = records_of(copy), until = atomic_load(&copy->head.until_ns);
        if (count > 0 && (atomic_load(&copy->head.is_full) || record[count - 1].time_ns > until))
                until = record[count - 1].time_ns;
        return until - atomic_load(&copy->head.start_ns);
}

static bool is_whole(const struct inventory *inventory, const struct estate_copy *copy)
{
        const struct estate *head = &copy->head;
        int64_t row = tally_width(inventory->job) * (int64_t)sizeof(double);
        int32_t worker = atomic_load(&head->worker) - 1;
        return worker < inventory->job->nworker && !inventory->copy[worker].part[ESTATE_ROWS] &&
               atomic_load(&head->bytes[ESTATE_ROWS]) % row == 0 &&
               atomic_load(&head->bytes[ESTATE_FIGURES]) == (int64_t)sizeof(struct tally_figures);
}

/* All ranks', or nothing. */
static bool take_stock(struct inventory *inventory, const struct legacy *legacy)
{
        const struct job *job = legacy->plan->job;
        *inventory =
            (struct inventory){ .job = job,
                                .copy = calloc((size_t)job->nworker + 1, sizeof(*inventory->copy)),
                                .until_ns = INT64_MAX };
        for (int32_t i = 0; inventory->copy && i < job->nworker; i++) {
                struct estate_copy copy;
                if (read_rank(legacy, i, &copy) < 0)
                        return false;
                if (!is_whole(inventory, &copy)) {
                        estate_release(&copy);
                        return false;
                }
                int64_t known = known_ns(&copy);
                inventory->copy[atomic_load(&copy.head.worker) - 1] = copy;
                inventory->is_full |= atomic_load(&copy.head.is_full);
                inventory->until_ns = known < inventory->until_ns ? known : inventory->until_ns;
        }
        return inventory->copy != NULL;
}

/* ---- The report ---- */

static void say(const struct lb_error *err)
{
        fprintf(stderr, "lbrun: %s\n", err->text);
}

static bool is_asked_for(const struct job *job)
{
        return job->report[0] || job->loads[0] || job->trace[0] || job->param[JOB_QUIET] == 0;
}

static bool is_written(const struct legacy *legacy)
{
        int32_t root = legacy->plan->job->worker_rank[0];
        struct estate own;
        if (legacy->fd[root] < 0)
                return atomic_load(&legacy->sent[root].head.is_written) != 0;
        return estate_read_head(&own, legacy->fd[root]) == 0 && atomic_load(&own.is_written) != 0;
}

bool legacy_is_wanted(const struct legacy *legacy)
{
        return is_asked_for(legacy->plan->job) && !is_written(legacy);
}

static int32_t fewest_iterations(const struct report *report)
{
        int32_t least = INT32_MAX;
        for (int32_t a = 0; a < report->job->napprank; a++)
                if (report->apprank[a].niteration < least)
                        least = report->apprank[a].niteration;
        return least;
}

/* A job that has failed at its very start has no table. */
static void tell(const struct report *report)
{
        struct lb_error err;
        const struct job *job = report->job;
        if (job->param[JOB_QUIET] == 0 && fewest_iterations(report) > 0) {
                report_print(report, stdout);
                fflush(stdout);
        }
        if (job->report[0] && report_write(report, job->report, &err) < 0)
                say(&err);
        if (job->loads[0] && report_write_loads(report, job->loads, &err) < 0)
                say(&err);
}

/* Rows of all homes, one apprank after another; NULL out of memory. */
static double *join_rows(const struct inventory *inventory, int *count)
{
        const struct job *job = inventory->job;
        size_t bytes = 0;
        char *rows = NULL;
        for (int32_t a = 0; a < job->napprank; a++) {
                const struct estate_copy *home = &inventory->copy[job->shape.apprank_first[a]];
                size_t more = (size_t)atomic_load(&home->head.bytes[ESTATE_ROWS]);
                char *grown = realloc(rows, bytes + more + 1);
                if (!grown) {
                        free(rows);
                        return NULL;
                }
                rows = grown;
                memcpy(rows + bytes, home->part[ESTATE_ROWS], more);
                bytes += more;
                count[a] = (int)(more / sizeof(double));
        }
        return (double *)rows;
}

static void write_report(const struct legacy *legacy, const struct inventory *inventory)
{
        const struct plan *plan = legacy->plan;
        struct lb_error err;
        struct tally tally;
        struct tally_figures sum = { .gap = 0 };
        int *count = calloc((size_t)plan->job->napprank + 1, sizeof(*count));
        double *rows = count ? join_rows(inventory, count) : NULL;
        for (int32_t w = 0; w < plan->job->nworker; w++)
                tally_add(&sum, inventory->copy[w].part[ESTATE_FIGURES]);
        if (!rows)
                lb_error_fail(&err, "out of memory for the report");
        if (!rows || tally_init(&tally, plan->job, &sum, rows, count, &err) < 0) {
                say(&err);
        } else {
                tally.report.mpi = mpi_name(plan->program.mpi);
                tally.report.cut = true;
                tally.report.until_s = (double)inventory->until_ns * 1e-9;
                tally.report.ended_by = legacy->ended_by[0] ? legacy->ended_by : NULL;
                if (plan->job->param[JOB_VIRTUAL_CPUS] != 0)
                        tally.report.cpus = cpu_groups_stat(&plan->cpus);
                tell(&tally.report);
                tally_finish(&tally);
        }
        free(rows);
        free(count);
}

/* ---- The trace ---- */

static void write_trace(const struct inventory *inventory)
{
        struct lb_error err;
        int64_t count = 0, at = 0;
        for (int32_t w = 0; w < inventory->job->nworker; w++)
                count += records_of(&inventory->copy[w]);
        struct tally_record *record = calloc((size_t)count + 1, sizeof(*record));
        for (int32_t w = 0; record && w < inventory->job->nworker; w++) {
                const struct estate_copy *copy = &inventory->copy[w];
                const struct tally_record *from = copy->part[ESTATE_RECORDS];
                for (int64_t i = 0; i < records_of(copy); i++) {
                        record[at] = from[i];
                        record[at].time_ns -= atomic_load(&copy->head.start_ns);
                        record[at].time_ns *= record[at].time_ns > 0;
                        record[at++].worker = w;
                }
        }
        if (inventory->is_full)
                fputs("lbrun: the trace holds the first changes of each rank alone\n", stderr);
        if (!record)
                lb_error_fail(&err, "out of memory for the trace");
        if (!record || tally_trace(inventory->job, record, count, inventory->until_ns, &err) < 0)
                say(&err);
        free(record);
}

void legacy_write(const struct legacy *legacy)
{
        struct inventory inventory;
        if (!legacy_is_wanted(legacy))
                return;
        if (take_stock(&inventory, legacy)) {
                write_report(legacy, &inventory);
                if (legacy->plan->job->trace[0])
                        write_trace(&inventory);
        }
        finish(&inventory);
}
