/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/trace.h"

#include <assert.h>
#include <float.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "models/trace_impl.h"

/* Rows as they come, then in order, each where it belongs: row[iteration][apprank]. */

static const double task_s_max = 3600;

const struct lb_param trace_params[] = {
        [TRACE_ITERATION] = { .name = "iteration",
                              .type = LB_PARAM_INTEGER,
                              .max = TRACE_ITERATION_MAX - 1,
                              .help = "iteration, from 0" },
        [TRACE_APPRANK] = { .name = "apprank",
                            .type = LB_PARAM_INTEGER,
                            .max = TRACE_APPRANK_MAX - 1,
                            .help = "apprank, from 0" },
        [TRACE_WORK_S] = { .name = "work_s",
                           .unit = "s",
                           .type = LB_PARAM_NUMBER,
                           .max = 1e12,
                           .help = "work of its tasks on a core of speed 1" },
        [TRACE_TASKS] = { .name = "tasks",
                          .type = LB_PARAM_INTEGER,
                          .max = INT32_MAX,
                          .help = "how many tasks" },
        [TRACE_COST] = { .name = "cost",
                         .type = LB_PARAM_NUMBER,
                         .max = DBL_MAX,
                         .help = "what the program said that they cost, in its own unit" },
        [TRACE_SERIAL_S] = { .name = "serial_s",
                             .unit = "s",
                             .type = LB_PARAM_NUMBER,
                             .max = 1e12,
                             .help = "of the work, what the main program does alone before its "
                                     "tasks" },
        [TRACE_NPARAM] = { .name = NULL },
};

/* ---- Messages ---- */

int trace_complain(const struct trace_file *file, int32_t place, enum trace_param column,
                   struct lb_error *err, const char *format, ...)
{
        char text[512], pointer[64];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        bool whole = column == TRACE_NPARAM;
        if (!file->json.root)
                return lb_error_set(err, "%.300s:%d:%d: %s", file->name, place,
                                    whole ? 1 : file->column[column], text);
        snprintf(pointer, sizeof(pointer), "/%d%s%s", place, whole ? "" : "/",
                 whole ? "" : trace_params[column].name);
        return lb_json_complain(&file->json, pointer, err, "%s", text);
}

/* ---- Rows ---- */

static int check_together(const struct trace_file *file, int32_t place, const double *value,
                          struct lb_error *err)
{
        double work_s = value[TRACE_WORK_S], tasks = value[TRACE_TASKS];
        if (tasks <= 0 && work_s > 0)
                return trace_complain(file, place, TRACE_TASKS, err,
                                      "found 0 tasks with %.10g s of work, allowed is at least 1",
                                      work_s);
        if (tasks > 0 && work_s <= 0)
                return trace_complain(file, place, TRACE_WORK_S, err,
                                      "found no work in %.0f tasks, allowed is more than 0 s where "
                                      "there are tasks",
                                      tasks);
        if (work_s > tasks * task_s_max)
                return trace_complain(file, place, TRACE_WORK_S, err,
                                      "found %.10g s of work in %.0f tasks, allowed is at most "
                                      "%.0f s a task",
                                      work_s, tasks, task_s_max);
        if (value[TRACE_SERIAL_S] > 0 && value[TRACE_SERIAL_S] >= work_s)
                return trace_complain(file, place, TRACE_SERIAL_S, err,
                                      "found %.10g s of %.10g s of work before any task, allowed "
                                      "is a part of it",
                                      value[TRACE_SERIAL_S], work_s);
        return 0;
}

static int make_room(struct trace *trace, const struct trace_file *file, int32_t place,
                     struct lb_error *err)
{
        if (trace->nrow < trace->capacity)
                return 0;
        if (trace->nrow == TRACE_ROW_MAX)
                return trace_complain(file, place, TRACE_NPARAM, err,
                                      "found more rows, allowed are at most %d", TRACE_ROW_MAX);
        int32_t capacity = trace->capacity ? 2 * trace->capacity : 1024;
        capacity = capacity < TRACE_ROW_MAX ? capacity : TRACE_ROW_MAX;
        struct trace_row *row = realloc(trace->row, (size_t)capacity * sizeof(*row));
        if (!row)
                return lb_error_fail(err, "out of memory for the rows of '%s'", file->name);
        trace->row = row;
        trace->capacity = capacity;
        return 0;
}

