/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The figures of a run, as lbsim defines them (sim/systems/offload/measure.c): steady-state figures
 * over the last third of the iterations; efficiencies multiply, per core of equal time (POP's
 * definitions, nodes in place of processes).
 */
#include "real/control/report.h"

#include <math.h>
#include <stdlib.h>

#include "real/control/report_impl.h"

/* ---- What was measured ---- */

static int32_t count_iterations(const struct report *report)
{
        int32_t least = INT32_MAX;
        for (int32_t a = 0; a < report->job->napprank; a++)
                if (report->apprank[a].niteration < least)
                        least = report->apprank[a].niteration;
        return report->job->napprank > 0 ? least : 0;
}

/* An iteration lasts from the last apprank's end of the one before to the last one's end of it. */
static void fill_iterations(struct report_figures *f, const struct report *report)
{
        double before_s = INFINITY;
        for (int32_t a = 0; a < report->job->napprank; a++)
                before_s = fmin(before_s, report->apprank[a].start_s[0]);
        for (int32_t i = 0; i < f->niteration; i++) {
                double end_s = before_s;
                for (int32_t a = 0; a < report->job->napprank; a++)
                        end_s = fmax(end_s, report->apprank[a].end_s[i]);
                f->iteration_s[i] = end_s - before_s;
                before_s = end_s;
        }
}

static double sum(const double *value, int32_t count)
{
        double total = 0;
        for (int32_t i = 0; i < count; i++)
                total += value[i];
        return total;
}

static double most(const double *value, int32_t count)
{
        double largest = 0;
        for (int32_t i = 0; i < count; i++)
                largest = fmax(largest, value[i]);
        return largest;
}

static double max_over_mean(const double *value, int32_t count)
{
        double total = sum(value, count);
        return total > 0 ? most(value, count) * count / total : 1;
}

/* Means over the last third, by apprank and by node. */
static void fill_means(struct report_figures *f, const struct report *report)
{
        int32_t count = f->niteration - f->first_steady, nnode = report->job->nnode;
        for (int32_t a = 0; a < report->job->napprank; a++)
                f->apprank_work_s[a] =
                    sum(&report->apprank[a].work_s[f->first_steady], count) / count;
        for (int32_t n = 0; n < nnode; n++) {
                double useful_s = 0;
                for (int32_t i = f->first_steady; i < f->niteration; i++)
                        useful_s += report->node_useful_s[(size_t)i * (size_t)nnode + (size_t)n];
                f->node_useful_s[n] = useful_s / count;
        }
}

/* ---- Without balancing ---- */

static int32_t home_of(const struct lb_shape *shape, int32_t apprank)
{
        return shape->worker_node[shape->apprank_first[apprank]];
}

/*
 * speed[a]: what apprank a has for itself where nothing is shared, its part of the cores of its
 * home, in cores of speed 1. Cores that do not divide go to the first of a node.
 */
static int fill_own_speeds(const struct job *job, double *speed)
{
        int32_t *appranks = calloc((size_t)job->nnode, sizeof(*appranks));
        int32_t *seen = calloc((size_t)job->nnode, sizeof(*seen));
        for (int32_t a = 0; appranks && a < job->napprank; a++)
                appranks[home_of(&job->shape, a)]++;
        for (int32_t a = 0; appranks && seen && a < job->napprank; a++) {
                int32_t home = home_of(&job->shape, a);
                int32_t cores = job->cores_per_node / appranks[home];
                cores += seen[home]++ < job->cores_per_node % appranks[home];
                speed[a] = (cores > 0 ? cores : 1) * job->speed[home];
        }
        int status = appranks && seen ? 0 : -1;
        free(appranks);
        free(seen);
        return status;
}

/* In each iteration all would wait for the apprank whose work takes its own cores longest. */
static int fill_without_balancing(struct report_figures *f, const struct report *report)
{
        int32_t napprank = report->job->napprank;
        double *speed = calloc((size_t)napprank, sizeof(*speed)), total_s = 0;
        if (!speed || fill_own_speeds(report->job, speed) < 0) {
                free(speed);
                return -1;
        }
        for (int32_t i = f->first_steady; i < f->niteration; i++) {
                double slowest_s = 0;
                for (int32_t a = 0; a < napprank; a++)
                        slowest_s = fmax(slowest_s, report->apprank[a].work_s[i] / speed[a]);
                total_s += slowest_s;
        }
        f->without_balancing_s = total_s / (f->niteration - f->first_steady);
        free(speed);
        return 0;
}

/* ---- Figures ---- */

