/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/param.h"
#include "base/text.h"
#include "models/taskgraph.h"

/* Task graphs from CSV files: a row is checked and added, one after the other. */

enum column { ITERATION, APPRANK, SECONDS, BYTES, STAYS, PRIORITY, WITHIN, AFTER, NCOLUMN };

static const struct lb_param columns[] = {
        [ITERATION] = { .name = "iteration",
                        .type = LB_PARAM_INTEGER,
                        .max = TASKGRAPH_ITERATION_MAX - 1,
                        .help = "iteration, from 0; without the column all are alike" },
        [APPRANK] = { .name = "apprank",
                      .type = LB_PARAM_INTEGER,
                      .max = TASKGRAPH_APPRANK_MAX - 1,
                      .help = "apprank, from 0" },
        [SECONDS] = { .name = "seconds",
                      .unit = "s",
                      .type = LB_PARAM_NUMBER,
                      .max = 3600,
                      .help = "duration on a core of speed 1" },
        [BYTES] = { .name = "bytes",
                    .type = LB_PARAM_INTEGER,
                    .max = 1e12,
                    .help = "data that moves when the task runs elsewhere" },
        [STAYS] = { .name = "stays",
                    .type = LB_PARAM_INTEGER,
                    .max = 1,
                    .help =
                        "1: it runs at its apprank's home alone; without the column none does" },
        [PRIORITY] = { .name = "priority",
                       .type = LB_PARAM_INTEGER,
                       .min = INT32_MIN,
                       .max = INT32_MAX,
                       .help = "higher begins earlier; without the column all are equal" },
        [WITHIN] = { .name = "within",
                     .type = LB_PARAM_INTEGER,
                     .max = TASKGRAPH_TASK_MAX,
                     .help = "the task of the same apprank where it runs, as a part of it or its "
                             "child; without the column, and where it is empty, by itself" },
        [AFTER] = { .name = "after", .help = "tasks of the same apprank that must have finished" },
        [NCOLUMN] = { .name = NULL },
};

struct reader {
        const char *file;
        struct lb_csv csv;
        int32_t place[NCOLUMN]; /* in the file; those that `may_be_missing`: -1 */
        struct taskgraph *graph;
        int32_t niteration, napprank;
        int32_t *after; /* [size] of the row at hand */
        int32_t size, nafter;
};

/* Complain about a cell of row 0 .., at a character of it. Lines with quotes are as good as others,
 * but the column is then counted without them. */
static int complain(const struct reader *r, int64_t row, enum column column, const char *at,
                    struct lb_error *err, const char *format, ...) LB_PRINTF(6, 7);
static int complain(const struct reader *r, int64_t row, enum column column, const char *at,
                    struct lb_error *err, const char *format, ...)
{
        char text[512];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        return lb_error_set(err, "%.300s:%lld:%d: %s: %s", r->file, (long long)row + 2,
                            (int)(at - lb_csv_cell(&r->csv, row, 0)) + 1, columns[column].name,
                            text);
}

static bool may_be_missing(enum column column)
{
        return column == ITERATION || column == STAYS || column == PRIORITY || column == WITHIN;
}

static int find_columns(struct reader *r, struct lb_error *err)
{
        for (int c = 0; c < NCOLUMN; c++) {
                r->place[c] = lb_csv_column(&r->csv, columns[c].name);
                if (r->place[c] < 0 && !may_be_missing((enum column)c))
                        return lb_error_set(err,
                                            "%.300s:1:1: found no column \"%s\", allowed is a "
                                            "header with apprank, seconds, bytes and after, and "
                                            "iteration where these differ",
                                            r->file, columns[c].name);
        }
        if (r->csv.nrow == 0)
                return lb_error_set(err, "%.300s: found no rows, allowed is at least one", r->file);
        if (r->csv.nrow > TASKGRAPH_TASK_MAX)
                return lb_error_set(err, "%.300s:%d:1: found more tasks, allowed are at most %d",
                                    r->file, TASKGRAPH_TASK_MAX + 2, TASKGRAPH_TASK_MAX);
        return 0;
}

static int read_number(const struct reader *r, int64_t row, enum column column, double *value,
                       struct lb_error *err)
{
        struct lb_error why;
        *value = 0;
        if (r->place[column] < 0)
                return 0;
        const char *text = lb_csv_cell(&r->csv, row, r->place[column]);
        if (lb_param_parse(&columns[column], text, value, &why) == 0)
                return 0;
        return complain(r, row, column, text, err, "%s", why.text);
}

