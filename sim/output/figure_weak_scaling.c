/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time over the number of nodes, as Figures 6 and 7 of ICPP'22; and, as a second
 * block of data, what the published reductions make of the simulated time that they refer to.
 */
#include <string.h>

#include "sim/output/figure_impl.h"

/* 0 without DLB, 1 with DLB alone, else the degree. */
static int32_t line_of(const struct figure_row *row)
{
        return strcmp(row->system, "baseline") == 0 ? 0 : row->degree;
}

/* Is the row in a system's figure: its own, or one that does not offload? */
static bool belongs(const struct figure_input *input, const struct figure_row *row)
{
        if (strcmp(row->system, "baseline") == 0 || strcmp(row->system, "dlb") == 0)
                return true;
        bool own = strcmp(row->system, input->system) == 0;
        return own && (row->degree > 1 || !figure_rows_have(input->rows, "dlb"));
}

/* A reduction of one point's time against another's, both in the figure. */
static bool write_mark(FILE *out, const struct figure_input *input, const struct figure_mark *mark,
                       bool any)
{
        const struct published_row *row = mark->row;
        if (row->as != AS_REDUCTION || row->claim != CLAIM_ABOUT ||
            row->metric != METRIC_TIME_PER_ITERATION_S || mark->at.nrow != 1 ||
            mark->against.nrow != 1)
                return any;
        const struct figure_row *at = figure_rows_find(input->rows, &mark->at.row[0]);
        const struct figure_row *reference = figure_rows_find(input->rows, &mark->against.row[0]);
        if (!at || !reference || !belongs(input, at))
                return any;
        if (!any)
                fprintf(out, "\n\n# published: appranks_per_node nodes line time_s\n");
        fprintf(out, "%d %d %d %.10g\n", at->appranks_per_node, at->nodes, line_of(at),
                reference->time_s.mean * (1 - row->value));
        return true;
}

static void write_data(FILE *out, const struct figure_input *input)
{
        fprintf(
            out,
            "# appranks_per_node nodes line time_s optimal_s low_s high_s (line 0: no DLB, 1: DLB "
            "alone, else the degree)\n");
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                if (belongs(input, r))
                        fprintf(out, "%d %d %d %.10g %.10g %.10g %.10g\n", r->appranks_per_node,
                                r->nodes, line_of(r), r->time_s.mean, r->optimal_s, r->time_s.low,
                                r->time_s.high);
        }
        bool any = false;
        for (int32_t i = 0; i < input->marks->nmark; i++)
                any = write_mark(out, input, &input->marks->mark[i], any);
}

static bool same_scale(const struct figure_row *a, const struct figure_row *b)
{
        return a->degree == b->degree && a->appranks_per_node == b->appranks_per_node &&
               strcmp(a->system, b->system) == 0;
}

const struct figure_type figure_weak_scaling = {
        .name = "weak_scaling",
        .axis = "platform.nodes",
        .names_model = true,
        .same_place = same_scale,
        .place = "node count, appranks per node, degree and system",
        .write = write_data,
};
