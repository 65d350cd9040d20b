/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim show: filter, group and draw stored results, without running anything again. Rows of equal
 * values in the columns to group by are one; what else was swept is averaged over.
 */
#include "sim/commands/commands.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "plots/table.h"
#include "sim/output/figure_gnuplot.h"
#include "sim/output/results_file.h"

enum { COLUMNS_MAX = 64, LINES_MAX = 16, WORDS_MAX = 64 };

struct columns {
        int32_t column[COLUMNS_MAX];
        int32_t count;
};

struct show_options {
        const char *directory, *by, *metric, *plot, *x, *line;
        struct lb_option_list where;
        enum table_format format;
};

/* A group's figure of one metric. */
struct mean {
        int64_t count;
        double sum, squares;
};

struct show {
        const struct show_options *options;
        struct results_file file;
        struct columns by, metric;
};

/* ---- Choosing columns and rows ---- */

/* The columns that a list "a,b,c" names. */
static int read_columns(const struct results_file *f, const char *list, struct columns *columns,
                        struct lb_error *err)
{
        char name[256];
        for (const char *at = list; *at;) {
                size_t length = strcspn(at, ",");
                if (length == 0 || length >= sizeof(name) || columns->count == COLUMNS_MAX)
                        return lb_error_set(err, "'%.200s' is not a list of columns", list);
                memcpy(name, at, length);
                name[length] = '\0';
                if (results_file_column(f, name, &columns->column[columns->count++], err) < 0)
                        return -1;
                at += length + (at[length] == ',');
        }
        return columns->count ? 0 : lb_error_set(err, "'' is not a list of columns");
}

static bool is_listed(const char *value, const char *list)
{
        size_t length = strlen(value);
        for (const char *at = list;; at++) {
                size_t item = strcspn(at, ",");
                if (item == length && strncmp(at, value, length) == 0)
                        return true;
                at += item;
                if (!*at)
                        return false;
        }
}

/* Keep the rows for which a condition PATH=VALUE[,VALUE] holds. */
static int filter(struct results_file *f, const char *where, struct lb_error *err)
{
        const char *equals = strchr(where, '=');
        char name[256];
        int32_t column;
        if (!equals || (size_t)(equals - where) >= sizeof(name))
                return lb_error_set(err, "--where %.200s, must be PATH=VALUE", where);
        snprintf(name, sizeof(name), "%.*s", (int)(equals - where), where);
        if (results_file_column(f, name, &column, err) < 0)
                return -1;
        int64_t kept = 0;
        for (int64_t i = 0; i < f->nrow; i++)
                if (is_listed(lb_csv_cell(&f->csv, f->row[i], column), equals + 1))
                        f->row[kept++] = f->row[i];
        f->nrow = kept;
        return kept ? 0
                    : lb_error_set(err, "--where %.200s: no run of %.300s has that value", where,
                                   f->csv.file);
}

static int choose_columns(struct show *s, struct lb_error *err)
{
        const struct show_options *o = s->options;
        const char *metric = o->metric;
        if (read_columns(&s->file, metric, &s->metric, err) < 0)
                return -1;
        if (o->plot) { /* lines first, so that a line's points follow each other */
                if (o->line && read_columns(&s->file, o->line, &s->by, err) < 0)
                        return -1;
                return read_columns(&s->file, o->x, &s->by, err);
        }
        if (o->by)
                return read_columns(&s->file, o->by, &s->by, err);
        for (int32_t c = 0; c < s->file.nkey && c < COLUMNS_MAX; c++)
                s->by.column[s->by.count++] = c;
        return 0;
}

/* ---- Groups ---- */

/* Runs for which the metric has no meaning do not count. */
static int add(struct mean *mean, const struct results_file *f, int64_t row, int32_t column,
               struct lb_error *err)
{
        double value;
        if (lb_csv_value(&f->csv, row, column, &value, err) < 0)
                return -1;
        if (isnan(value))
                return 0;
        mean->count++;
        mean->sum += value;
        mean->squares += value * value;
        return 0;
}

/* NaN for none. */
static double mean_of(const struct mean *mean)
{
        return mean->count > 0 ? mean->sum / (double)mean->count : NAN;
}

/* NaN for less than two. */
static double half_width(const struct mean *mean)
{
        double n = (double)mean->count;
        if (mean->count < 2)
                return NAN;
        double variance = (mean->squares - mean->sum * mean->sum / n) / (n - 1);
        return gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(fmax(variance, 0) / n);
}