/* How many iterations and appranks there are, for all memory that is by these. */
static int count_parts(struct reader *r, struct lb_error *err)
{
        double iteration, apprank;
        for (int64_t row = 0; row < r->csv.nrow; row++) {
                if (read_number(r, row, ITERATION, &iteration, err) < 0 ||
                    read_number(r, row, APPRANK, &apprank, err) < 0)
                        return -1;
                if (iteration >= r->niteration)
                        r->niteration = (int32_t)iteration + 1;
                if (apprank >= r->napprank)
                        r->napprank = (int32_t)apprank + 1;
        }
        double parts = (double)r->niteration * r->napprank;
        if (parts > TASKGRAPH_PART_MAX)
                return lb_error_set(err,
                                    "%.300s: found %d iterations of %d appranks, allowed are at "
                                    "most %d of both together",
                                    r->file, r->niteration, r->napprank, TASKGRAPH_PART_MAX);
        return 0;
}

/* The first iteration that has no task, or -1: all have; found[rows + 1] is the caller's. */
static int32_t find_gap(const struct reader *r, bool *found)
{
        double iteration;
        struct lb_error err;
        int32_t gap = 0;
        for (int64_t row = 0; row < r->csv.nrow; row++)
                if (read_number(r, row, ITERATION, &iteration, &err) == 0 &&
                    iteration < (double)r->csv.nrow)
                        found[(int32_t)iteration] = true;
        while (found[gap])
                gap++;
        return gap < r->niteration ? gap : -1;
}

/* One without tasks would be lost at the end of a file: it is refused wherever it is. */
static int check_gaps(const struct reader *r, struct lb_error *err)
{
        double iteration = 0;
        int64_t row = 0;
        bool *found = calloc((size_t)r->csv.nrow + 1, sizeof(*found));
        if (!found)
                return lb_error_fail(err, "out of memory for '%.300s'", r->file);
        int32_t gap = find_gap(r, found);
        free(found);
        if (gap < 0)
                return 0;
        while (read_number(r, row, ITERATION, &iteration, err) == 0 && iteration < gap)
                row++;
        return complain(r, row, ITERATION, lb_csv_cell(&r->csv, row, r->place[ITERATION]), err,
                        "found %.0f, but no task in iteration %d; each of 0 to %d needs one, of 0 "
                        "seconds where there is nothing to do",
                        iteration, gap, r->niteration - 1);
}

static int keep(struct reader *r, int32_t task, struct lb_error *err)
{
        if (r->nafter == r->size) {
                int32_t size = r->size ? 2 * r->size : 16;
                int32_t *larger = realloc(r->after, (size_t)size * sizeof(*larger));
                if (!larger)
                        return lb_error_fail(err, "out of memory for '%.300s'", r->file);
                r->after = larger;
                r->size = size;
        }
        r->after[r->nafter++] = task;
        return 0;
}

/* The numbers in a cell, separated by spaces, each smaller than the task's own. */
static int read_after(struct reader *r, int64_t row, int32_t own, struct lb_error *err)
{
        const char *at = lb_csv_cell(&r->csv, row, r->place[AFTER]);
        r->nafter = 0;
        for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
                char *end = NULL;
                size_t length = strcspn(at, " ");
                errno = 0;
                long task = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
                if (end != at + length)
                        return complain(r, row, AFTER, at, err,
                                        "found \"%.*s\", allowed are numbers of tasks, separated "
                                        "by spaces",
                                        length < 60 ? (int)length : 60, at);
                if (errno || task >= own)
                        return complain(r, row, AFTER, at, err,
                                        "found task %.*s, allowed are earlier tasks of the same "
                                        "apprank%s, which are numbered from 0; this one is %d",
                                        length < 60 ? (int)length : 60, at,
                                        r->place[ITERATION] < 0 ? "" : " and iteration", own);
                if (keep(r, (int32_t)task, err) < 0)
                        return -1;
                at = end;
        }
        return 0;
}

/* Who is within the whole that is this task and those within it? */
static bool is_inside(const struct taskgraph_part *part, int32_t task, int32_t whole)
{
        return task == whole || taskgraph_within(part, task) == whole;
}

