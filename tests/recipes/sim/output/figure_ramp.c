/* SPDX-License-Identifier: BSD-3-Clause */
/* The worked example of a figure (CONTRIBUTING.md): time over the bound of every system
 * (plots/ramp.gp). */
#include <string.h>

#include "sim/output/figure_impl.h"

static bool same_system(const struct figure_row *a, const struct figure_row *b)
{
        return strcmp(a->system, b->system) == 0;
}

static void write_data(FILE *out, const struct figure_input *input)
{
        fprintf(out, "# system nodes ratio_to_optimal low high\n");
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                fprintf(out, "\"%s\" %d", r->system, r->nodes);
                figure_put_interval(out, r->ratio);
                fputc('\n', out);
        }
}

const struct figure_type figure_ramp = {
        .name = "ramp",
        .same_place = same_system,
        .place = "node count and system",
        .write = write_data,
};
