/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What packing gives over the number of processes: time, load-imbalance fraction, freed CPUs and
 * energy (Task Packing paper, Tables 1 and 2, Figures 7 to 10). A line for each combination of the
 * other swept values; the fractions that the paper's text gives are marked.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/output/figure_impl.h"
#include "sim/output/figure_map.h"
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

static void write_mark(FILE *out, const struct figure_rows *rows, const struct figure_mark *mark)
{
        const struct published_row *row = mark->row;
        bool imbalance = row->metric == METRIC_IMBALANCE_FRACTION;
        if (row->as != AS_VALUE || row->claim != CLAIM_ABOUT || mark->at.nrow != 1 ||
            !figure_rows_find(rows, &mark->at.row[0]) ||
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
                write_mark(out, input->rows, &input->marks->mark[m]);
}

/* ---- In a sentence ---- */

enum { LINES_READ = 16, TIME_COLUMN = 1, FREED_COLUMN = 7, ENERGY_COLUMN = 10, COLUMNS = 13 };

struct line {
        char name[FIGURE_WORDS_SIZE];
        int count;
        double time_logs, energy_logs, freed, freed_least, freed_most;
};

static void add_point(struct line *line, char *word[static COLUMNS])
{
        double freed = atof(word[FREED_COLUMN]);
        line->freed_least = line->count == 0 ? freed : fmin(line->freed_least, freed);
        line->freed_most = line->count == 0 ? freed : fmax(line->freed_most, freed);
        line->freed += freed;
        line->time_logs += log(atof(word[TIME_COLUMN]));
        line->energy_logs += log(atof(word[ENERGY_COLUMN]));
        line->count++;
}

static int read_lines(FILE *data, struct line *line)
{
        char text[FIGURE_MAP_LINE_SIZE], *word[FIGURE_MAP_WORDS];
        int nline = 0;
        for (int n; (n = figure_map_read(data, text, word)) >= 0;) {
                if (n == 1 && nline < LINES_READ) {
                        line[nline] = (struct line){ .count = 0 };
                        snprintf(line[nline++].name, FIGURE_WORDS_SIZE, "%s", word[0]);
                } else if (n == COLUMNS && nline > 0) {
                        add_point(&line[nline - 1], word);
                }
        }
        return nline > 0 && line[nline - 1].count == 0 ? nline - 1 : nline; /* "published" */
}

/* Is b what a is, not packed? */
static bool not_packed(const struct line *a, const struct line *b)
{
        const char *packed = strstr(a->name, "packed "), *not = strstr(b->name, "not packed");
        if (!packed || !not || packed - a->name != not -b->name || a->count != b->count)
                return false;
        const char *rest = strchr(packed, ','), *other = strchr(not, ',');
        return strncmp(a->name, b->name, (size_t)(packed - a->name)) == 0 &&
               strcmp(rest ? rest : "", other ? other : "") == 0;
}

static void put_line(const struct line *all, int nline, const struct line *line,
                     char text[static FIGURE_VERDICT_SIZE])
{
        lb_text_add(text, FIGURE_VERDICT_SIZE, "%.80s: ", line->name);
        if (line->freed_least < line->freed_most)
                lb_text_add(text, FIGURE_VERDICT_SIZE, "%.3g to ", 100 * line->freed_least);
        lb_text_add(text, FIGURE_VERDICT_SIZE, "%.3g %%", 100 * line->freed_most);
        for (int i = 0; i < nline; i++)
                if (not_packed(line, &all[i]))
                        lb_text_add(text, FIGURE_VERDICT_SIZE,
                                    ", in %.3g of the time with %.3g of the energy",
                                    exp((line->time_logs - all[i].time_logs) / line->count),
                                    exp((line->energy_logs - all[i].energy_logs) / line->count));
}

static void put_verdict(FILE *data, char text[static FIGURE_VERDICT_SIZE])
{
        struct line line[LINES_READ];
        int nline = read_lines(data, line);
        const struct line *most = NULL, *fewest = NULL;
        for (int i = 0; i < nline; i++) {
                if (!(line[i].freed > 0))
                        continue;
                most = most && line[i].freed <= most->freed ? most : &line[i];
                fewest = fewest && line[i].freed >= fewest->freed ? fewest : &line[i];
        }
        if (!most)
                return;
        snprintf(text, FIGURE_VERDICT_SIZE, "Most CPUs of the fastest nodes are freed ");
        put_line(line, nline, most, text);
        if (fewest->freed < most->freed) {
                lb_text_add(text, FIGURE_VERDICT_SIZE, "; fewest ");
                put_line(line, nline, fewest, text);
        }
        lb_text_add(text, FIGURE_VERDICT_SIZE, ".");
}

const struct figure_type figure_packing = {
        .name = "packing",
        .names_model = true,
        .place = "node count and what else is swept",
        .refuse = refuse,
        .write = write_data,
        .verdict = put_verdict,
};
