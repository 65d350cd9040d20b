/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What packing gives over the number of processes: time, load-imbalance fraction, freed CPUs and
 * energy (Task Packing paper, Tables 1 and 2, Figures 7 to 10). A line for each combination of the
 * other swept values; the fractions that the paper's text gives are marked.
 */
#include <string.h>

#include "sim/output/figure_impl.h"

enum { LABEL_SIZE = 256 };

static const char *const axis = "platform.nodes";

static void put_label(const struct scenario *scenario, int64_t point, char label[static LABEL_SIZE])
{
        size_t used = 0;
        label[0] = '\0';
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                const char *path = scenario_column(scenario, c);
                if (strcmp(path, axis) == 0)
                        continue;
                bool named = strncmp(path, "system.", strlen("system.")) == 0;
                int size = snprintf(label + used, LABEL_SIZE - used, "%s%s%s%s", used ? ", " : "",
                                    scenario_point_text(scenario, point, c), named ? "" : " ",
                                    named ? "" : strrchr(path, '.') + 1);
                used += size > 0 ? (size_t)size : 0;
                used = used < LABEL_SIZE - 1 ? used : LABEL_SIZE - 1;
        }
}

static double mean(const struct sweep *sweep, int64_t point, enum metric metric)
{
        int32_t n = sweep->scenario->replicates;
        double sum = 0;
        for (int32_t r = 0; r < n; r++)
                sum += sweep->result[sweep_place(sweep, point, r)].metric[metric];
        return sum / n;
}

static void write_point(FILE *out, const struct sweep *sweep, const struct figure_row *row)
{
        fprintf(out, "%d %.10g %.6g %.6g %.6g\n", row->nodes * row->appranks_per_node,
                mean(sweep, row->point, METRIC_TIME_PER_ITERATION_S),
                mean(sweep, row->point, METRIC_IMBALANCE_FRACTION),
                mean(sweep, row->point, METRIC_FREED_FRACTION),
                mean(sweep, row->point, METRIC_ENERGY_PER_ITERATION_J));
}

static bool same_line(const struct scenario *scenario, int64_t a, int64_t b)
{
        char left[LABEL_SIZE], right[LABEL_SIZE];
        put_label(scenario, a, left);
        put_label(scenario, b, right);
        return strcmp(left, right) == 0;
}

/* The line that a row is the first of. */
static void write_line(FILE *out, const struct figure_input *input, int64_t first)
{
        const struct figure_rows *rows = input->rows;
        const struct scenario *scenario = input->sweep->scenario;
        char label[LABEL_SIZE];
        for (int64_t i = 0; i < first; i++)
                if (same_line(scenario, rows->row[i].point, rows->row[first].point))
                        return;
        put_label(scenario, rows->row[first].point, label);
        fprintf(out, "%s\"%s\"\n", first > 0 ? "\n\n" : "", label);
        for (int64_t i = first; i < rows->nrow; i++)
                if (same_line(scenario, rows->row[i].point, rows->row[first].point))
                        write_point(out, input->sweep, &rows->row[i]);
}

static void write_mark(FILE *out, const struct figure_mark *mark)
{
        const struct published_row *row = mark->row;
        bool imbalance = row->metric == METRIC_IMBALANCE_FRACTION;
        if (row->as != AS_VALUE || row->claim != CLAIM_ABOUT || mark->at.nrow != 1 ||
            (!imbalance && row->metric != METRIC_FREED_FRACTION))
                return;
        int32_t processes = mark->at.row[0].nodes * mark->at.row[0].appranks_per_node;
        fprintf(out, imbalance ? "%d NaN %.6g NaN NaN\n" : "%d NaN NaN %.6g NaN\n", processes,
                row->value);
}

static void write_data(FILE *out, const struct figure_input *input)
{
        fprintf(out, "# processes time_s imbalance_fraction freed_fraction energy_J, of an "
                     "iteration; heads: lines, the last what is published\n");
        for (int64_t i = 0; i < input->rows->nrow; i++)
                write_line(out, input, i);
        fprintf(out, "\n\n\"published\"\n");
        for (int32_t m = 0; m < input->marks->nmark; m++)
                write_mark(out, &input->marks->mark[m]);
}

const struct figure_type figure_packing = {
        .name = "packing",
        .names_model = true,
        .place = "node count and what else is swept",
        .write = write_data,
};
