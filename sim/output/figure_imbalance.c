/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time per iteration over imbalance, as Figures 8 and 10 of ICPP'22, with its interval; and, as a
 * second block of data, up to which time the paper claims its lines to go.
 */
#include <string.h>

#include "sim/output/figure_impl.h"

/* The line of degree 1 is the baseline's where that was run. */
static bool belongs(const struct figure_input *input, const struct figure_row *row)
{
        if (strcmp(row->system, input->system) == 0)
                return row->degree > 1 || !figure_rows_have(input->rows, "baseline");
        return strcmp(row->system, "baseline") == 0;
}

static double imbalance_of(const struct figure_row *row)
{
        return row->imbalance;
}

/* To the left where the slow node has least work, to the right where it has most. */
static double side_of(const struct figure_row *row)
{
        return (row->imbalance - 1) * (row->slow_least ? -1 : 1);
}

static const char head[] = "\n\n# published: nodes degree x at_most_s reading (1: the text has "
                           "words, the number is ours)\n";

/* The published limit at each of the mark's points that the figure has: a line of its own. */
static bool write_limit(FILE *out, const struct figure_input *input, const struct figure_mark *mark,
                        double (*x)(const struct figure_row *row), bool any)
{
        const struct published_row *row = mark->row;
        bool limit = row->claim == CLAIM_AT_MOST && row->as == AS_VALUE &&
                     row->metric == METRIC_RATIO_TO_OPTIMAL;
        const char *before = any ? "\n" : head;
        for (int64_t i = 0; limit && i < mark->at.nrow; i++) {
                const struct figure_row *r = figure_rows_find(input->rows, &mark->at.row[i]);
                if (!r || !belongs(input, r))
                        continue;
                fprintf(out, "%s%d %d %.10g %.10g %d\n", before, r->nodes, r->degree, x(r),
                        row->value * r->optimal_s, row->reading != NULL);
                before = "";
                any = true;
        }
        return any;
}

static void write_limits(FILE *out, const struct figure_input *input,
                         double (*x)(const struct figure_row *row))
{
        bool any = false;
        for (int32_t i = 0; i < input->marks->nmark; i++)
                any = write_limit(out, input, &input->marks->mark[i], x, any);
}

static void write_row(FILE *out, const struct figure_row *r, double x)
{
        fprintf(out, "%d %d %.10g %.10g %.10g %.10g %.10g\n", r->nodes, r->degree, x,
                r->time_s.mean, r->optimal_s, r->time_s.low, r->time_s.high);
}

static void write_imbalance(FILE *out, const struct figure_input *input)
{
        fprintf(out, "# nodes degree imbalance time_s optimal_s low_s high_s\n");
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                if (belongs(input, r))
                        write_row(out, r, r->imbalance);
        }
        write_limits(out, input, imbalance_of);
}

static void write_slow_node(FILE *out, const struct figure_input *input)
{
        const struct figure_rows *rows = input->rows;
        fprintf(out, "# nodes degree x time_s optimal_s low_s high_s; x is imbalance - 1, negative "
                     "where the "
                     "slow node has least work\n");
        for (int64_t i = rows->nrow - 1; i >= 0; i--)
                if (rows->row[i].slow_least && belongs(input, &rows->row[i]))
                        write_row(out, &rows->row[i], side_of(&rows->row[i]));
        for (int64_t i = 0; i < rows->nrow; i++)
                if (!rows->row[i].slow_least && belongs(input, &rows->row[i]))
                        write_row(out, &rows->row[i], side_of(&rows->row[i]));
        write_limits(out, input, side_of);
}

static bool same_on_line(const struct figure_row *a, const struct figure_row *b)
{
        return figure_same_imbalance(a, b) && a->degree == b->degree &&
               a->slow_least == b->slow_least && strcmp(a->system, b->system) == 0;
}

const struct figure_type figure_imbalance_sweep = {
        .name = "imbalance_sweep",
        .axis = "workload.imbalance",
        .same_place = same_on_line,
        .place = "node count, imbalance, degree and system",
        .write = write_imbalance,
};

const struct figure_type figure_slow_node = {
        .name = "slow_node",
        .axis = "workload.imbalance",
        .needs_slow = true,
        .same_place = same_on_line,
        .place = "node count, imbalance, work of the slow node, degree and system",
        .write = write_slow_node,
};