static void fill_times(struct report_figures *f, const struct report *report)
{
        const struct job *job = report->job;
        int32_t count = f->niteration - f->first_steady;
        double work_s = sum(f->apprank_work_s, job->napprank);
        double speed = job->cores_per_node * sum(job->speed, job->nnode);
        f->time_per_iteration_s = sum(&f->iteration_s[f->first_steady], count) / count;
        f->optimal_s = work_s / speed;
        f->ratio_to_optimal = work_s > 0 ? f->time_per_iteration_s / f->optimal_s : 1;
        f->first_iteration_s = f->iteration_s[0];
        f->total_s = sum(f->iteration_s, f->niteration);
}

static void fill_efficiencies(struct report_figures *f, const struct report *report)
{
        const struct job *job = report->job;
        double useful_s = sum(f->node_useful_s, job->nnode);
        double most_s = most(f->node_useful_s, job->nnode);
        double node_s = f->time_per_iteration_s * job->cores_per_node;
        f->apprank_imbalance = max_over_mean(f->apprank_work_s, job->napprank);
        f->node_imbalance = max_over_mean(f->node_useful_s, job->nnode);
        f->parallel_efficiency = node_s > 0 ? useful_s / (node_s * job->nnode) : 1;
        f->load_balance = most_s > 0 ? useful_s / (most_s * job->nnode) : 1;
        f->communication_efficiency = node_s > 0 ? most_s / node_s : 1;
}

static void fill_mpi(struct report_figures *f, const struct report *report)
{
        int32_t count = f->niteration - f->first_steady;
        double mpi_s = 0, all_s = f->time_per_iteration_s * count * report->job->napprank;
        for (int32_t a = 0; a < report->job->napprank; a++)
                mpi_s += sum(&report->apprank[a].mpi_s[f->first_steady], count);
        f->mpi_fraction = all_s > 0 ? mpi_s / all_s : 0;
}

static void fill_tasks(struct report_figures *f, const struct report *report)
{
        int64_t tasks = 0, offloaded = 0;
        for (int32_t a = 0; a < report->job->napprank; a++) {
                for (int32_t i = 0; i < report->apprank[a].niteration; i++) {
                        tasks += report->apprank[a].tasks[i];
                        offloaded += report->apprank[a].offloaded_tasks[i];
                }
        }
        f->tasks = (double)tasks;
        f->offloaded_tasks = (double)offloaded;
        f->offloaded_fraction = tasks > 0 ? (double)offloaded / (double)tasks : 0;
}

/* The first iteration of the last third, as in lbsim; the last one where there are only a few. */
static int32_t first_of_last_third(int32_t niteration)
{
        int32_t first = (int32_t)((2 * (int64_t)niteration + 2) / 3);
        return first < niteration ? first : niteration - 1;
}

static void fill_nothing(struct report_figures *f)
{
        f->time_per_iteration_s = f->optimal_s = f->ratio_to_optimal = NAN;
        f->apprank_imbalance = f->node_imbalance = NAN;
        f->parallel_efficiency = f->load_balance = f->communication_efficiency = NAN;
        f->without_balancing_s = f->mpi_fraction = f->first_iteration_s = f->total_s = NAN;
}

static int fill(struct report_figures *f, const struct report *report)
{
        fill_tasks(f, report);
        if (f->niteration == 0) {
                fill_nothing(f);
                return 0;
        }
        fill_iterations(f, report);
        fill_means(f, report);
        fill_times(f, report);
        fill_efficiencies(f, report);
        fill_mpi(f, report);
        return fill_without_balancing(f, report);
}

int report_figures_init(struct report_figures *figures, const struct report *report,
                        struct lb_error *err)
{
        int32_t niteration = count_iterations(report);
        *figures = (struct report_figures){ .niteration = niteration };
        figures->first_steady = niteration > 0 ? first_of_last_third(niteration) : 0;
        figures->iteration_s = calloc((size_t)niteration + 1, sizeof(double));
        figures->apprank_work_s = calloc((size_t)report->job->napprank + 1, sizeof(double));
        figures->node_useful_s = calloc((size_t)report->job->nnode + 1, sizeof(double));
        if (figures->iteration_s && figures->apprank_work_s && figures->node_useful_s &&
            fill(figures, report) == 0)
                return 0;
        report_figures_finish(figures);
        return lb_error_fail(err, "out of memory for the report");
}

void report_figures_finish(struct report_figures *figures)
{
        free(figures->iteration_s);
        free(figures->apprank_work_s);
        free(figures->node_useful_s);
        *figures = (struct report_figures){ 0 };
}
