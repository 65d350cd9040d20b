/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What packing gives over the number of processes: time, load-imbalance fraction, freed CPUs and
 * energy (Task Packing paper, Tables 1 and 2, Figures 7 to 10). A line for each combination of the
 * other swept values; the fractions that the paper's text gives are marked.
 */
#include <string.h>

#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"

static bool off_axis(const char *path)
{
        return strcmp(path, "platform.nodes") != 0;
}

static void put_label(const struct scenario *scenario, int64_t point,
                      char label[static FIGURE_WORDS_SIZE])
{
        figure_point_words(scenario, point, off_axis, label);
        if (!label[0])
                snprintf(label, FIGURE_WORDS_SIZE, "packing");
}

static void write_point(FILE *out, const struct sweep *sweep, const struct figure_row *row)
{
        static const enum metric metrics[] = { METRIC_TIME_PER_ITERATION_S,
                                               METRIC_IMBALANCE_FRACTION, METRIC_FREED_FRACTION,
                                               METRIC_ENERGY_PER_ITERATION_J };
        fprintf(out, "%d", row->nodes * row->appranks_per_node);
        for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++)
                figure_put_interval(out, figure_interval(sweep, row->point, metrics[m]));
        fputc('\n', out);
}

static bool same_line(const struct scenario *scenario, int64_t a, int64_t b)
{
        char left[FIGURE_WORDS_SIZE], right[FIGURE_WORDS_SIZE];
        put_label(scenario, a, left);
        put_label(scenario, b, right);
        return strcmp(left, right) == 0;
}

/* The row that the line of row i begins with. */
static int64_t line_begin(const struct scenario *scenario, const struct figure_rows *rows,
                          int64_t i)
{
        int64_t first = 0;
        while (first < i && !same_line(scenario, rows->row[first].point, rows->row[i].point))
                first++;
        return first;
}

/* Other systems have no figures of packing; and marks and a legend that tell more lines apart,
 * nobody reads. */
static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        enum { LINES_MAX = 16 };
        int64_t nline = 0, packing = 0;
        for (int64_t i = 0; i < rows->nrow; i++) {
                packing += strcmp(rows->row[i].system, "packing") == 0;
                nline += nline <= LINES_MAX && line_begin(scenario, rows, i) == i;
        }
        if (packing < rows->nrow)
                snprintf(why, size, "%lld of %lld points are of system packing, must be all",
                         (long long)packing, (long long)rows->nrow);
        else if (nline > LINES_MAX)
                snprintf(why, size, "sweep makes more lines than the %d that can be told apart",
                         LINES_MAX);
        else
                return false;
        return true;
}

/* The line that a row is the first of. */
static void write_line(FILE *out, const struct figure_input *input, int64_t first)
{
        const struct figure_rows *rows = input->rows;
        const struct scenario *scenario = input->sweep->scenario;
        char label[FIGURE_WORDS_SIZE];
        if (line_begin(scenario, rows, first) < first)
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
        fprintf(out, "# processes time_s imbalance_fraction freed_fraction energy_J, each with low "
                     "and high, of an "
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
        .refuse = refuse,
        .write = write_data,
};
