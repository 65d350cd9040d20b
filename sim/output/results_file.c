/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/results_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/param.h"
#include "base/text.h"
#include "base/zstd.h"
#include "policies/host/metrics.h"
#include "sim/output/results.h"
#include "sim/output/seal.h"
#include "sim/sweep/journal_print.h"

int results_file_column(const struct results_file *f, const char *name, int32_t *column,
                        struct lb_error *err)
{
        *column = lb_csv_column(&f->csv, name);
        if (*column >= 0)
                return 0;
        if (metric_find(name, METRIC_COUNT) >= 0)
                return lb_error_set(err,
                                    "%.300s: no column \"%.60s\", which lbsim %s writes: another "
                                    "version wrote this, or it was changed",
                                    f->csv.file, name, results_version());
        const char *near =
            lb_nearest_name(name, (const char *const *)f->csv.cell, (size_t)f->csv.ncolumn);
        if (near)
                return lb_error_set(err, "%.300s: no column \"%.60s\", did you mean \"%.60s\"?",
                                    f->csv.file, name, near);
        return lb_error_set(err, "%.300s: no column \"%.60s\"; its columns are in its first line",
                            f->csv.file, name);
}

/* There is no file of results. A sweep that was killed has left its finished runs alone. */
static int refuse_none(const char *directory, const char *name, struct lb_error *err)
{
        char runs[JOURNAL_COUNT_SIZE];
        struct journal_count count;
        if (!journal_count(directory, &count))
                return lb_error_set(err, "cannot read '%.300s/%s': %s", directory, name,
                                    strerror(ENOENT));
        journal_count_text(&count, count.runs, runs);
        return lb_error_set(err,
                            "'%.300s' holds %s of a sweep that is not finished, and no results "
                            "yet: the command that began it goes on with it; lbsim journal prints "
                            "the runs",
                            directory, runs);
}

int results_file_of(const char *directory, const char *whole, const char *partial,
                    char path[static LB_PATH_SIZE], struct lb_error *err)
{
        const char *const names[] = { whole, partial };
        for (int i = 0; i < 2; i++) {
                if (lb_path(path, err, "%s/%s", directory, names[i]) < 0)
                        return -1;
                if (access(path, F_OK) == 0 || errno != ENOENT)
                        return 0; /* to open it says what else is wrong */
        }
        return refuse_none(directory, whole, err);
}

/* The forms of the file, the best first: whole, compressed, of a sweep that is not finished. */
static int find_file(struct results_file *f, const char *directory, char path[static LB_PATH_SIZE],
                     struct lb_error *err)
{
        static const char *const names[] = { "results.csv", "results.csv.zst",
                                             "results.partial.csv", "results.partial.csv.zst" };
        for (int i = 0; i < 4; i++) {
                if (lb_path(path, err, "%s/%s", directory, names[i]) < 0)
                        return -1;
                f->partial = i >= 2;
                f->changed = seal_is_broken(directory, names[i]);
                if (access(path, F_OK) == 0 || errno != ENOENT)
                        return 0; /* to open it says what else is wrong */
        }
        f->partial = f->changed = false;
        return refuse_none(directory, names[0], err);
}

int results_file_begin(struct results_file *f, const char *directory, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        *f = (struct results_file){ 0 };
        if (find_file(f, directory, path, err) < 0)
                return -1;
        f->in = lb_zstd_open(path);
        if (lb_csv_begin(&f->csv, f->in, path, err) == 0 &&
            results_file_column(f, "seed", &f->nkey, err) == 0)
                return 0;
        results_file_close(f);
        return -1;
}

int results_file_next(struct results_file *f, struct lb_error *err)
{
        return lb_csv_next(&f->csv, f->in, err);
}

int results_file_open(struct results_file *f, const char *directory, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        *f = (struct results_file){ 0 };
        if (find_file(f, directory, path, err) < 0)
                return -1;
        FILE *in = lb_zstd_open(path);
        int status = lb_csv_read(&f->csv, in, path, false, err);
        if (in)
                fclose(in);
        if (status < 0)
                return -1;
        if (results_file_column(f, "seed", &f->nkey, err) < 0) {
                results_file_close(f);
                return -1;
        }
        f->nrow = f->csv.nrow;
        f->row = malloc((size_t)(f->nrow + 1) * sizeof(*f->row));
        for (int64_t i = 0; f->row && i < f->nrow; i++)
                f->row[i] = i;
        if (f->row)
                return 0;
        results_file_close(f);
        return lb_error_fail(err, "out of memory for '%.300s'", path);
}