int trace_add(struct trace *trace, const struct trace_file *file, int32_t place,
              const double *value, struct lb_error *err)
{
        if (check_together(file, place, value, err) < 0 || make_room(trace, file, place, err) < 0)
                return -1;
        struct trace_row row = {
                .work_s = value[TRACE_WORK_S],
                .serial_s = value[TRACE_SERIAL_S],
                .iteration = (int32_t)value[TRACE_ITERATION],
                .apprank = (int32_t)value[TRACE_APPRANK],
                .tasks = (int32_t)value[TRACE_TASKS],
                .place = place,
        };
        trace->row[trace->nrow++] = row;
        if (row.iteration >= trace->niteration)
                trace->niteration = row.iteration + 1;
        if (row.apprank >= trace->napprank)
                trace->napprank = row.apprank + 1;
        return 0;
}

void trace_guess_tasks(struct trace *trace, double *value)
{
        trace->lacks_tasks = true;
        value[TRACE_TASKS] = value[TRACE_WORK_S] > 0;
}

/* ---- All of them ---- */

static int by_iteration(const void *a, const void *b)
{
        const struct trace_row *x = a, *y = b;
        if (x->iteration != y->iteration)
                return x->iteration < y->iteration ? -1 : 1;
        if (x->apprank != y->apprank)
                return x->apprank < y->apprank ? -1 : 1;
        return (x->place > y->place) - (x->place < y->place);
}

/* Files of lbrun are in order already. */
static void sort(struct trace *trace)
{
        int32_t i = 1;
        while (i < trace->nrow && by_iteration(&trace->row[i - 1], &trace->row[i]) <= 0)
                i++;
        if (i < trace->nrow)
                qsort(trace->row, (size_t)trace->nrow, sizeof(*trace->row), by_iteration);
}

static int complain_twice(const struct trace *trace, const struct trace_file *file, int32_t i,
                          struct lb_error *err)
{
        const struct trace_row *first = &trace->row[i - 1], *again = &trace->row[i];
        int line = first->place, column = 1;
        char pointer[32];
        snprintf(pointer, sizeof(pointer), "/%d", first->place);
        if (file->json.root)
                lb_json_place(&file->json, pointer, &line, &column);
        return trace_complain(file, again->place, TRACE_NPARAM, err,
                              "apprank %d has a second row in iteration %d, allowed is one (the "
                              "first is in line %d)",
                              again->apprank, again->iteration, line);
}

/* What row i shows to be missing: it should be that of (iteration, apprank). */
static int complain_missing(const struct trace *trace, const struct trace_file *file, int32_t i,
                            struct lb_error *err)
{
        const struct trace_row *near = &trace->row[i < trace->nrow ? i : trace->nrow - 1];
        int32_t iteration = i / trace->napprank, apprank = i % trace->napprank;
        return trace_complain(file, near->place, TRACE_NPARAM, err,
                              "apprank %d has no row in iteration %d; each of appranks 0 to %d "
                              "needs one in each of iterations 0 to %d",
                              apprank, iteration, trace->napprank - 1, trace->niteration - 1);
}

/* Is every row there, and once? */
static int check_rows(const struct trace *trace, const struct trace_file *file,
                      struct lb_error *err)
{
        for (int32_t i = 0; i < trace->nrow; i++) {
                const struct trace_row *row = &trace->row[i];
                const struct trace_row *last = i > 0 ? &trace->row[i - 1] : NULL;
                if (last && last->iteration == row->iteration && last->apprank == row->apprank)
                        return complain_twice(trace, file, i, err);
                if (row->iteration != i / trace->napprank || row->apprank != i % trace->napprank)
                        return complain_missing(trace, file, i, err);
        }
        if (trace->nrow < (int64_t)trace->niteration * trace->napprank)
                return complain_missing(trace, file, trace->nrow, err);
        return 0;
}

