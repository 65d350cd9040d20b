/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A case of one's own: the time of an iteration over the last number that is swept, a line for each
 * combination of what else is swept of the system and its graph, a panel for each of the rest. It
 * is what lbsim show --plot draws (plots/show.gp), without asking what is to be seen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"

enum { LINES_MAX = 64, FAR = 16 }; /* FAR: largest over smallest value, from where on a log scale */

/* Where a point is drawn. */
struct place {
        int line;
        double x;
        const struct figure_row *row;
};

struct lines {
        const struct scenario *scenario;
        int32_t axis;
        bool numbers; /* else the axis has words, at 0, 1, 2, ... */
        bool systems; /* lines are of several systems, and have their colours */
        int count;
        char name[LINES_MAX][3 * FIGURE_WORDS_SIZE]; /* "PANEL|LINE|SYSTEM" */
        int nword;
        const char *word[LINES_MAX];
};

/* Are all values of a column numbers, and more than one? */
static bool is_axis(const struct scenario *scenario, const struct figure_rows *rows, int32_t column)
{
        double first = 0, value;
        bool differ = false;
        for (int64_t i = 0; i < rows->nrow; i++) {
                if (!lb_number_is(scenario_point_text(scenario, rows->row[i].point, column),
                                  &value))
                        return false;
                first = i == 0 ? value : first;
                differ = differ || value < first || value > first;
        }
        return differ;
}

static void lines_init(struct lines *l, const struct scenario *scenario,
                       const struct figure_rows *rows)
{
        *l = (struct lines){ .scenario = scenario, .axis = scenario_ncolumn(scenario) - 1 };
        while (l->axis >= 0 && !is_axis(scenario, rows, l->axis))
                l->axis--;
        l->numbers = l->axis >= 0;
        if (l->axis < 0)
                l->axis = scenario_ncolumn(scenario) - 1;
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                l->systems |=
                    c != l->axis && strcmp(scenario_column(scenario, c), "system.name") == 0;
}

/* The line of a point, or LINES_MAX where there is no room for one more. */
static int line_of(struct lines *l, const struct figure_row *row)
{
        char panel[FIGURE_WORDS_SIZE], line[FIGURE_WORDS_SIZE], name[sizeof(l->name[0])];
        figure_other_words(l->scenario, row->point, figure_not_of_system, l->axis, panel);
        figure_other_words(l->scenario, row->point, figure_of_system, l->axis, line);
        snprintf(name, sizeof(name), "%s|%s|%s", panel, line[0] ? line : "mean",
                 l->systems ? row->system : "");
        int i = 0;
        while (i < l->count && strcmp(l->name[i], name) != 0)
                i++;
        if (i == l->count && i < LINES_MAX)
                snprintf(l->name[l->count++], sizeof(name), "%s", name);
        return i;
}

/* LINES_MAX: no room. */
static double x_of(struct lines *l, const struct figure_row *row)
{
        double value = 0;
        int i = 0;
        const char *text = scenario_point_text(l->scenario, row->point, l->axis);
        if (l->numbers && lb_number_is(text, &value))
                return value;
        while (i < l->nword && strcmp(l->word[i], text) != 0)
                i++;
        if (i == l->nword && i < LINES_MAX)
                l->word[l->nword++] = text;
        return i;
}

static int by_line_and_x(const void *a, const void *b)
{
        const struct place *p = a, *q = b;
        return p->line != q->line ? (p->line > q->line) - (p->line < q->line)
                                  : (p->x > q->x) - (p->x < q->x);
}

/* All points, line by line from left to right; NULL out of memory. */
static struct place *places_of(struct lines *l, const struct figure_rows *rows)
{
        struct place *place = calloc((size_t)rows->nrow + 1, sizeof(*place));
        for (int64_t i = 0; place && i < rows->nrow; i++) {
                const struct figure_row *row = &rows->row[i];
                place[i] = (struct place){ line_of(l, row), x_of(l, row), row };
        }
        if (place)
                qsort(place, (size_t)rows->nrow, sizeof(*place), by_line_and_x);
        return place;
}

/* Long names are alike as far as there is room for them. */
static bool refuse_twice(struct lines *l, const struct figure_rows *rows, char *why, size_t size)
{
        struct place *place = places_of(l, rows);
        int64_t i = 1;
        while (place && i < rows->nrow && by_line_and_x(&place[i - 1], &place[i]) != 0)
                i++;
        bool twice = place && i < rows->nrow;
        if (twice)
                snprintf(why, size, "two points have the line '%.150s' and the place '%.60s'",
                         l->name[place[i].line],
                         scenario_point_text(l->scenario, place[i].row->point, l->axis));
        free(place);
        return twice;
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        struct lines l;
        lines_init(&l, scenario, rows);
        if (l.axis < 0)
                return snprintf(why, size, "nothing is swept"), true;
        for (int64_t i = 0; i < rows->nrow; i++) {
                if (line_of(&l, &rows->row[i]) == LINES_MAX)
                        return snprintf(why, size, "it has room for %d lines", LINES_MAX), true;
                if (!l.numbers && !(x_of(&l, &rows->row[i]) < LINES_MAX))
                        return snprintf(why, size, "it has room for %d words", LINES_MAX), true;
        }
        return refuse_twice(&l, rows, why, size);
}

static void write_places(FILE *out, const struct lines *l, const struct place *place, int64_t count)
{
        fputs("# x mean low high label; heads: panel, line, system\n", out);
        for (int64_t i = 0; i < count; i++) {
                if (i == 0 || place[i].line != place[i - 1].line)
                        fprintf(out, "%s\"%s\"\n", i > 0 ? "\n\n" : "", l->name[place[i].line]);
                fprintf(out, "%.9g", place[i].x);
                figure_put_interval(out, place[i].row->time_s);
                char label[FIGURE_WORDS_SIZE];
                figure_plain(scenario_point_text(l->scenario, place[i].row->point, l->axis), label,
                             sizeof(label));
                fprintf(out, " \"%s\"\n", label);
        }
}

static void write_data(FILE *out, const struct figure_input *input)
{
        struct lines l;
        lines_init(&l, input->sweep->scenario, input->rows);
        struct place *place = places_of(&l, input->rows);
        if (place)
                write_places(out, &l, place, input->rows->nrow);
        free(place);
}

/* "TITLE|X|Y|LOG|numbers or words" */
static void about(const struct figure_input *input, char text[static FIGURE_ABOUT_SIZE])
{
        const struct scenario *scenario = input->sweep->scenario;
        struct lines l;
        lines_init(&l, scenario, input->rows);
        char x[FIGURE_WORDS_SIZE], y[FIGURE_WORDS_SIZE], title[FIGURE_WORDS_SIZE];
        double least = INFINITY, most = 0;
        for (int64_t i = 0; l.numbers && i < input->rows->nrow; i++) {
                double value = x_of(&l, &input->rows->row[i]);
                least = fmin(least, value);
                most = fmax(most, value);
        }
        figure_axis_words(scenario_column(scenario, l.axis), x);
        figure_axis_words("time_per_iteration_s", y);
        figure_title_words(x, y, title);
        snprintf(text, FIGURE_ABOUT_SIZE, "%s|%s|%s|%s|%s", title, x, y,
                 least > 0 && most >= FAR * least ? "x" : "none", l.numbers ? "numbers" : "words");
}

const struct figure_type figure_lines = {
        .name = "lines",
        .script = "show",
        .place = "what is swept",
        .refuse = refuse,
        .about = about,
        .write = write_data,
};