/* -1 where it cannot be read: whoever reads it in earnest says why. */
static int64_t count_rows(const char *directory)
{
        struct results_file f;
        struct lb_error ignored;
        int64_t count = 0;
        int status;
        if (results_file_begin(&f, directory, &ignored) < 0)
                return -1;
        while ((status = results_file_next(&f, &ignored)) == 1)
                count++;
        results_file_close(&f);
        return status == 0 ? count : -1;
}

/* Of how many runs it is; more may be done since it was written. */
static void warn_partial(const struct results_file *f, const char *path)
{
        char directory[LB_PATH_SIZE], text[JOURNAL_COUNT_SIZE];
        struct journal_count count;
        snprintf(directory, sizeof(directory), "%s", path);
        *strrchr(directory, '/') = '\0'; /* find_file() made it so */
        int64_t rows = f->row ? f->csv.nrow : count_rows(directory);
        if (rows < 0 || !journal_count(directory, &count) || count.wanted == 0) {
                fprintf(stderr, "lbsim: '%s' is of a sweep that is not finished\n", path);
                return;
        }
        journal_count_text(&count, rows, text);
        fprintf(stderr, "lbsim: '%s' is of a sweep that is not finished: %s", path, text);
        if (count.runs > rows)
                fprintf(stderr, "; %" PRId64 " are done, and the same sweep writes all",
                        count.runs);
        fputc('\n', stderr);
}

static void warn(const struct results_file *f, const char *path)
{
        if (f->partial)
                warn_partial(f, path);
        if (f->changed)
                fprintf(stderr,
                        "lbsim: '%s' is not as lbsim wrote it; the same sweep writes it anew\n",
                        path);
}

void results_file_warn(const struct results_file *f)
{
        warn(f, f->csv.file);
}

void results_directory_warn(const char *directory)
{
        struct results_file f = { 0 };
        char path[LB_PATH_SIZE];
        struct lb_error ignored;
        if (find_file(&f, directory, path, &ignored) == 0)
                warn(&f, path);
}

void results_file_close(struct results_file *f)
{
        if (f->in)
                fclose(f->in);
        lb_csv_close(&f->csv);
        free(f->row);
        *f = (struct results_file){ 0 };
}

int results_value_order(const char *a, const char *b)
{
        double x, y;
        bool is_x = lb_number_is(a, &x), is_y = lb_number_is(b, &y);
        if (is_x && is_y && (x < y || x > y))
                return x < y ? -1 : 1;
        if (is_x != is_y)
                return is_x ? -1 : 1;
        return strcmp(a, b);
}

int results_file_order(const struct results_file *a, int64_t i, const struct results_file *b,
                       int64_t j, const int32_t *column, int32_t ncolumn)
{
        for (int32_t c = 0; c < ncolumn; c++) {
                int order = results_value_order(lb_csv_cell(&a->csv, i, column[c]),
                                                lb_csv_cell(&b->csv, j, column[c]));
                if (order)
                        return order;
        }
        return 0;
}

/* A merge sort, because qsort() has no place for the file. */
struct sorting {
        const struct results_file *f;
        const int32_t *column;
        int32_t ncolumn;
        int64_t *spare;
};

static void sort_rows(const struct sorting *s, int64_t *row, int64_t count)
{
        if (count < 2)
                return;
        int64_t half = count / 2, i = 0, j = half, k = 0;
        sort_rows(s, row, half);
        sort_rows(s, row + half, count - half);
        memcpy(s->spare, row, (size_t)half * sizeof(*row));
        while (i < half && j < count) {
                int order =
                    results_file_order(s->f, row[j], s->f, s->spare[i], s->column, s->ncolumn);
                row[k++] = order < 0 ? row[j++] : s->spare[i++];
        }
        while (i < half)
                row[k++] = s->spare[i++];
}

