/* SPDX-License-Identifier: BSD-3-Clause */
/* Time over nodes, as Figures 6 and 7 of papers/ompss2-cluster-dlb: no DLB, DLB alone, degrees. */
#include <string.h>

#include "sim/figure_impl.h"

/* The line of a row in a system's figure: 0 without DLB, 1 with DLB alone, else the degree; -1: of
 * another figure. */
static int32_t line_of(const struct figure_rows *rows, const struct figure_row *row,
                       const char *system)
{
        if (strcmp(row->system, "baseline") == 0)
                return 0;
        if (strcmp(row->system, "dlb") == 0)
                return 1;
        bool own = strcmp(row->system, system) == 0;
        return own && (row->degree > 1 || !figure_rows_have(rows, "dlb")) ? row->degree : -1;
}

void figure_write_weak_scaling(FILE *out, const struct figure_input *input)
{
        fprintf(out, "# appranks_per_node nodes line time_s optimal_s (line 0: no DLB, 1: DLB "
                     "alone, else the degree)\n");
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                int32_t line = line_of(input->rows, r, input->system);
                if (line >= 0)
                        fprintf(out, "%d %d %d %.10g %.10g\n", r->appranks_per_node, r->nodes, line,
                                r->time_s, r->optimal_s);
        }
}
