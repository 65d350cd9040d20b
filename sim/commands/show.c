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

#include "base/hash.h"
#include "plots/table.h"
#include "sim/commands/show.h"
#include "sim/output/figure.h"
#include "sim/scenario/figures.h"

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

static int choose_columns(struct show *s, struct lb_error *err)
{
        const struct show_options *o = s->options;
        const char *metric = o->metric;
        if (read_columns(&s->file, metric, &s->metric, err) < 0)
                return -1;
        if (o->plot) { /* panels, then lines first, so that a line's points follow each other */
                if (o->facet && read_columns(&s->file, o->facet, &s->by, err) < 0)
                        return -1;
                s->npanel = s->by.count;
                if (o->line && read_columns(&s->file, o->line, &s->by, err) < 0)
                        return -1;
                if (strchr(o->x, ','))
                        return lb_error_set(err, "--x: found '%.200s', must be one column", o->x);
                return read_columns(&s->file, o->x, &s->by, err);
        }
        if (o->by)
                return read_columns(&s->file, o->by, &s->by, err);
        for (int32_t c = 0; c < s->file.nkey && c < COLUMNS_MAX; c++)
                s->by.column[s->by.count++] = c;
        return 0;
}

/* ---- Groups ---- */

/* Does every condition hold? All are asked, because each is to see every row. */
static bool is_wanted(struct results_where *where, int32_t count, const struct results_file *f)
{
        bool wanted = true;
        for (int32_t i = 0; i < count; i++) {
                wanted &= results_where_holds(&where[i], f, 0);
                where[i].held += wanted;
        }
        return wanted;
}

/* What was swept, of a row. */
static uint64_t point_of(const struct results_file *f)
{
        uint64_t hash = 0;
        for (int32_t c = 0; c < f->nkey; c++) {
                const char *text = lb_csv_cell(&f->csv, 0, c);
                hash = lb_hash(text, strlen(text) + 1, hash);
        }
        return hash;
}

static int add_row(struct show *s, struct lb_error *err)
{
        const struct lb_csv *csv = &s->file.csv;
        const char *key[COLUMNS_MAX];
        double value[COLUMNS_MAX];
        for (int32_t c = 0; c < s->by.count; c++)
                key[c] = lb_csv_cell(csv, 0, s->by.column[c]);
        for (int32_t m = 0; m < s->metric.count; m++)
                if (lb_csv_value(csv, 0, s->metric.column[m], &value[m], err) < 0)
                        return -1;
        return show_groups_add(&s->groups, key, point_of(&s->file), value, err);
}

static int read_rows(struct show *s, struct results_where *where, struct lb_error *err)
{
        int32_t count = s->options->where.count;
        int status;
        while ((status = results_file_next(&s->file, err)) == 1)
                if (is_wanted(where, count, &s->file) && add_row(s, err) < 0)
                        return -1;
        for (int32_t i = 0; status == 0 && i < count; i++)
                status = results_where_check(&where[i], &s->file, err);
        return status;
}

/* With `precision`, and of a sweep that is not finished, points have unequally many runs. */
static int read_again(struct show *s, struct results_where *where, struct lb_error *err)
{
        fprintf(stderr, "lbsim show: points have unequally many runs; of those in one row each has "
                        "as many as that with fewest, so that they count alike\n");
        results_file_close(&s->file);
        if (results_file_begin(&s->file, s->options->directory, err) < 0)
                return -1;
        return read_rows(s, where, err);
}

