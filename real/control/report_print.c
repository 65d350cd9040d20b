/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as a table for people: the verdict first, then at most 20 lines of 80 columns. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/report_impl.h"

#include "base/text.h"

enum { WIDTH = 80, TEXT_SIZE = 512, VALUE_SIZE = 32 };

/* Wall time of tasks this much beyond their processor time is worth a note. */
static const double LOAD_GAP_NOTED = 0.1;
static const double BELOW_NOTED = 0.95, APART_NOTED = 0.1;

/* ---- Words and numbers ---- */

/* Print a sentence, broken at blanks where it would pass the last column, but not before "%". */
static void put_wrapped(const char *text, FILE *out)
{
        while (strlen(text) > WIDTH) {
                int end = WIDTH;
                while (end > 0 && (text[end] != ' ' || text[end + 1] == '%'))
                        end--;
                if (end == 0)
                        break;
                fprintf(out, "%.*s\n", end, text);
                text += end + 1;
        }
        fprintf(out, "%s\n", text);
}

static void show_time(double time_s, char text[static VALUE_SIZE])
{
        if (time_s >= 1000 || isnan(time_s))
                snprintf(text, VALUE_SIZE, "%.0f s", time_s);
        else if (time_s >= 1 || time_s <= 0)
                snprintf(text, VALUE_SIZE, "%.3f s", time_s);
        else if (time_s >= 1e-3)
                snprintf(text, VALUE_SIZE, "%.3f ms", time_s * 1e3);
        else
                snprintf(text, VALUE_SIZE, "%.3f us", time_s * 1e6);
}

