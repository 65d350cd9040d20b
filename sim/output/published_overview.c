/* SPDX-License-Identifier: BSD-3-Clause */
/* All numeric rows at one look: published against simulated. */
#include <math.h>

#include "base/file.h"
#include "sim/output/figure_gnuplot.h"
#include "sim/output/published_report.h"

/* A row that has a number, and one that a logarithmic axis can show. */
static bool is_shown(const struct report *r, int32_t i)
{
        const struct published_row *row = &r->published->row[i];
        return r->wanted[i] && row->claim == CLAIM_ABOUT && row->value > 0 &&
               r->result[i].value > 0;
}

/* "published simulated verdict (0 agrees, 1 differs) state paper". */
static void write_rows(const struct report *r, FILE *out)
{
        for (int32_t i = 0; i < r->published->nrow; i++) {
                const struct published_row *row = &r->published->row[i];
                if (is_shown(r, i))
                        fprintf(out, "%.6g %.6g %d %d %s\n", row->value, r->result[i].value,
                                published_judge(row, &r->result[i]) == VERDICT_DIFFERS,
                                r->result[i].as, row->paper);
        }
}

int report_overview(const struct report *r, const char *directory, FILE *notes,
                    struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        struct lb_file file;
        if (lb_path(path, err, "%s/overview.dat", directory) < 0)
                return -1;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        write_rows(r, file.stream);
        int status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        if (status == 0)
                gnuplot_draw(&(struct gnuplot_job){ .script = "overview",
                                                    .directory = directory,
                                                    .file = "overview",
                                                    .word = "" },
                             notes);
        return status;
}