/* All rows for which the conditions hold, into groups. */
static int gather(struct show *s, struct lb_error *err)
{
        const struct show_options *o = s->options;
        int status = 0;
        struct results_where *where = calloc((size_t)o->where.count + 1, sizeof(*where));
        if (!where)
                return lb_error_fail(err, "out of memory");
        for (int32_t i = 0; status == 0 && i < o->where.count; i++)
                status = results_where_init(&where[i], &s->file, o->where.text[i], err);
        if (status == 0)
                status = choose_columns(s, err);
        show_groups_init(&s->groups, s->by.count, s->metric.count, o->plot != NULL);
        if (status == 0)
                status = read_rows(s, where, err);
        if (status == 0 && show_groups_again(&s->groups))
                status = read_again(s, where, err);
        if (status == 0)
                status = show_groups_sort(&s->groups, err);
        for (int32_t i = 0; i < o->where.count; i++)
                results_where_finish(&where[i]);
        free(where);
        return status;
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
        return gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(mean->off_squares / (n - 1) / n);
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

static struct table *table_of(const void *of, int64_t first, int64_t end)
{
        const struct show *s = of;
        struct table *table = make_table(s);
        for (int32_t i = (int32_t)first; table && i < (int32_t)end; i++) {
                table_row(table);
                for (int32_t k = 0; k < s->by.count; k++)
                        table_text(table, show_group_text(&s->groups, i, k));
                table_number(table, (double)s->groups.group[i].rows, 9);
                for (int32_t m = 0; m < s->metric.count; m++) {
                        const struct mean *mean = show_group_mean(&s->groups, i, m);
                        table_number(table, mean_of(mean), 4);
                        table_number(table, half_width(mean), 2);
                }
        }
        return table;
}

static int print_table(const struct show *s, struct lb_error *err)
{
        int status = table_put(table_of, s, s->groups.count, stdout, s->options->format);
        return status < 0 && !ferror(stdout) ? lb_error_fail(err, "out of memory") : 0;
}

static int show(const struct show_options *options, struct lb_error *err)
{
        if (options->figure || options->html)
                results_directory_warn(options->directory);
        if (options->figure)
                return show_figure(options, err);
        if (options->html)
                return show_page(options, err);
        struct show s = { .options = options };
        int status = results_file_begin(&s.file, options->directory, err);
        if (status == 0)
                results_file_warn(&s.file);
        if (status == 0)
                status = gather(&s, err);
        if (status == 0)
                status = print_table(&s, err);
        if (status == 0 && options->plot)
                status = show_plot(&s, err);
        show_groups_finish(&s.groups);
        results_file_close(&s.file);
        return status;
}

/* ---- The command line ---- */

static const char *const show_figures[] = { "own",
#define NAME(figure) #figure,
                                            FIGURES(NAME) NULL };

/* A sweep's own figures keep their names. */
static int read_plot(const char *text, void *to, struct lb_error *err)
{
        (void)to;
        if (!*text || strchr(text, '/'))
                return lb_error_set(err, "found '%.60s', must be a name without '/'", text);
        for (const char *const *own = show_figures + 1; *own; own++)
                if (strcmp(text, *own) == 0)
                        return lb_error_set(err,
                                            "found '%s', which is the name of a figure of sweeps "
                                            "(--figure), must be another",
                                            text);
        return 0;
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
          "draw the first metric into DIR/NAME.svg, .pdf and .png, with 95 % intervals",
          LB_OPTION_TO(struct show_options, plot), .read = read_plot },
        { "x", LB_OPTION_TEXT, "PATH", "along the horizontal axis of the figure",
          LB_OPTION_TO(struct show_options, x) },
        { "y", LB_OPTION_TEXT, "NAME", "the metric along the vertical axis, in place of --metric",
          LB_OPTION_TO(struct show_options, y) },
        { "line", LB_OPTION_TEXT, "PATH,...", "one line for each value of these",
          LB_OPTION_TO(struct show_options, line) },
        { "facet", LB_OPTION_TEXT, "PATH,...", "one panel for each value of these",
          LB_OPTION_TO(struct show_options, facet) },
        { "title", LB_OPTION_TEXT, "TEXT", "title of the figure",
          LB_OPTION_TO(struct show_options, title) },
        { "x-words", LB_OPTION_TEXT, "TEXT", "what stands at the horizontal axis",
          LB_OPTION_TO(struct show_options, x_words) },
        { "y-words", LB_OPTION_TEXT, "TEXT", "what stands at the vertical axis",
          LB_OPTION_TO(struct show_options, y_words) },
        { "log", LB_OPTION_CHOICE, .help = "axes with a logarithmic scale",
          LB_OPTION_TO(struct show_options, log), .choices = show_logs, .fallback = "none" },
        { "figure", LB_OPTION_TEXT, "NAME",
          "draw a figure of the sweep again, or another (output.figure in lbsim params); own: the "
          "scenario's",
          LB_OPTION_TO(struct show_options, figure), .choices = show_figures },
        { "scenario", LB_OPTION_FILE, "FILE",
          "with --figure and --html: the scenario, where its files are named relative to it",
          LB_OPTION_TO(struct show_options, scenario) },
        OPTION_FIGURE_SIZE(struct show_options),
        OPTION_HTML(struct show_options, lb_option_written),
        { .name = NULL },
};

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct show_options *options = given;
        options->directory = call->word[0];
        bool drawn = options->x || options->y || options->line || options->facet ||
                     options->title || options->x_words || options->y_words || options->log > 0;
        if (drawn && !options->plot)
                return lb_error_set(err, "--x, --y, --line, --facet, --title, --x-words, --y-words "
                                         "and --log go with --plot");
        if (options->y)
                options->metric = options->y;
        if (options->html &&
            (options->plot || options->by || options->where.count > 0 || options->figure))
                return lb_error_set(err,
                                    "--html is of the whole sweep: no --plot, --figure, --by or "
                                    "--where");
        if (options->figure && (options->plot || options->by || options->where.count > 0))
                return lb_error_set(err, "--figure is of the whole sweep: no --plot, --by or "
                                         "--where");
        if (options->plot && (!options->x || options->by))
                return lb_error_set(err, "--plot needs --x, and --line in place of --by");
        return show(options, err);
}

const struct lb_command command_show = {
        .program = &lbsim_program,
        .name = "show",
        .summary = "filter, group and draw stored results",
        .usage = "DIR [OPTION]...\nDIR --plot NAME --x PATH [--line PATH] [--facet PATH] "
                 "[OPTION]...\nDIR --figure NAME [OPTION]...\nDIR --html PAGE [OPTION]...",
        .about = "Filter, group and draw the results of an earlier sweep (DIR/results.csv). Rows "
                 "are means with half the 95 % confidence interval over all runs that agree in the "
                 "columns grouped by; points count alike, with as many runs as that with fewest "
                 "has where they have unequally many.",
        .options = options_table,
        .size = sizeof(struct show_options),
        .word = LB_OPTION_FOLDER,
        .word_min = 1,
        .word_max = 1,
        .needed = "one folder of results is needed",
        .run = run,
};