/* The group that begins at place `first` of row[], into mean[metric.count]; *end is behind it. */
static int gather(const struct show *s, int64_t first, int64_t *end, struct mean *mean,
                  struct lb_error *err)
{
        const struct results_file *f = &s->file;
        memset(mean, 0, (size_t)s->metric.count * sizeof(*mean));
        for (*end = first; *end < f->nrow; ++*end) {
                if (results_file_order(f, f->row[first], f, f->row[*end], s->by.column,
                                       s->by.count) != 0)
                        break;
                for (int32_t m = 0; m < s->metric.count; m++)
                        if (add(&mean[m], f, f->row[*end], s->metric.column[m], err) < 0)
                                return -1;
        }
        return 0;
}

/* ---- The table ---- */

static struct table *make_table(const struct show *s)
{
        char ci[COLUMNS_MAX][300];
        const char *name[3 * COLUMNS_MAX + 1];
        int32_t count = 0;
        for (int32_t c = 0; c < s->by.count; c++)
                name[count++] = lb_csv_name(&s->file.csv, s->by.column[c]);
        name[count++] = "runs";
        for (int32_t m = 0; m < s->metric.count; m++) {
                name[count] = lb_csv_name(&s->file.csv, s->metric.column[m]);
                snprintf(ci[m], sizeof(ci[m]), "%.280s_ci95", name[count++]);
                name[count++] = ci[m];
        }
        return table_create(count, name);
}

static int print_table(const struct show *s, struct lb_error *err)
{
        struct table *table = make_table(s);
        struct mean mean[COLUMNS_MAX];
        int status = table ? 0 : lb_error_fail(err, "out of memory");
        for (int64_t i = 0, end; status == 0 && i < s->file.nrow; i = end) {
                status = gather(s, i, &end, mean, err);
                if (status < 0)
                        break;
                table_row(table);
                for (int32_t c = 0; c < s->by.count; c++)
                        table_text(table,
                                   lb_csv_cell(&s->file.csv, s->file.row[i], s->by.column[c]));
                table_number(table, (double)(end - i), 9);
                for (int32_t m = 0; m < s->metric.count; m++) {
                        table_number(table, mean_of(&mean[m]), 4);
                        table_number(table, half_width(&mean[m]), 2);
                }
        }
        if (status == 0 && table_write(table, stdout, s->options->format) < 0 && !ferror(stdout))
                status = lb_error_fail(err, "out of memory");
        table_destroy(table);
        return status;
}

/* ---- The figure ---- */

/* Are all values of the horizontal axis numbers? Otherwise its places are 0, 1, 2, ... */
static bool has_numbers(const struct show *s)
{
        int32_t x = s->by.column[s->by.count - 1];
        for (int64_t i = 0; i < s->file.nrow; i++) {
                char *end;
                const char *text = lb_csv_cell(&s->file.csv, s->file.row[i], x);
                strtod(text, &end);
                if (end == text || *end)
                        return false;
        }
        return true;
}

/* What the script is told: titles, and the names of lines. */
struct titles {
        char text[2048];
        int nline;
        const char *word[WORDS_MAX]; /* [nword] along the horizontal axis */
        int nword;
};

/* The place of a word along the horizontal axis: in the order in which they come up. */
static int word_place(struct titles *titles, const char *word)
{
        int place = 0;
        while (place < titles->nword && strcmp(titles->word[place], word) != 0)
                place++;
        if (place == titles->nword && place < WORDS_MAX)
                titles->word[titles->nword++] = word;
        return place;
}

static void add_title(struct titles *titles, const char *text)
{
        size_t used = strlen(titles->text);
        snprintf(titles->text + used, sizeof(titles->text) - used, "|%.100s", text);
}

/* A line begins at row place i? */
static bool begins_line(const struct show *s, int64_t i)
{
        const struct results_file *f = &s->file;
        return i == 0 || (s->by.count > 1 &&
                          results_file_order(f, f->row[i - 1], f, f->row[i], s->by.column, 1) != 0);
}

/* One block of the data file per line, whose names go to `names`. */
static int write_data(const struct show *s, bool numbers, FILE *out, struct titles *names,
                      struct lb_error *err)
{
        const struct results_file *f = &s->file;
        int32_t x = s->by.column[s->by.count - 1];
        struct mean mean[COLUMNS_MAX];
        for (int64_t i = 0, end; i < f->nrow; i = end) {
                if (gather(s, i, &end, mean, err) < 0)
                        return -1;
                if (begins_line(s, i)) {
                        fputs(names->nline++ ? "\n\n" : "", out);
                        add_title(names, s->by.count > 1
                                             ? lb_csv_cell(&f->csv, f->row[i], s->by.column[0])
                                             : "mean");
                }
                const char *label = lb_csv_cell(&f->csv, f->row[i], x);
                double half = half_width(&mean[0]);
                if (numbers)
                        fputs(label, out);
                else
                        fprintf(out, "%d", word_place(names, label));
                fprintf(out, " %.9g %.9g \"%s\"\n", mean_of(&mean[0]), isnan(half) ? 0 : half,
                        label);
        }
        return names->nline <= LINES_MAX
                   ? 0
                   : lb_error_set(err,
                                  "found %d lines to draw, allowed are %d (narrow with --where)",
                                  names->nline, LINES_MAX);
}

