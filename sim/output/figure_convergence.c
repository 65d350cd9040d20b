/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node imbalance over time, as Figure 11 of ICPP'22: a block of data per point,
 * of its first replicate.
 */
#include "sim/output/figure_impl.h"

const char *figure_switches(const struct figure_row *r)
{
        static const char *const words[] = { "neither LeWI nor DROM", "LeWI only", "DROM only",
                                             "LeWI and DROM" };
        return words[(r->drom ? 2 : 0) + (r->lewi ? 1 : 0)];
}

/* What was published of the imbalance at the end, into *value. */
static bool published(const struct figure_input *input, const struct figure_row *row, double *value)
{
        for (int32_t i = 0; i < input->marks->nmark; i++) {
                const struct figure_mark *mark = &input->marks->mark[i];
                if (mark->row->metric != METRIC_STEADY_NODE_IMBALANCE ||
                    mark->row->as != AS_VALUE || mark->row->claim != CLAIM_ABOUT ||
                    !figure_rows_find(&mark->at, row))
                        continue;
                *value = mark->row->value;
                return true;
        }
        return false;
}

/* Headed "NODES IMBALANCE|SYSTEM|SWITCHES|PUBLISHED", the last where it is known. */
static void write_head(FILE *out, const struct figure_input *input, const struct figure_row *r)
{
        double value;
        fprintf(out, "\"%d %.4g|%s|%s", r->nodes, r->imbalance, r->system, figure_switches(r));
        if (published(input, r, &value))
                fprintf(out, "|%.4g", value);
        fputs("\"\n", out);
}

static void write_data(FILE *out, const struct figure_input *input)
{
        const struct figure_rows *rows = input->rows;
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                const struct sim_series *series =
                    &input->sweep->result[sweep_place(input->sweep, r->point, 0)].series;
                fputs(i ? "\n\n" : "", out);
                write_head(out, input, r);
                for (int32_t s = 0; s < series->nsample; s++)
                        fprintf(out, "%.10g %.10g\n", (s + 1) * series->interval_s,
                                series->node_imbalance[s]);
        }
}

static bool same_head(const struct figure_row *a, const struct figure_row *b)
{
        return figure_same_imbalance(a, b) && figure_same_label(a, b);
}

const struct figure_type figure_convergence = {
        .name = "convergence",
        .needs_series = true,
        .same_place = same_head,
        .place = "node count, imbalance, system and its switches",
        .write = write_data,
};
