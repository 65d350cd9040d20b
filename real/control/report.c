/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The figures of a run: what its appranks measured is told to the ledger, iteration by iteration,
 * from the first one's start on.
 */
#include "real/control/report.h"

#include <math.h>
#include <stdlib.h>

#include "policies/host/ledger.h"
#include "real/control/report_impl.h"

bool report_is_valid(const struct report *report)
{
        return report->cpus_missed <= cpu_groups_missed_max;
}

static int32_t count_iterations(const struct report *report)
{
        int32_t least = INT32_MAX;
        for (int32_t a = 0; a < report->job->napprank; a++)
                if (report->apprank[a].niteration < least)
                        least = report->apprank[a].niteration;
        return report->job->napprank > 0 ? least : 0;
}

static int32_t home_of(const struct lb_shape *shape, int32_t apprank)
{
        return shape->worker_node[shape->apprank_first[apprank]];
}

/*
 * speed[a]: what apprank a has for itself where nothing is shared, its part of the cores of its
 * home, in cores of speed 1. Those that do not divide are the last one's, as baseline begins
 * (policies/alloc.h).
 */
static int fill_own_speeds(const struct job *job, double *speed)
{
        int32_t *appranks = calloc((size_t)job->nnode, sizeof(*appranks));
        int32_t *last = calloc((size_t)job->nnode, sizeof(*last));
        for (int32_t a = 0; appranks && last && a < job->napprank; a++) {
                appranks[home_of(&job->shape, a)]++;
                last[home_of(&job->shape, a)] = a;
        }
        for (int32_t a = 0; appranks && last && a < job->napprank; a++) {
                int32_t home = home_of(&job->shape, a);
                int32_t all = job_node_cores(job, home), cores = all / appranks[home];
                cores += a == last[home] ? all % appranks[home] : 0;
                speed[a] = (cores > 0 ? cores : 1) * job->speed[home];
        }
        int status = appranks && last ? 0 : -1;
        free(appranks);
        free(last);
        return status;
}

static struct ledger *open_ledger(const struct job *job, int32_t niteration, struct lb_error *err)
{
        struct ledger *l = NULL;
        double *own_speed = calloc((size_t)job->napprank + 1, sizeof(*own_speed));
        double *cores = calloc((size_t)job->nnode + 1, sizeof(*cores));
        for (int32_t n = 0; cores && n < job->nnode; n++)
                cores[n] = job_node_cores(job, n);
        if (own_speed && cores && fill_own_speeds(job, own_speed) == 0)
                l = ledger_create(&(struct ledger_spec){ .host = METRIC_OF_LIVE,
                                                         .nnode = job->nnode,
                                                         .napprank = job->napprank,
                                                         .nworker = job->nworker,
                                                         .ncore = job->cores_per_node,
                                                         .node_cores = cores,
                                                         .node_speed = job->speed,
                                                         .apprank_speed = own_speed,
                                                         .niteration = niteration },
                                  err);
        else
                lb_error_fail(err, "out of memory for the report");
        free(own_speed);
        free(cores);
        return l;
}

/* ---- What was measured ---- */

static double ns(double time_s)
{
        return time_s * 1e9;
}

/* A moment on the ledger's clock, ns; beyond its 292 years the last one. */
static int64_t moment_ns(double time_s)
{
        return ns(time_s) < (double)INT64_MAX ? llround(ns(time_s)) : INT64_MAX;
}

static void tell_tasks(struct ledger *l, const struct report_apprank *apprank, int32_t i)
{
        int64_t offloaded = apprank->offloaded_tasks[i];
        ledger_finished(l, (double)(apprank->tasks[i] - offloaded), true, 0, 0);
        ledger_finished(l, (double)offloaded, false, 0, 0);
}

static void tell_iteration(struct ledger *l, const struct report *report, int32_t i)
{
        const struct job *job = report->job;
        for (int32_t a = 0; a < job->napprank; a++) {
                const struct report_apprank *apprank = &report->apprank[a];
                ledger_created(l, a, ns(apprank->work_s[i]));
                l->now.work_ns += ns(apprank->work_s[i]);
                l->now.mpi_ns += ns(apprank->mpi_s[i]);
                tell_tasks(l, apprank, i);
        }
        for (int32_t n = 0; n < job->nnode; n++) {
                double useful_ns =
                    ns(report->node_useful_s[(size_t)i * (size_t)job->nnode + (size_t)n]);
                l->now.useful_ns += useful_ns;
                l->node_busy_ns[n] += useful_ns;
        }
}