static int sum_up(struct trace *trace, const struct trace_file *file, struct lb_error *err)
{
        trace->tasks_before = calloc((size_t)trace->niteration + 1, sizeof(double));
        if (!trace->tasks_before)
                return lb_error_fail(err, "out of memory for the rows of '%s'", file->name);
        double work_s = 0, tasks = 0;
        for (int32_t i = 0; i < trace->nrow; i++) {
                work_s += trace->row[i].work_s;
                tasks += trace->row[i].tasks;
                trace->tasks_before[i / trace->napprank + 1] = tasks;
        }
        if (work_s > 0)
                return 0;
        return trace_complain(file, trace->row[0].place, TRACE_NPARAM, err,
                              "found no work in any row, allowed is some");
}

static uint64_t hash_of(const struct trace *trace)
{
        uint64_t hash = lb_hash_of_none;
        lb_hash_add(&hash, &trace->napprank, sizeof(trace->napprank));
        for (int32_t i = 0; i < trace->nrow; i++) {
                lb_hash_add(&hash, &trace->row[i].work_s, sizeof(trace->row[i].work_s));
                lb_hash_add(&hash, &trace->row[i].tasks, sizeof(trace->row[i].tasks));
                if (trace->row[i].serial_s > 0)
                        lb_hash_add(&hash, &trace->row[i].serial_s, sizeof(trace->row[i].serial_s));
        }
        return hash;
}

static int read_all(struct trace *trace, struct trace_file *file, struct lb_error *err)
{
        size_t length = strlen(file->name);
        bool json = length >= 5 && strcmp(file->name + length - 5, ".json") == 0;
        if ((json ? trace_read_json : trace_read_csv)(trace, file, err) < 0)
                return -1;
        if (trace->nrow == 0)
                return lb_error_set(err, "%.300s: found no rows, allowed is at least one",
                                    file->name);
        sort(trace);
        if (check_rows(trace, file, err) < 0 || sum_up(trace, file, err) < 0)
                return -1;
        trace->hash = hash_of(trace);
        return 0;
}

struct trace *trace_read(const char *file, struct lb_error *err)
{
        struct trace_file from = { .name = file };
        struct trace *trace = calloc(1, sizeof(*trace));
        if (!trace) {
                lb_error_fail(err, "out of memory for '%s'", file);
                return NULL;
        }
        int status = read_all(trace, &from, err);
        lb_json_close(&from.json);
        if (status == 0)
                return trace;
        trace_destroy(trace);
        return NULL;
}

void trace_destroy(struct trace *trace)
{
        if (!trace)
                return;
        free(trace->row);
        free(trace->tasks_before);
        free(trace);
}

/* ---- Questions ---- */

int32_t trace_napprank(const struct trace *trace)
{
        return trace->napprank;
}

int32_t trace_niteration(const struct trace *trace)
{
        return trace->niteration;
}

static const struct trace_row *row_of(const struct trace *trace, int32_t iteration, int32_t apprank)
{
        assert(iteration >= 0 && iteration < trace->niteration);
        assert(apprank >= 0 && apprank < trace->napprank);
        return &trace->row[(size_t)iteration * (size_t)trace->napprank + (size_t)apprank];
}

double trace_work_s(const struct trace *trace, int32_t iteration, int32_t apprank)
{
        return row_of(trace, iteration, apprank)->work_s;
}

double trace_serial_s(const struct trace *trace, int32_t iteration, int32_t apprank)
{
        return row_of(trace, iteration, apprank)->serial_s;
}

int64_t trace_tasks(const struct trace *trace, int32_t iteration, int32_t apprank)
{
        return row_of(trace, iteration, apprank)->tasks;
}

bool trace_has_tasks(const struct trace *trace)
{
        return !trace->lacks_tasks;
}

double trace_all_tasks(const struct trace *trace, int64_t niteration)
{
        int64_t times = niteration / trace->niteration, rest = niteration % trace->niteration;
        return (double)times * trace->tasks_before[trace->niteration] + trace->tasks_before[rest];
}

uint64_t trace_hash(const struct trace *trace)
{
        return trace->hash;
}