/* Where the task is within another, so are all that it comes after; who is within a task that is
 * within a third is within that one. */
static int read_within(const struct reader *r, int64_t row, const struct taskgraph_part *part,
                       int32_t *within, struct lb_error *err)
{
        double value;
        *within = TASKGRAPH_NONE;
        if (r->place[WITHIN] < 0)
                return 0;
        const char *at = lb_csv_cell(&r->csv, row, r->place[WITHIN]);
        if (!*at)
                return 0;
        if (read_number(r, row, WITHIN, &value, err) < 0)
                return -1;
        if (value >= part->ntask)
                return complain(r, row, WITHIN, at, err,
                                "found task %.0f, allowed are earlier tasks; this one is %d", value,
                                part->ntask);
        int32_t whole = taskgraph_within(part, (int32_t)value);
        *within = whole == TASKGRAPH_NONE ? (int32_t)value : whole;
        for (int32_t i = 0; i < r->nafter; i++)
                if (!is_inside(part, r->after[i], *within))
                        return complain(
                            r, row, WITHIN, at, err,
                            "found task %.0f, but this one comes after task %d; allowed "
                            "is after task %d, or tasks within that one",
                            value, r->after[i], *within);
        if (r->nafter == 0)
                return complain(r, row, WITHIN, at, err,
                                "found task %.0f, but this one comes after no task; allowed is "
                                "after task %d, or tasks within that one",
                                value, *within);
        return 0;
}

static int read_row(struct reader *r, int64_t row, struct lb_error *err)
{
        double value[WITHIN];
        int32_t within;
        for (int c = 0; c < WITHIN; c++)
                if (read_number(r, row, (enum column)c, &value[c], err) < 0)
                        return -1;
        int32_t iteration = (int32_t)value[ITERATION], apprank = (int32_t)value[APPRANK];
        const struct taskgraph_part *part = taskgraph_part(r->graph, iteration, apprank);
        if (read_after(r, row, part->ntask, err) < 0 || read_within(r, row, part, &within, err) < 0)
                return -1;
        return taskgraph_add(r->graph, iteration, apprank,
                             &(struct taskgraph_task){ .task_ns = llround(value[SECONDS] * 1e9),
                                                       .bytes = (int64_t)value[BYTES],
                                                       .stays = value[STAYS] > 0,
                                                       .priority = (int32_t)value[PRIORITY],
                                                       .within = within + 1,
                                                       .after = r->after,
                                                       .nafter = r->nafter },
                             err);
}

static int check_work(const struct reader *r, struct lb_error *err)
{
        for (int32_t i = 0; i < r->niteration; i++)
                for (int32_t a = 0; a < r->napprank; a++)
                        if (taskgraph_part(r->graph, i, a)->work_ns > 0)
                                return 0;
        return lb_error_set(err, "%.300s: found no work in any row, allowed is some", r->file);
}

static int read_all(struct reader *r, struct lb_error *err)
{
        if (find_columns(r, err) < 0 || count_parts(r, err) < 0 || check_gaps(r, err) < 0)
                return -1;
        r->graph = taskgraph_create(r->niteration, r->napprank, err);
        if (!r->graph)
                return -1;
        for (int64_t row = 0; row < r->csv.nrow; row++)
                if (read_row(r, row, err) < 0)
                        return -1;
        return taskgraph_close(r->graph, err) < 0 ? -1 : check_work(r, err);
}

struct taskgraph *taskgraph_read(const char *file, struct lb_error *err)
{
        struct reader reader = { .file = file };
        if (lb_csv_open(&reader.csv, file, err) < 0)
                return NULL;
        int status = read_all(&reader, err);
        lb_csv_close(&reader.csv);
        free(reader.after);
        if (status == 0)
                return reader.graph;
        taskgraph_destroy(reader.graph);
        return NULL;
}

bool taskgraph_is_file(const char *file)
{
        char text[256], *rest = NULL;
        bool found = false;
        FILE *in = fopen(file, "r");
        if (in)
                lb_text_skip_mark(in);
        if (in && fgets(text, sizeof(text), in))
                for (char *name = strtok_r(text, "\",\r\n", &rest); name && !found;
                     name = strtok_r(NULL, "\",\r\n", &rest))
                        found = strcmp(name, "seconds") == 0 || strcmp(name, "after") == 0;
        if (in)
                fclose(in);
        return found;
}
