/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

static bool is_of(const struct published_row *row, const char *name)
{
        size_t length = strlen(name);
        const char *file = row->run.scenario;
        if (strncmp(file, name, length) != 0 || strcmp(file + length, ".json") != 0)
                return false;
        for (int32_t i = 0; i < row->run.nset; i++)
                if (strncmp(row->run.set[i], "system.as=", strlen("system.as=")) == 0)
                        return false;
        return true;
}

static int open_rows(struct figure_rows *rows, const char *file, const struct published_run *run,
                     struct lb_error *err)
{
        struct scenario scenario;
        struct scenario_options options = { .set = run->set, .nset = run->nset };
        if (scenario_open(&scenario, file, &options, err) < 0)
                return -1;
        int status = figure_rows_init(rows, &scenario, NULL, err);
        scenario_close(&scenario);
        return status;
}

static int add_mark(struct figure_marks *marks, const char *file, const struct published_row *row,
                    struct lb_error *err)
{
        struct figure_mark *mark = &marks->mark[marks->nmark++];
        mark->row = row;
        if (open_rows(&mark->at, file, &row->run, err) < 0)
                return -1;
        return row->as == AS_VALUE ? 0 : open_rows(&mark->against, file, &row->against, err);
}

static int add_marks(struct figure_marks *marks, const char *name, struct lb_error *err)
{
        char file[LB_DATA_PATH_SIZE], base[256];
        const struct published *published = &marks->published;
        snprintf(base, sizeof(base), "%s.json", name);
        if (!lb_data_find("scenarios", base, file))
                return 0;
        marks->mark = calloc((size_t)published->nrow, sizeof(*marks->mark));
        if (!marks->mark)
                return lb_error_fail(err, "out of memory for the figure");
        for (int32_t i = 0; i < published->nrow; i++) {
                const struct published_row *row = &published->row[i];
                if (row->claim != CLAIM_WITHHELD && is_of(row, name) &&
                    add_mark(marks, file, row, err) < 0)
                        return -1;
        }
        return 0;
}

int figure_marks_init(struct figure_marks *marks, const struct scenario *scenario,
                      struct lb_error *err)
{
        char file[LB_DATA_PATH_SIZE];
        *marks = (struct figure_marks){ 0 };
        if (!scenario->name || !lb_data_find("scenarios", "published.json", file))
                return 0;
        if (published_open(&marks->published, file, err) == 0 &&
            add_marks(marks, scenario->name, err) == 0)
                return 0;
        figure_marks_finish(marks);
        return -1;
}

void figure_marks_finish(struct figure_marks *marks)
{
        for (int32_t i = 0; i < marks->nmark; i++) {
                figure_rows_finish(&marks->mark[i].at);
                figure_rows_finish(&marks->mark[i].against);
        }
        free(marks->mark);
        published_close(&marks->published);
        *marks = (struct figure_marks){ 0 };
}

static bool same_spot(const struct figure_row *a, const struct figure_row *b)
{
        return a->work == b->work && a->degree == b->degree && a->lewi == b->lewi &&
               a->drom == b->drom && strcmp(a->system, b->system) == 0;
}

const struct figure_row *figure_rows_find(const struct figure_rows *rows,
                                          const struct figure_row *like)
{
        for (int64_t i = 0; i < rows->nrow; i++)
                if (same_spot(&rows->row[i], like))
                        return &rows->row[i];
        return NULL;
}