static void show_bytes(int64_t bytes, char text[static VALUE_SIZE])
{
        static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB", "PB", "EB" };
        size_t unit = 0;
        double value = (double)bytes;
        for (; value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
                value /= 1000;
        snprintf(text, VALUE_SIZE, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void put_row(FILE *out, const char *label, const char *value, const char *format, ...)
    LB_PRINTF(4, 5);

/* "  time per iteration      1.052 s   last third of 10 iterations" */
static void put_row(FILE *out, const char *label, const char *value, const char *format, ...)
{
        char line[WIDTH + 1];
        int at = snprintf(line, sizeof(line), "  %-22s %12s", label, value);
        va_list args;
        va_start(args, format);
        if (format[0] && at + 3 < WIDTH) {
                memcpy(line + at, "   ", 3);
                vsnprintf(line + at + 3, sizeof(line) - (size_t)at - 3, format, args);
        }
        va_end(args);
        fprintf(out, "%s\n", line);
}

static void put_time(FILE *out, const struct report_figures *f, enum metric metric,
                     const char *remark)
{
        char value[VALUE_SIZE];
        show_time(f->metric[metric], value);
        put_row(out, metric_table[metric].label, value, "%s", remark);
}

static void put_count(FILE *out, const char *label, int64_t count, const char *remark)
{
        char value[VALUE_SIZE];
        snprintf(value, sizeof(value), "%" PRId64, count);
        put_row(out, label, value, "%s", remark);
}

/* ---- The verdict ---- */

static bool balances(const struct job *job)
{
        return job->lewi || job->drom || job->degree > 1 || job_migrates(job);
}

static void add_distance(char *text, double ratio)
{
        if (ratio >= 1)
                lb_text_add(text, TEXT_SIZE, "%.1f %% above the bound", 100 * (ratio - 1));
        else
                lb_text_add(text, TEXT_SIZE, "%.1f %% below the bound", 100 * (1 - ratio));
}

static void put_verdict(const struct report *report, const struct report_figures *f, FILE *out)
{
        const struct job *job = report->job;
        char text[TEXT_SIZE] = "", time[VALUE_SIZE];
        if (f->niteration == 0) {
                put_wrapped("no figures by iteration: the program ended none on every apprank "
                            "(lbrun_iteration() at the end of each)",
                            out);
                return;
        }
        if (!(f->metric[METRIC_OPTIMAL_S] > 0)) {
                put_wrapped("no task ran in the iterations that count, so that there is nothing to "
                            "balance, and no bound; what a program computes outside of tasks is "
                            "measured by 'lbrun measure'",
                            out);
                return;
        }
        lb_text_add(text, TEXT_SIZE, "imbalance %.2f (max/avg) among appranks; ",
                    f->metric[METRIC_APPRANK_IMBALANCE]);
        if (balances(job)) {
                show_time(f->metric[METRIC_WITHOUT_BALANCING_S], time);
                lb_text_add(text, TEXT_SIZE, "balanced by %s", job->system);
                if (!job_migrates(job))
                        lb_text_add(text, TEXT_SIZE, " at degree %d", job->degree);
                lb_text_add(text, TEXT_SIZE, ": ");
                add_distance(text, f->metric[METRIC_RATIO_TO_OPTIMAL]);
                lb_text_add(text, TEXT_SIZE, "; without balancing an estimated %s per iteration",
                            time);
        } else {
                lb_text_add(text, TEXT_SIZE, "not balanced (%s): ", job->system);
                add_distance(text, f->metric[METRIC_RATIO_TO_OPTIMAL]);
                if (f->metric[METRIC_RATIO_TO_OPTIMAL] > 1)
                        lb_text_add(text, TEXT_SIZE, ", up to %.0f %% of the time could be saved",
                                    100 * (1 - 1 / f->metric[METRIC_RATIO_TO_OPTIMAL]));
        }
        put_wrapped(text, out);
}

/* ---- The table ---- */

static void put_job(const struct report *report, FILE *out)
{
        const struct job *job = report->job;
        char text[TEXT_SIZE] = "", cores[32];
        job_describe_cores(job, cores, sizeof(cores));
        lb_text_add(text, TEXT_SIZE, "  %d%s node%s x %s core%s, %d apprank%s", job->nnode,
                    job->virtual_nodes ? " virtual" : "", lb_s(job->nnode), cores,
                    lb_s(job->cores_per_node), job->napprank, lb_s(job->napprank));
        if (report->mpi)
                lb_text_add(text, TEXT_SIZE, ", %.*s", (int)strcspn(report->mpi, ","), report->mpi);
        if (report->core_manager)
                lb_text_add(text, TEXT_SIZE, ", core manager %s", report->core_manager);
        put_wrapped(text, out);
}

/* "  virtual CPUs         0.2 of real  held 7.1 s in 6120 of 6300 periods" */
static void put_cpus(const struct report *report, FILE *out)
{
        const struct job *job = report->job;
        char value[VALUE_SIZE], remark[WIDTH];
        if (job->param[JOB_VIRTUAL_CPUS] == 0)
                return;
        snprintf(value, sizeof(value), "%.3g", job->param[JOB_CPU_SPEED]);
        snprintf(remark, sizeof(remark), "of real ones; the least had %.1f %%",
                 100 * (1 - report->cpus_missed));
        put_row(out, "speed of virtual CPUs", value, "%s", remark);
        if (report->message_delay_us > 0) {
                show_time(report->message_delay_us * 1e-6, value);
                put_row(out, "  a sum over appranks", value, "MPI between virtual CPUs");
        }
}

static void put_invalid(const struct report *report, FILE *out)
{
        char text[TEXT_SIZE] = "";
        if (report_is_valid(report))
                return;
        lb_text_add(
            text, TEXT_SIZE,
            "INVALID: a virtual CPU missed %.0f %% of its quota, more than %.0f %%, since this "
            "machine has other work: times mean nothing; run it again when it is quiet, or slower "
            "(--param cpu_speed=S)",
            100 * report->cpus_missed, 100 * cpu_groups_missed_max);
        put_wrapped(text, out);
}

static void put_times(const struct report_figures *f, FILE *out)
{
        char time[VALUE_SIZE], remark[WIDTH];
        int32_t count = f->niteration - f->first_steady;
        show_time(f->metric[METRIC_FIRST_ITERATION_S], time);
        snprintf(remark, sizeof(remark), "last %d of %d; the first took %s", count, f->niteration,
                 time);
        put_time(out, f, METRIC_TIME_PER_ITERATION_S, remark);
        put_time(out, f, METRIC_OPTIMAL_S, "all work over the speed of all cores");
        put_time(out, f, METRIC_WITHOUT_BALANCING_S, "estimated: each on its own cores");
}

static void put_ratio(FILE *out, const struct report_figures *f, enum metric metric,
                      const char *remark)
{
        char value[VALUE_SIZE];
        snprintf(value, sizeof(value), "%.2f", f->metric[metric]);
        put_row(out, metric_table[metric].label, value, "%s", remark);
}

static void put_efficiencies(const struct report_figures *f, FILE *out)
{
        char remark[WIDTH];
        snprintf(remark, sizeof(remark), "max/avg of work, load balance %.2f",
                 1 / f->metric[METRIC_APPRANK_IMBALANCE]);
        put_ratio(out, f, METRIC_APPRANK_IMBALANCE, remark);
        put_ratio(out, f, METRIC_NODE_IMBALANCE, "max/avg of core time in tasks");
        put_ratio(out, f, METRIC_PARALLEL_EFFICIENCY, "core time in tasks over all of it");
        put_ratio(out, f, METRIC_LOAD_BALANCE, "avg/max of nodes");
        put_ratio(out, f, METRIC_COMMUNICATION_EFFICIENCY, "of the busiest node's core time");
}

static void put_tasks(const struct report *report, const struct report_figures *f, FILE *out)
{
        char value[VALUE_SIZE], remark[WIDTH];
        put_count(out, metric_table[METRIC_TASKS].label, (int64_t)f->metric[METRIC_TASKS],
                  "all iterations");
        snprintf(remark, sizeof(remark), "%.1f %% of them",
                 100 * f->metric[METRIC_OFFLOADED_FRACTION]);
        put_count(out, metric_table[METRIC_OFFLOADED_TASKS].label,
                  (int64_t)f->metric[METRIC_OFFLOADED_TASKS], remark);
        show_bytes(report->bytes_offloaded, value);
        put_row(out, metric_table[METRIC_OFFLOADED_BYTES].label, value, "between nodes");
        snprintf(remark, sizeof(remark), "borrowed %" PRId64 ", reclaimed %" PRId64,
                 report->cores_borrowed, report->cores_reclaimed);
        put_count(out, metric_table[METRIC_CORES_LENT].label, report->cores_lent, remark);
        put_count(out, metric_table[METRIC_OWNERSHIP_CHANGES].label, report->ownership_changes,
                  "cores that changed owner");
        snprintf(remark, sizeof(remark), "%" PRId64 " of them were first", report->copies_used);
        if (report->copies > 0)
                put_count(out, "tasks replicated", report->copies, remark);
        if (!job_grows(report->job))
                return;
        snprintf(remark, sizeof(remark), "of %" PRId32 " that sleep at first; %" PRId64 " retired",
                 job_sleeping(report->job), report->helpers_retired);
        put_count(out, "helpers woken", report->helpers_woken, remark);
}

/* ---- Heaviest and lightest appranks ---- */

enum { EXTREMES = 3 };

struct load {
        double work_s;
        int32_t apprank;
};

/* Heaviest first, then by number. */
static int by_work(const void *a, const void *b)
{
        const struct load *x = a, *y = b;
        int order = (x->work_s < y->work_s) - (x->work_s > y->work_s);
        return order ? order : (x->apprank > y->apprank) - (x->apprank < y->apprank);
}

static void put_loads(FILE *out, const char *label, const struct load *load, int32_t count,
                      double mean_s)
{
        char text[TEXT_SIZE] = "";
        for (int32_t i = 0; i < count; i++)
                lb_text_add(text, TEXT_SIZE, "%s%d (%.2f)", i ? ", " : "", load[i].apprank,
                            mean_s > 0 ? load[i].work_s / mean_s : 1);
        fprintf(out, "  %-23s %.*s\n", label, WIDTH - 26, text);
}

static void put_extremes(const struct report *report, const struct report_figures *f, FILE *out)
{
        int32_t n = report->job->napprank, count = n / 2 < EXTREMES ? n / 2 : EXTREMES;
        struct load *load = calloc((size_t)n + 1, sizeof(*load));
        double sum_s = 0;
        if (count == 0 || !load) {
                free(load);
                return;
        }
        for (int32_t a = 0; a < n; a++) {
                load[a] = (struct load){ f->apprank_work_s[a], a };
                sum_s += load[a].work_s;
        }
        qsort(load, (size_t)n, sizeof(*load), by_work);
        put_loads(out, "most work: appranks", load, count, sum_s / n);
        put_loads(out, "least work: appranks", load + n - count, count, sum_s / n);
        free(load);
}

/* ---- Notes ---- */

/* Work of iterations that count was done in the time of those before, which no bound knows. */
static void put_apart(const struct report_figures *f, FILE *out)
{
        char text[TEXT_SIZE] = "", time[VALUE_SIZE];
        double ratio = f->metric[METRIC_RATIO_TO_OPTIMAL];
        double all_s = f->metric[METRIC_TIME_PER_ITERATION_S] * (f->niteration - f->first_steady);
        if (!(ratio < BELOW_NOTED) || !(f->apart_s > APART_NOTED * all_s))
                return;
        show_time(f->apart_s, time);
        lb_text_add(text, TEXT_SIZE,
                    "note: below the bound, as appranks do not wait for each other at the end of "
                    "an iteration: the first began those that count %s before the last; a run of "
                    "more iterations says more",
                    time);
        put_wrapped(text, out);
}

static void put_notes(const struct report *report, FILE *out)
{
        char text[TEXT_SIZE] = "";
        bool cpu = report->job->param[JOB_LOAD] > 0; /* wall, cpu */
        if (!(report->load_gap > LOAD_GAP_NOTED) || report->job->param[JOB_VIRTUAL_CPUS] > 0)
                return; /* virtual CPUs give less than all their time, and say so */
        lb_text_add(text, TEXT_SIZE,
                    "note: up to %.0f %% of the tasks' time was not processor time: ",
                    100 * report->load_gap);
        lb_text_add(text, TEXT_SIZE,
                    "cores are shared with other work, or tasks wait for "
                    "something (files, a clock); ");
        lb_text_add(text, TEXT_SIZE,
                    cpu ? "the load was taken from processor time"
                        : "--load cpu takes the load from processor time");
        put_wrapped(text, out);
}

void report_print(const struct report *report, FILE *out)
{
        struct report_figures figures;
        struct lb_error err;
        if (report_figures_init(&figures, report, &err) < 0) {
                fprintf(out, "%s\n", err.text);
                return;
        }
        if (report->cut)
                fprintf(out, "ended before its end: figures are of the %d iteration%s so far\n",
                        figures.niteration, lb_s(figures.niteration));
        put_invalid(report, out);
        put_verdict(report, &figures, out);
        put_job(report, out);
        put_cpus(report, out);
        if (figures.niteration > 0) {
                put_times(&figures, out);
                put_efficiencies(&figures, out);
        }
        put_tasks(report, &figures, out);
        if (figures.niteration > 0)
                put_extremes(report, &figures, out);
        put_apart(&figures, out);
        put_notes(report, out);
        report_figures_finish(&figures);
}