static int draw(const struct show *s, struct lb_error *err)
{
        const struct show_options *o = s->options;
        char path[4096], words[4096];
        struct titles names = { 0 };
        struct lb_file file;
        if (snprintf(path, sizeof(path), "%s/%s.dat", o->directory, o->plot) >= (int)sizeof(path))
                return lb_error_set(err, "'%.300s' is too long for a path", o->directory);
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        bool numbers = has_numbers(s);
        int status = write_data(s, numbers, file.stream, &names, err);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        if (status < 0)
                return -1;
        snprintf(words, sizeof(words), "%s|%s|%s|%d|%s%s", o->x,
                 lb_csv_name(&s->file.csv, s->metric.column[0]), o->line ? o->line : "",
                 names.nline, numbers ? "numbers" : "words", names.text);
        struct gnuplot_job job = { "show", o->directory, o->plot, words };
        gnuplot_draw(&job, stderr);
        return 0;
}

static int show(const struct show_options *options, struct lb_error *err)
{
        struct show s = { .options = options };
        int status = results_file_open(&s.file, options->directory, err);
        if (s.file.partial)
                fprintf(stderr, "lbsim: '%s' is of a sweep that is not finished\n",
                        s.file.csv.file);
        for (int32_t i = 0; status == 0 && i < options->where.count; i++)
                status = filter(&s.file, options->where.text[i], err);
        if (status == 0)
                status = choose_columns(&s, err);
        if (status == 0)
                status = results_file_sort(&s.file, s.by.column, s.by.count, err);
        if (status == 0)
                status = print_table(&s, err);
        if (status == 0 && options->plot)
                status = draw(&s, err);
        results_file_close(&s.file);
        return status;
}

/* ---- The command line ---- */

static int read_plot(const char *text, void *to, struct lb_error *err)
{
        (void)to;
        if (*text && !strchr(text, '/'))
                return 0;
        return lb_error_set(err, "found '%.60s', must be a name without '/'", text);
}

static const struct lb_option options_table[] = {
        { "where", LB_OPTION_LIST, "PATH=VALUE,...",
          "only runs with one of these values; may be repeated, all must hold",
          LB_OPTION_TO(struct show_options, where) },
        { "by", LB_OPTION_TEXT, "PATH,...", "columns to group by; default everything swept",
          LB_OPTION_TO(struct show_options, by) },
        { "metric", LB_OPTION_TEXT, "NAME,...", "columns of results.csv",
          LB_OPTION_TO(struct show_options, metric),
          .fallback = "time_per_iteration_s,ratio_to_optimal" },
        OPTION_TABLE_FORMAT(struct show_options),
        { "plot", LB_OPTION_TEXT, "NAME",
          "draw the first metric into DIR/NAME.svg and DIR/NAME.png",
          LB_OPTION_TO(struct show_options, plot), .read = read_plot },
        { "x", LB_OPTION_TEXT, "PATH", "along the horizontal axis of the figure",
          LB_OPTION_TO(struct show_options, x) },
        { "line", LB_OPTION_TEXT, "PATH", "one line for each value of this",
          LB_OPTION_TO(struct show_options, line) },
        { .name = NULL },
};

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct show_options *options = given;
        options->directory = call->word[0];
        if ((options->x || options->line) && !options->plot)
                return lb_error_set(err, "--x and --line go with --plot");
        if (options->plot && (!options->x || options->by))
                return lb_error_set(err, "--plot needs --x, and --line in place of --by");
        return show(options, err);
}

const struct lb_command command_show = {
        .program = &lbsim_program,
        .name = "show",
        .summary = "filter, group and draw stored results",
        .usage = "DIR [OPTION]...\nDIR --plot NAME --x PATH [--line PATH] [OPTION]...",
        .about = "Filter, group and draw the results of an earlier sweep (DIR/results.csv). Rows "
                 "are means with half the 95 % confidence interval over all runs that agree in the "
                 "columns grouped by.",
        .options = options_table,
        .size = sizeof(struct show_options),
        .word = LB_OPTION_FOLDER,
        .word_min = 1,
        .word_max = 1,
        .needed = "one folder of results is needed",
        .run = run,
};