int results_file_sort(struct results_file *f, const int32_t *column, int32_t ncolumn,
                      struct lb_error *err)
{
        struct sorting s = { f, column, ncolumn, malloc((size_t)(f->nrow + 1) * sizeof(*f->row)) };
        if (!s.spare)
                return lb_error_fail(err, "out of memory for '%.300s'", f->csv.file);
        sort_rows(&s, f->row, f->nrow);
        free(s.spare);
        return 0;
}

/* ---- Conditions ---- */

static int32_t count_items(const char *list)
{
        int32_t count = 1;
        for (; *list; list++)
                count += *list == ',';
        return count;
}

/* The values of the list, each a text of its own. */
static int cut_list(struct results_where *w)
{
        size_t count = (size_t)count_items(w->list);
        w->item = calloc(count, sizeof(*w->item));
        w->number = calloc(count, sizeof(*w->number));
        w->seen = calloc(count, sizeof(*w->seen));
        if (!w->item || !w->number || !w->seen)
                return -1;
        for (const char *at = w->list;; at++) {
                size_t length = strcspn(at, ",");
                char *item = strndup(at, length), text[LB_NUMBER_SIZE];
                double number;
                if (!item)
                        return -1;
                if (lb_number_is(item, &number)) {
                        lb_number_text(number, text);
                        w->number[w->nitem] = strdup(text);
                }
                w->item[w->nitem++] = item;
                at += length;
                if (!*at)
                        return 0;
        }
}

int results_where_init(struct results_where *w, const struct results_file *f, const char *where,
                       struct lb_error *err)
{
        const char *equals = strchr(where, '=');
        char name[256];
        *w = (struct results_where){ 0 };
        if (!equals || (size_t)(equals - where) >= sizeof(name))
                return lb_error_set(err, "--where %.200s, must be PATH=VALUE", where);
        snprintf(name, sizeof(name), "%.*s", (int)(equals - where), where);
        *w = (struct results_where){ .text = where, .list = equals + 1 };
        if (results_file_column(f, name, &w->column, err) < 0)
                return -1;
        if (cut_list(w) == 0)
                return 0;
        results_where_finish(w);
        return lb_error_fail(err, "out of memory");
}

void results_where_finish(struct results_where *w)
{
        for (int32_t i = 0; i < w->nitem; i++) {
                free(w->item[i]);
                free(w->number[i]);
        }
        free(w->item);
        free(w->number);
        free(w->seen);
        *w = (struct results_where){ 0 };
}

bool results_where_holds(struct results_where *w, const struct results_file *f, int64_t row)
{
        const char *value = lb_csv_cell(&f->csv, row, w->column);
        bool holds = false;
        for (int32_t i = 0; i < w->nitem; i++) /* one may be there twice */
                if (strcmp(w->item[i], value) == 0 ||
                    (w->number[i] && strcmp(w->number[i], value) == 0))
                        holds = w->seen[i] = true;
        return holds;
}

/* Every value of the list is one of the file: what nobody has is a mistake, not an empty choice. */
int results_where_check(const struct results_where *w, const struct results_file *f,
                        struct lb_error *err)
{
        for (int32_t i = 0; i < w->nitem; i++)
                if (!w->seen[i])
                        return lb_error_set(
                            err, "--where %.200s: no run of %.300s has that value: '%.100s'%s",
                            w->text, f->csv.file, w->item[i],
                            strchr(w->item[i], '=') ? "; a further condition is another --where"
                                                    : "");
        return w->held ? 0
                       : lb_error_set(err, "--where %.200s: no run of %.300s has that value",
                                      w->text, f->csv.file);
}

int results_file_filter(struct results_file *f, const char *where, struct lb_error *err)
{
        struct results_where w;
        if (results_where_init(&w, f, where, err) < 0)
                return -1;
        for (int64_t i = 0; i < f->csv.nrow; i++)
                results_where_holds(&w, f, i);
        for (int64_t i = 0; i < f->nrow; i++)
                if (results_where_holds(&w, f, f->row[i]))
                        f->row[w.held++] = f->row[i];
        f->nrow = w.held;
        int status = results_where_check(&w, f, err);
        results_where_finish(&w);
        return status;
}
