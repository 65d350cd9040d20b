/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "models/platform.h"
#include "models/workload.h"

static double system_value(const struct scenario_point *config, const char *name)
{
        int place = lb_param_find(scenario_section_table(SECTION_SYSTEM), name);
        return place < 0 ? 0 : config->value[SECTION_SYSTEM][place];
}

static int fill_row(const struct scenario *scenario, int64_t point, struct figure_row *row,
                    struct lb_error *err)
{
        struct scenario_point config;
        if (scenario_point_get(scenario, point, &config, err) < 0)
                return -1;
        const double *workload = config.value[SECTION_WORKLOAD];
        const struct lb_param *slow = &workload_params[WORKLOAD_SLOW];
        uint64_t machine =
            lb_hash(config.value[SECTION_PLATFORM], PLATFORM_NPARAM * sizeof(double), 0);
        *row = (struct figure_row){
                .point = point,
                .work = lb_hash(workload, WORKLOAD_NPARAM * sizeof(double), machine),
                .nodes = (int32_t)config.value[SECTION_PLATFORM][PLATFORM_NODES],
                .cores = (int32_t)config.value[SECTION_PLATFORM][PLATFORM_CORES_PER_NODE],
                .appranks_per_node =
                    (int32_t)config.value[SECTION_PLATFORM][PLATFORM_APPRANKS_PER_NODE],
                .degree = config.degree,
                .model = workload_models[(int)workload[WORKLOAD_MODEL]],
                .imbalance = workload[WORKLOAD_IMBALANCE],
                .system = config.system->name,
                .lewi = config.lewi,
                .drom = config.drom,
                .slow = lb_param_choice(slow, "none") != (int)workload[WORKLOAD_SLOW],
                .slow_least = lb_param_choice(slow, "least") == (int)workload[WORKLOAD_SLOW],
        };
        row->average_kind = (int)system_value(&config, "global_average");
        row->average_s = system_value(&config, "global_average_s");
        scenario_point_finish(&config);
        return 0;
}

/* Over the replicates that a point and another one have, of the first `runs`: the value, over the
 * other's (`under`), or less it, which is the other's mean (`beside`). */
enum relation { ALONE, UNDER, BESIDE };

static struct interval interval(const struct sweep *sweep, enum metric metric, int64_t point,
                                int64_t other, int32_t runs, enum relation relation)
{
        int32_t count = 0;
        double *value = calloc((size_t)runs + 1, sizeof(*value)), sum = 0;
        for (int32_t r = 0; value && r < runs; r++) {
                int64_t run = sweep_place(sweep, point, r), of = sweep_place(sweep, other, r);
                if (!sweep->done[run] || !sweep->done[of])
                        continue;
                double its = sweep->result[run].metric[metric];
                double others = sweep->result[of].metric[metric];
                value[count++] = relation == ALONE   ? its
                                 : relation == UNDER ? its / others
                                                     : its - others;
                sum += others;
        }
        for (int32_t i = 0; relation == BESIDE && i < count; i++)
                value[i] += sum / count;
        struct interval found = interval_of(value, count);
        free(value);
        return found;
}

struct interval figure_interval(const struct sweep *sweep, int64_t point, enum metric metric)
{
        return interval(sweep, metric, point, point, sweep->scenario->replicates, ALONE);
}

int32_t figure_runs(const struct sweep *sweep, int64_t point)
{
        int32_t count = 0;
        for (int32_t r = 0; r < sweep->scenario->replicates; r++)
                count += sweep->done[sweep_place(sweep, point, r)];
        return count;
}

struct interval figure_quotient(const struct sweep *sweep, enum metric metric, int64_t above,
                                int64_t below)
{
        return interval(sweep, metric, above, below, sweep->scenario->replicates, UNDER);
}

struct interval figure_beside(const struct sweep *sweep, enum metric metric, int64_t point,
                              int64_t other, int32_t runs)
{
        return interval(sweep, metric, point, other, runs, BESIDE);
}

void figure_put_interval(FILE *out, struct interval interval)
{
        fprintf(out, " %.10g %.10g %.10g", interval.mean, interval.low, interval.high);
}

static int by_place(const void *a, const void *b)
{
        const struct figure_row *x = a, *y = b;
        if (x->nodes != y->nodes)
                return x->nodes < y->nodes ? -1 : 1;
        if (x->imbalance < y->imbalance || x->imbalance > y->imbalance)
                return x->imbalance < y->imbalance ? -1 : 1;
        if (x->degree != y->degree)
                return x->degree < y->degree ? -1 : 1;
        return x->point < y->point ? -1 : x->point > y->point;
}

int figure_rows_init(struct figure_rows *rows, const struct scenario *scenario,
                     const struct sweep *sweep, struct lb_error *err)
{
        rows->nrow = scenario->npoint;
        rows->row = calloc((size_t)rows->nrow + 1, sizeof(*rows->row));
        if (!rows->row)
                return lb_error_fail(err, "out of memory for the figure");
        for (int64_t p = 0; p < rows->nrow; p++) {
                if (fill_row(scenario, p, &rows->row[p], err) < 0) {
                        figure_rows_finish(rows);
                        return -1;
                }
                if (sweep) {
                        rows->row[p].time_s =
                            figure_interval(sweep, p, METRIC_TIME_PER_ITERATION_S);
                        rows->row[p].optimal_s = figure_interval(sweep, p, METRIC_OPTIMAL_S).mean;
                        rows->row[p].ratio = figure_interval(sweep, p, METRIC_RATIO_TO_OPTIMAL);
                }
        }
        qsort(rows->row, (size_t)rows->nrow, sizeof(*rows->row), by_place);
        return 0;
}

void figure_rows_finish(struct figure_rows *rows)
{
        free(rows->row);
        memset(rows, 0, sizeof(*rows));
}

bool figure_rows_have(const struct figure_rows *rows, const char *system)
{
        for (int64_t i = 0; i < rows->nrow; i++)
                if (strcmp(rows->row[i].system, system) == 0)
                        return true;
        return false;
}
