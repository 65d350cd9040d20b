/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the global policy's memory must be: time over its length, a line per kind
 * (plots/estimator.gp). */
#include "sim/output/figure_impl.h"

static void write_data(FILE *out, const struct figure_input *input)
{
        const struct figure_rows *rows = input->rows;
        fprintf(out, "# nodes kind average_s time_s optimal_s low_s high_s (kind 0: window, 1: "
                     "exponential)\n");
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                fprintf(out, "%d %d %.10g %.10g %.10g %.10g %.10g\n", r->nodes, r->average_kind,
                        r->average_s, r->time_s.mean, r->optimal_s, r->time_s.low, r->time_s.high);
        }
}

static bool same_average(const struct figure_row *a, const struct figure_row *b)
{
        return a->nodes == b->nodes && a->average_kind == b->average_kind &&
               !(a->average_s < b->average_s) && !(a->average_s > b->average_s);
}

const struct figure_type figure_estimator = {
        .name = "estimator",
        .same_place = same_average,
        .place = "node count, kind and length of the average",
        .write = write_data,
};
