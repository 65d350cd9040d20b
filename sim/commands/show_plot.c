/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim show --plot: any metric over any swept value, a line for each value of another, a panel for
 * each of a third (plots/show.gp).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "sim/commands/show.h"
#include "sim/output/figure.h"
#include "sim/output/figure_gnuplot.h"
#include "sim/output/figure_words.h"
#include "sim/sweep/interval.h"

enum { LINES_MAX = 64, WORDS_MAX = 64 };

const char *const show_logs[] = { "none", "x", "y", "xy", NULL };

/* The words along the horizontal axis, in the order in which they come up. */
struct places {
        const char *word[WORDS_MAX];
        int count;
        bool full; /* there are more */
};

/* Lines that are drawn, without points, and without any that has a place; points, and those that
 * have no place on an axis with a logarithmic scale. */
struct drawn {
        int lines, empty, off_lines, there, off_x, off_y;
};

static const char *x_text(const struct show *s, int32_t group)
{
        return show_group_text(&s->groups, group, s->by.count - 1);
}

/* Are all values of the horizontal axis numbers? Otherwise its places are 0, 1, 2, ... */
static bool has_numbers(const struct show *s)
{
        for (int32_t i = 0; i < s->groups.count; i++) {
                double number;
                if (!lb_number_is(x_text(s, i), &number))
                        return false;
        }
        return true;
}

static int word_place(struct places *places, const char *word)
{
        int place = 0;
        while (place < places->count && strcmp(places->word[place], word) != 0)
                place++;
        if (place == WORDS_MAX)
                places->full = true;
        else if (place == places->count)
                places->word[places->count++] = word;
        return place;
}

/* "imbalance 2"; "Slow: none" where what a value means needs no words elsewhere. */
static void put_value(const char *path, const char *value, char text[static FIGURE_WORDS_SIZE])
{
        char axis[FIGURE_WORDS_SIZE];
        figure_value_words(path, value, text);
        if (text[0])
                return;
        figure_axis_words(path, axis);
        snprintf(text, FIGURE_WORDS_SIZE, "%.100s: ", axis);
        figure_plain(value, text + strlen(text), 61);
}

/* The values of a group in columns from .. until-1 of `by` in words; of system.name into *system.
 */
static void put_words(const struct show *s, int32_t from, int32_t until, int32_t group,
                      char text[static FIGURE_WORDS_SIZE], const char **system)
{
        text[0] = '\0';
        for (int32_t k = from; k < until; k++) {
                char words[FIGURE_WORDS_SIZE];
                const char *path = lb_csv_name(&s->file.csv, s->by.column[k]);
                put_value(path, show_group_text(&s->groups, group, k), words);
                figure_add_words(text, words);
                if (strcmp(path, "system.name") == 0)
                        *system = show_group_text(&s->groups, group, k);
        }
}

/* A line begins: headed "PANEL|LINE|SYSTEM", the last where lines are systems. */
static void write_head(const struct show *s, int32_t group, bool first, FILE *out)
{
        char facet[FIGURE_WORDS_SIZE], line[FIGURE_WORDS_SIZE];
        const char *none = "", *system = "";
        put_words(s, 0, s->npanel, group, facet, &none);
        put_words(s, s->npanel, s->by.count - 1, group, line, &system);
        fprintf(out, "%s\"%s|%s|%s\"\n", first ? "" : "\n\n", facet, line[0] ? line : "mean",
                system);
}

static struct interval interval_at(const struct show *s, int32_t group)
{
        const struct show_group *g = &s->groups.group[group];
        return interval_of(&s->groups.value[g->first_value], g->rows);
}

/* Count a point; has it a place on the axes? */
static bool count_point(const struct show *s, int32_t group, bool numbers, struct drawn *drawn)
{
        int log = s->options->log;
        struct interval interval = interval_at(s, group);
        if (interval.count == 0)
                return false; /* the metric has no meaning there */
        bool off_x = numbers && (log == SHOW_LOG_X || log == SHOW_LOG_XY) &&
                     strtod(x_text(s, group), NULL) <= 0;
        bool off_y = (log == SHOW_LOG_Y || log == SHOW_LOG_XY) && interval.mean <= 0;
        drawn->there++;
        drawn->off_x += off_x;
        drawn->off_y += off_y && !off_x;
        return !off_x && !off_y;
}

static void write_point(const struct show *s, int32_t group, struct places *places, FILE *out)
{
        struct interval interval = interval_at(s, group);
        const char *label = x_text(s, group);
        char text[FIGURE_WORDS_SIZE];
        if (interval.count == 0)
                return;
        if (places) {
                fprintf(out, "%d", word_place(places, label));
                figure_value_words(s->options->x, label, text);
        } else {
                fputs(label, out);
        }
        if (!places || !text[0])
                figure_plain(label, text, sizeof(text));
        fprintf(out, " %.9g %.9g %.9g \"%s\"\n", interval.mean, interval.low, interval.high, text);
}

