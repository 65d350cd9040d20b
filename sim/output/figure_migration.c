/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What migration gains over the first value that is swept outside of the section "system": time,
 * speedup over `baseline` and migrated tasks (CHAMELEON paper, Figures 2 to 9 and Table 1). A line
 * for each combination of what else is swept; of what moves together with that value, as the size
 * of tasks with the number of nodes, only what is of the platform makes another line.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"

/* The column on the x axis, or -1. */
static int32_t axis_of(const struct scenario *scenario)
{
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                if (!figure_of_system(scenario_column(scenario, c)))
                        return c;
        return -1;
}

/* Does a column's value tell lines apart? How tasks migrate says nothing of a system where none do.
 */
static bool is_of_line(const struct scenario *scenario, int32_t column, int32_t axis, bool still)
{
        const char *path = scenario_column(scenario, column);
        if (figure_of_system(path))
                return !still || strcmp(path, "system.name") == 0;
        return column != axis && (strncmp(path, "platform.", strlen("platform.")) == 0 ||
                                  !scenario_columns_tied(scenario, column, axis));
}

/* The line of a point. */
static void put_label(const struct scenario *scenario, const struct figure_row *row, int32_t axis,
                      char label[static FIGURE_WORDS_SIZE])
{
        bool still = strcmp(row->system, "baseline") == 0;
        label[0] = '\0';
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                char words[FIGURE_WORDS_SIZE];
                if (!is_of_line(scenario, c, axis, still))
                        continue;
                figure_value_words(scenario_column(scenario, c),
                                   scenario_point_text(scenario, row->point, c), words);
                figure_add_words(label, words);
        }
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        int32_t axis = axis_of(scenario);
        double number;
        if (axis < 0 || !lb_number_is(scenario_point_text(scenario, 0, axis), &number))
                snprintf(why, size, "no number outside of \"system\" is swept first");
        else if (!figure_rows_have(rows, "baseline"))
                snprintf(why, size, "system baseline is not in sweep");
        else
                return false;
        return true;
}

static int32_t iterations(const struct sweep *sweep, int64_t point)
{
        return sweep->result[sweep_place(sweep, point, 0)].niteration;
}

/* The row of `baseline` with the same values outside of "system". */
static const struct figure_row *baseline_of(const struct figure_input *input, int64_t point)
{
        const struct scenario *scenario = input->sweep->scenario;
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                bool same = strcmp(r->system, "baseline") == 0;
                for (int32_t c = 0; same && c < scenario_ncolumn(scenario); c++)
                        same = figure_of_system(scenario_column(scenario, c)) ||
                               strcmp(scenario_point_text(scenario, r->point, c),
                                      scenario_point_text(scenario, point, c)) == 0;
                if (same)
                        return r;
        }
        return NULL;
}

static struct interval scaled(struct interval interval, double factor)
{
        interval.mean *= factor;
        interval.low *= factor;
        interval.high *= factor;
        return interval;
}

static void write_point(FILE *out, const struct figure_input *input, int64_t point, int32_t axis)
{
        const struct sweep *sweep = input->sweep;
        const struct figure_row *baseline = baseline_of(input, point);
        double part = 1.0 / iterations(sweep, point);
        int64_t against = baseline ? baseline->point : point;
        struct interval moved = figure_interval(sweep, point, METRIC_OFFLOADED_FRACTION);
        fputs(scenario_point_text(sweep->scenario, point, axis), out);
        figure_put_interval(out, scaled(figure_interval(sweep, point, METRIC_TOTAL_S), part));
        figure_put_interval(out, figure_quotient(sweep, METRIC_TOTAL_S, against, point));
        figure_put_interval(out,
                            scaled(moved, part * figure_interval(sweep, point, METRIC_TASKS).mean));
        fputc('\n', out);
}

/* Is a row's line written with an earlier row? */
static bool is_known(const struct figure_input *input, int64_t row, int32_t axis,
                     const char *wanted)
{
        char label[FIGURE_WORDS_SIZE];
        for (int64_t i = 0; i < row; i++) {
                put_label(input->sweep->scenario, &input->rows->row[i], axis, label);
                if (strcmp(label, wanted) == 0)
                        return true;
        }
        return false;
}

struct place {
        double x;
        int64_t row;
};

static int by_x(const void *a, const void *b)
{
        const struct place *p = a, *q = b;
        return p->x < q->x || p->x > q->x ? (p->x > q->x) - (p->x < q->x)
                                          : (p->row > q->row) - (p->row < q->row);
}

/* The rows from left to right, whatever order the sweep has; NULL out of memory. */
static struct place *places_of(const struct figure_input *input, int32_t axis)
{
        const struct scenario *scenario = input->sweep->scenario;
        int64_t count = input->rows->nrow;
        struct place *place = calloc((size_t)count + 1, sizeof(*place));
        for (int64_t i = 0; place && i < count; i++) {
                const char *x = scenario_point_text(scenario, input->rows->row[i].point, axis);
                place[i] = (struct place){ strtod(x, NULL), i };
        }
        if (place)
                qsort(place, (size_t)count, sizeof(*place), by_x);
        return place;
}

/* The points of a line, one for each x: a baseline is there once for every way of migrating. */
static void write_line(FILE *out, const struct figure_input *input, const struct place *place,
                       int32_t axis, const char *label)
{
        const struct scenario *scenario = input->sweep->scenario;
        const char *written = "";
        for (int64_t j = 0; j < input->rows->nrow; j++) {
                char other[FIGURE_WORDS_SIZE];
                const struct figure_row *row = &input->rows->row[place[j].row];
                const char *x = scenario_point_text(scenario, row->point, axis);
                put_label(scenario, row, axis, other);
                if (strcmp(other, label) != 0 || strcmp(x, written) == 0)
                        continue;
                write_point(out, input, row->point, axis);
                written = x;
        }
}

/* One block per line, headed by the x axis, the system and the line. */
static void write_data(FILE *out, const struct figure_input *input)
{
        const struct scenario *scenario = input->sweep->scenario;
        int32_t axis = axis_of(scenario);
        char words[FIGURE_WORDS_SIZE];
        figure_axis_words(scenario_column(scenario, axis), words);
        fprintf(out, "# x time_s low high speedup low high migrated_tasks low high, of an "
                     "iteration; heads: path of x, its words, system, line\n");
        struct place *place = places_of(input, axis);
        bool first = true;
        for (int64_t i = 0; place && i < input->rows->nrow; i++) {
                char label[FIGURE_WORDS_SIZE];
                put_label(scenario, &input->rows->row[i], axis, label);
                if (is_known(input, i, axis, label))
                        continue;
                fprintf(out, "%s\"%s|%s|%s|%s\"\n", first ? "" : "\n\n",
                        scenario_column(scenario, axis), words, input->rows->row[i].system, label);
                first = false;
                write_line(out, input, place, axis, label);
        }
        free(place);
}

const struct figure_type figure_migration = {
        .name = "migration",
        .names_model = true,
        .place = "all that is swept",
        .refuse = refuse,
        .write = write_data,
};