/* An iteration lasts from the last apprank's end of the one before to the last one's end of it. */
static void tell_iterations(struct ledger *l, const struct report *report)
{
        double start_s = INFINITY, end_s;
        for (int32_t a = 0; a < report->job->napprank; a++)
                start_s = fmin(start_s, report->apprank[a].start_s[0]);
        end_s = start_s;
        for (int32_t i = 0; i < l->spec.niteration; i++) {
                tell_iteration(l, report, i);
                for (int32_t a = 0; a < report->job->napprank; a++)
                        end_s = fmax(end_s, report->apprank[a].end_s[i]);
                ledger_iteration(l, moment_ns(end_s - start_s));
        }
}

/* Tasks of iterations that not all appranks have ended, and what is known of the run alone. */
static void tell_rest(struct ledger *l, const struct report *report)
{
        for (int32_t a = 0; a < report->job->napprank; a++)
                for (int32_t i = l->iteration; i < report->apprank[a].niteration; i++)
                        tell_tasks(l, &report->apprank[a], i);
        ledger_message(l, (double)report->bytes_offloaded);
        ledger_moved(l, (double)report->ownership_changes);
        l->now.decisions = (double)report->decisions;
        l->now.cores_lent = (double)report->cores_lent;
        l->now.cores_borrowed = (double)report->cores_borrowed;
        l->now.cores_reclaimed = (double)report->cores_reclaimed;
        l->load_gap = report->load_gap;
}

/* ---- Figures ---- */

/* Means per iteration over the last third, s. */
static double *means(const double *now_ns, const double *from_ns, int32_t count, int32_t niteration)
{
        double *mean = calloc((size_t)count + 1, sizeof(*mean));
        for (int32_t i = 0; mean && niteration > 0 && i < count; i++)
                mean[i] = (now_ns[i] - from_ns[i]) * 1e-9 / niteration;
        return mean;
}

/* Of an iteration that all have ended, of the apprank that has the longest. */
static double chain_s(const struct report *report, int32_t i)
{
        double longest_s = 0;
        for (int32_t a = 0; a < report->job->napprank; a++)
                if (report->apprank[a].chain_s)
                        longest_s = fmax(longest_s, report->apprank[a].chain_s[i]);
        return longest_s;
}

/* Likewise: from the first apprank's end to the last one's. */
static double ends_apart_s(const struct report *report, int32_t i)
{
        double first_s = INFINITY, last_s = -INFINITY;
        for (int32_t a = 0; a < report->job->napprank; a++) {
                first_s = fmin(first_s, report->apprank[a].end_s[i]);
                last_s = fmax(last_s, report->apprank[a].end_s[i]);
        }
        return last_s - first_s;
}

static double steady_mean(const struct report_figures *f, const struct report *report,
                          double (*of_iteration)(const struct report *report, int32_t i))
{
        double sum = 0;
        for (int32_t i = f->first_steady; i < f->niteration; i++)
                sum += of_iteration(report, i);
        return f->niteration > f->first_steady ? sum / (f->niteration - f->first_steady) : NAN;
}

static int fill(struct report_figures *f, struct ledger *l)
{
        int32_t count = l->iteration - l->first_steady;
        ledger_metrics(l, f->metric);
        f->niteration = l->iteration;
        f->first_steady = l->first_steady;
        f->iteration_s = ledger_take_iterations(l);
        f->apprank_work_s = means(l->apprank_work_ns, l->from_work_ns, l->spec.napprank, count);
        f->node_useful_s = means(l->node_busy_ns, l->from_busy_ns, l->spec.nnode, count);
        return f->iteration_s && f->apprank_work_s && f->node_useful_s ? 0 : -1;
}

static double apart_s(const struct report *report, int32_t first_steady)
{
        double earliest_s = INFINITY, latest_s = -INFINITY;
        for (int32_t a = 0; a < report->job->napprank; a++) {
                earliest_s = fmin(earliest_s, report->apprank[a].start_s[first_steady]);
                latest_s = fmax(latest_s, report->apprank[a].start_s[first_steady]);
        }
        return latest_s - earliest_s;
}

int report_figures_init(struct report_figures *figures, const struct report *report,
                        struct lb_error *err)
{
        *figures = (struct report_figures){ .niteration = 0 };
        struct ledger *l = open_ledger(report->job, count_iterations(report), err);
        if (!l)
                return -1;
        if (l->spec.niteration > 0)
                tell_iterations(l, report);
        tell_rest(l, report);
        int status = fill(figures, l);
        figures->chain_s = steady_mean(figures, report, chain_s);
        figures->ends_apart_s = steady_mean(figures, report, ends_apart_s);
        if (figures->niteration > 0)
                figures->apart_s = apart_s(report, figures->first_steady);
        ledger_destroy(l);
        if (status == 0)
                return 0;
        report_figures_finish(figures);
        return lb_error_fail(err, "out of memory for the report");
}

void report_figures_finish(struct report_figures *figures)
{
        free(figures->iteration_s);
        free(figures->apprank_work_s);
        free(figures->node_useful_s);
        *figures = (struct report_figures){ .niteration = 0 };
}