/* The groups of a line, which begins at `first`: a block of the data file, if any point has a
 * place; returns where the next one begins. */
static int32_t write_line(const struct show *s, int32_t first, struct places *places,
                          struct drawn *drawn, FILE *out)
{
        int32_t end = first, before = drawn->there;
        bool any = false;
        do
                any |= count_point(s, end++, places == NULL, drawn);
        while (end < s->groups.count &&
               show_groups_alike(&s->groups, end - 1, end, s->by.count - 1));
        drawn->empty += drawn->there == before;
        drawn->off_lines += !any && drawn->there > before;
        if (any)
                write_head(s, first, drawn->lines++ == 0, out);
        for (int32_t i = first; any && i < end; i++)
                write_point(s, i, places, out);
        return end;
}

/* places: NULL where x are numbers. */
static int write_rows(const struct show *s, struct places *places, struct drawn *drawn, FILE *out,
                      struct lb_error *err)
{
        for (int32_t i = 0; i < s->groups.count;)
                i = write_line(s, i, places, drawn, out);
        if (places && places->full)
                return lb_error_set(err,
                                    "found more than %d words along the axis (narrow with --where)",
                                    WORDS_MAX);
        return drawn->lines <= LINES_MAX
                   ? 0
                   : lb_error_set(err,
                                  "found %d lines to draw, allowed are %d (narrow with --where)",
                                  drawn->lines, LINES_MAX);
}

/* What is not there is said; where that is all, there is no figure. */
static int say_drawn(const struct show *s, const struct drawn *drawn, struct lb_error *err)
{
        const char *metric = lb_csv_name(&s->file.csv, s->metric.column[0]);
        int off = drawn->off_x + drawn->off_y;
        if (drawn->there == 0)
                return lb_error_set(err, "no run has '%.200s': there is nothing to draw", metric);
        if (off == drawn->there)
                return lb_error_set(err,
                                    "--log %s: all %d points are at 0 or below, which have no "
                                    "place on a logarithmic scale",
                                    show_logs[s->options->log], off);
        if (drawn->empty > 0)
                fprintf(stderr, "lbsim show: %d of %d lines without '%.200s', not drawn\n",
                        drawn->empty, drawn->empty + drawn->off_lines + drawn->lines, metric);
        if (off > 0)
                fprintf(stderr, "lbsim show: --log %s: %d of %d points at 0 or below, not drawn\n",
                        show_logs[s->options->log], off, drawn->there);
        return 0;
}

static int write_data(const struct show *s, bool numbers, FILE *out, struct lb_error *err)
{
        struct places places = { 0 };
        struct drawn drawn = { 0 };
        fputs("# x mean low high label; heads: panel, line, system\n", out);
        if (write_rows(s, numbers ? NULL : &places, &drawn, out, err) < 0)
                return -1;
        return say_drawn(s, &drawn, err);
}

/* "TITLE|X|Y|LOG|numbers or words" */
static void put_titles(const struct show *s, bool numbers, char *text, size_t size)
{
        const struct show_options *o = s->options;
        const char *metric = lb_csv_name(&s->file.csv, s->metric.column[0]);
        char x[FIGURE_WORDS_SIZE], y[FIGURE_WORDS_SIZE], title[FIGURE_WORDS_SIZE];
        figure_axis_words(o->x, x);
        figure_axis_words(metric, y);
        figure_title_words(x, y, title);
        figure_plain(o->title ? o->title : title, title, 201);
        figure_plain(o->x_words ? o->x_words : x, x, 201);
        figure_plain(o->y_words ? o->y_words : y, y, 201);
        snprintf(text, size, "%s|%s|%s|%s|%s", title, x, y, show_logs[o->log],
                 numbers ? "numbers" : "words");
}

int show_plot(const struct show *s, struct lb_error *err)
{
        const struct show_options *o = s->options;
        char path[LB_PATH_SIZE], words[1024];
        struct lb_file file;
        if (lb_path(path, err, "%s/%s.dat", o->directory, o->plot) < 0)
                return -1;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        bool numbers = has_numbers(s);
        int status = write_data(s, numbers, file.stream, err);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        if (status < 0)
                return -1;
        put_titles(s, numbers, words, sizeof(words));
        const struct gnuplot_job job = { "show", o->directory, o->plot, words,
                                         figure_sizes[o->figure_size] };
        gnuplot_draw(&job, stderr);
        return 0;
}
