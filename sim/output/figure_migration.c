/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What migration gains over the first value that is swept outside of the section "system": time,
 * speedup over `baseline` and migrated tasks (CHAMELEON paper, Figures 2 to 9 and Table 1). A line
 * for each combination of the values swept in "system", and of others in "platform".
 */
#include <stdlib.h>
#include <string.h>

#include "sim/output/figure_impl.h"

enum { LABEL_SIZE = 256 };

static bool is_in(const char *path, const char *section)
{
        return strncmp(path, section, strlen(section)) == 0;
}

/* The column on the x axis, or -1. */
static int32_t axis_of(const struct scenario *scenario)
{
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                if (!is_in(scenario_column(scenario, c), "system."))
                        return c;
        return -1;
}

static void put_label(const struct scenario *scenario, int64_t point, int32_t axis,
                      char label[static LABEL_SIZE])
{
        size_t used = 0;
        label[0] = '\0';
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                const char *path = scenario_column(scenario, c);
                bool system = is_in(path, "system.");
                if (c == axis || (!system && !is_in(path, "platform.")))
                        continue;
                int size = snprintf(label + used, LABEL_SIZE - used, "%s%s%s%s", used ? ", " : "",
                                    scenario_point_text(scenario, point, c), system ? "" : " ",
                                    system ? "" : strrchr(path, '.') + 1);
                used += size > 0 ? (size_t)size : 0;
                used = used < LABEL_SIZE - 1 ? used : LABEL_SIZE - 1;
        }
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        int32_t axis = axis_of(scenario);
        char *end = NULL;
        if (axis >= 0)
                (void)strtod(scenario_point_text(scenario, 0, axis), &end);
        if (axis < 0 || *end != '\0')
                snprintf(why, size, "no number outside of \"system\" is swept first");
        else if (!figure_rows_have(rows, "baseline"))
                snprintf(why, size, "system baseline is not in sweep");
        else
                return false;
        return true;
}

static double mean(const struct sweep *sweep, int64_t point, enum metric metric)
{
        return sweep_estimate(sweep, point, metric).mean;
}

static int32_t iterations(const struct sweep *sweep, int64_t point)
{
        return sweep->result[sweep_place(sweep, point, 0)].niteration;
}

static double iteration_s(const struct sweep *sweep, int64_t point)
{
        return mean(sweep, point, METRIC_TOTAL_S) / iterations(sweep, point);
}

/* The row of `baseline` with the same values outside of "system". */
static const struct figure_row *baseline_of(const struct figure_input *input, int64_t point)
{
        const struct scenario *scenario = input->sweep->scenario;
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                bool same = strcmp(r->system, "baseline") == 0;
                for (int32_t c = 0; same && c < scenario_ncolumn(scenario); c++)
                        same = is_in(scenario_column(scenario, c), "system.") ||
                               strcmp(scenario_point_text(scenario, r->point, c),
                                      scenario_point_text(scenario, point, c)) == 0;
                if (same)
                        return r;
        }
        return NULL;
}

static void write_point(FILE *out, const struct figure_input *input, int64_t point, int32_t axis)
{
        const struct sweep *sweep = input->sweep;
        const struct figure_row *baseline = baseline_of(input, point);
        double time_s = iteration_s(sweep, point);
        double migrated = mean(sweep, point, METRIC_OFFLOADED_FRACTION) *
                          mean(sweep, point, METRIC_TASKS) / iterations(sweep, point);
        double speedup = baseline ? iteration_s(sweep, baseline->point) / time_s : 0;
        fprintf(out, "%s %.10g %.6g %.6g\n", scenario_point_text(sweep->scenario, point, axis),
                time_s, speedup, migrated);
}

/* Is a row's line written with an earlier row? */
static bool is_known(const struct figure_input *input, int64_t row, int32_t axis,
                     const char *wanted)
{
        char label[LABEL_SIZE];
        for (int64_t i = 0; i < row; i++) {
                put_label(input->sweep->scenario, input->rows->row[i].point, axis, label);
                if (strcmp(label, wanted) == 0)
                        return true;
        }
        return false;
}

/* One block per line, headed by its label. */
static void write_data(FILE *out, const struct figure_input *input)
{
        const struct scenario *scenario = input->sweep->scenario;
        int32_t axis = axis_of(scenario);
        fprintf(out,
                "# x time_s speedup migrated_tasks, of an iteration; heads: path of x, line\n");
        bool first = true;
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                char label[LABEL_SIZE], other[LABEL_SIZE];
                put_label(scenario, input->rows->row[i].point, axis, label);
                if (is_known(input, i, axis, label))
                        continue;
                fprintf(out, "%s\"%s|%s\"\n", first ? "" : "\n\n", scenario_column(scenario, axis),
                        label);
                first = false;
                for (int64_t j = i; j < input->rows->nrow; j++) {
                        int64_t point = input->rows->row[j].point;
                        put_label(scenario, point, axis, other);
                        if (strcmp(other, label) == 0)
                                write_point(out, input, point, axis);
                }
        }
}

const struct figure_type figure_migration = {
        .name = "migration",
        .names_model = true,
        .place = "all that is swept",
        .refuse = refuse,
        .write = write_data,
};
