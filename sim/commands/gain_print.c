/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/gain_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
        const struct system_type *system;
        int32_t degree;
        const double *metric;
};

static int by_time(const void *a, const void *b)
{
        const struct line *x = a, *y = b;
        double left = x->metric[METRIC_TIME_PER_ITERATION_S];
        double right = y->metric[METRIC_TIME_PER_ITERATION_S];
        if (left < right || left > right)
                return left < right ? -1 : 1;
        return x->degree < y->degree ? -1 : x->degree > y->degree;
}

static int fill_lines(const struct sweep *sweep, struct line *line, struct lb_error *err)
{
        for (int64_t p = 0; p < sweep->scenario->npoint; p++) {
                struct scenario_point config;
                if (scenario_point_get(sweep->scenario, p, &config, err) < 0)
                        return -1;
                line[p] = (struct line){ config.system, config.degree,
                                         sweep->result[sweep_place(sweep, p, 0)].metric };
                scenario_point_finish(&config);
        }
        qsort(line, (size_t)sweep->scenario->npoint, sizeof(*line), by_time);
        return 0;
}

static const struct line *line_of(const struct line *line, int64_t count, const char *system)
{
        for (int64_t i = 0; i < count; i++)
                if (strcmp(line[i].system->name, system) == 0)
                        return &line[i];
        return NULL;
}

static int print_table(const struct line *line, int64_t count, enum table_format format)
{
        static const char *const columns[] = { "system",
                                               "degree",
                                               "time_per_iteration_s",
                                               "less_time_percent",
                                               "ratio_to_optimal",
                                               "offloaded_percent",
                                               "cores_used",
                                               "helper_ranks" };
        struct table *table = table_create(8, columns);
        const struct line *baseline = line_of(line, count, "baseline");
        for (int64_t i = 0; table && i < count; i++) {
                const double *m = line[i].metric;
                double before = baseline ? baseline->metric[METRIC_TIME_PER_ITERATION_S] : NAN;
                table_row(table);
                table_text(table, line[i].system->name);
                table_number(table, line[i].degree, 4);
                table_number(table, m[METRIC_TIME_PER_ITERATION_S], 4);
                table_number(table, 100 * (1 - m[METRIC_TIME_PER_ITERATION_S] / before), 3);
                table_number(table, m[METRIC_RATIO_TO_OPTIMAL], 4);
                table_number(table, 100 * m[METRIC_OFFLOADED_FRACTION], 3);
                table_number(table, m[METRIC_CORES_USED], 4);
                table_number(table, m[METRIC_HELPER_RANKS], 4);
        }
        int status = table ? table_write(table, stdout, format) : -1;
        table_destroy(table);
        return status;
}

/* A line that is as good, within a percent, and needs less: a smaller degree. */
static const struct line *simplest(const struct line *line, int64_t count, bool live)
{
        const struct line *best = NULL;
        for (int64_t i = 0; i < count; i++) {
                double time = line[i].metric[METRIC_TIME_PER_ITERATION_S];
                if (live && (line[i].system->host || line[i].system->grow))
                        continue;
                if (!best)
                        best = &line[i];
                else if (time <= 1.01 * best->metric[METRIC_TIME_PER_ITERATION_S] &&
                         line[i].degree < best->degree)
                        best = &line[i];
        }
        return best;
}

static void print_advice(const struct line *line, int64_t count, const struct gain_program *program)
{
        const struct line *live = simplest(line, count, true);
        const struct line *baseline = line_of(line, count, "baseline");
        if (!live || !baseline)
                return;
        double before = baseline->metric[METRIC_TIME_PER_ITERATION_S];
        double less = 100 * (1 - live->metric[METRIC_TIME_PER_ITERATION_S] / before);
        if (less < 1) {
                printf(
                    "\nNone of these gains a percent. Without balancing the time is %.3g times the "
                    "bound.\n",
                    baseline->metric[METRIC_RATIO_TO_OPTIMAL]);
                return;
        }
        printf("\n%s at degree %" PRId32 ": %.0f %% less time than without balancing. To run "
               "it:\n  lbrun --nodes %" PRId32 " --cores %" PRId32,
               live->system->name, live->degree, less, program->nnode, program->cores);
        if (program->appranks_per_node > 1)
                printf(" --appranks-per-node %" PRId32, program->appranks_per_node);
        printf(" --system %s --degree %" PRId32 " -- PROGRAM\n", live->system->name, live->degree);
}

int gain_print(const struct sweep *sweep, const struct gain_program *program,
               enum table_format format, struct lb_error *err)
{
        int64_t count = sweep->scenario->npoint;
        struct line *line = calloc((size_t)count + 1, sizeof(*line));
        int status = line ? fill_lines(sweep, line, err) : lb_error_fail(err, "out of memory");
        if (status == 0 && format == TABLE_TEXT)
                printf("%" PRId32 " appranks on %" PRId32 " nodes x %" PRId32 " cores, %" PRId32
                       " measured iterations, imbalance %.3g (max/mean)\n\n",
                       program->napprank, program->nnode, program->cores, program->niteration,
                       line[0].metric[METRIC_APPRANK_IMBALANCE]);
        if (status == 0 && print_table(line, count, format) < 0 && !ferror(stdout))
                status = lb_error_fail(err, "out of memory for the results");
        if (status == 0 && format == TABLE_TEXT)
                print_advice(line, count, program);
        free(line);
        return status;
}
