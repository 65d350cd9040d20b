/* SPDX-License-Identifier: BSD-3-Clause */
/* The page's own figures, as SVG in its text. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "plots/page.h"
#include "plots/page_impl.h"

enum { WIDTH = 900, LEFT = 230, RIGHT = 120, ROW = 22, BINS = 24 };

/* ---- Figures ---- */

/* Of the lines in plots/style.gp, which a test compares. */
static const char *const colours[] = { "#006aa9", "#f3a920", "#ba5100",
                                       "#0e9767", "#d581ad", "#565555" };

static const char *colour(int group)
{
        return colours[group < 0 || group > 5 ? 5 : group];
}

static void begin_figure(FILE *out, const char *title, int height)
{
        page_element(out, "<h2>", title, "</h2>\n");
        fprintf(out,
                "<div class=\"wide\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                "role=\"img\">\n",
                WIDTH, height, WIDTH, height);
        page_element(out, "<title>", title, "</title>\n");
}

static void end_figure(FILE *out)
{
        fputs("</svg></div>\n", out);
}

/* A number in an attribute: the point is one in every locale. */
static void attribute(FILE *out, const char *name, double value)
{
        char text[LB_NUMBER_SIZE];
        lb_number_text(round(100 * value) / 100, text);
        fprintf(out, " %s=\"%s\"", name, text);
}

static void rectangle(FILE *out, double x, double y, double width, double height, const char *fill,
                      const char *more)
{
        fputs("<rect", out);
        attribute(out, "x", x);
        attribute(out, "y", y);
        attribute(out, "width", fmax(width, 0.5));
        attribute(out, "height", height);
        fprintf(out, " fill=\"%s\"%s/>\n", fill, more);
}

static void label(FILE *out, double x, double y, const char *anchor, const char *text)
{
        fputs("<text", out);
        attribute(out, "x", x);
        attribute(out, "y", y);
        fprintf(out, " text-anchor=\"%s\">", anchor);
        page_escaped(out, text);
        fputs("</text>\n", out);
}

static void number_label(FILE *out, double x, double y, const char *anchor, double value,
                         const char *unit)
{
        char text[64];
        bool whole = value >= 1e4 && value < 1e7; /* 20000, not 2e+04 */
        snprintf(text, sizeof(text), whole ? "%.0f%s%s" : "%.4g%s%s", value, *unit ? " " : "",
                 unit);
        label(out, x, y, anchor, text);
}

/* 1, 2 or 5 times a power of ten: four to ten of them up to the largest. */
static double step_of(double most)
{
        double power = pow(10, floor(log10(most)));
        double part = most / power;
        return part < 2 ? power / 5 : part < 5 ? power / 2 : power;
}

static void axis(FILE *out, double most, const char *unit, double y, int height)
{
        double width = WIDTH - LEFT - RIGHT, step = step_of(most);
        for (int i = 0; i * step <= most * 1.0001 && i < 20; i++) {
                double x = LEFT + width * i * step / most;
                rectangle(out, x, y - height, 0.5, height, "#ccc", "");
                number_label(out, x, y + 14, "middle", i * step, unit);
        }
}

/* From almost white to dark blue. */
static void heat_colour(double part, char text[static 8])
{
        int red = (int)(247 - 239 * part), green = (int)(251 - 203 * part);
        int blue = (int)(255 - 148 * part);
        snprintf(text, 8, "#%02x%02x%02x", (unsigned)red & 255U, (unsigned)green & 255U,
                 (unsigned)blue & 255U);
}

/* The largest value of the cells that are drawn as one. */
static double largest(const struct page_heat *heat, int64_t row, int64_t nrow, int64_t column,
                      int64_t ncolumn)
{
        double most = 0;
        int64_t row_end = (row + 1) * heat->nrow / nrow;
        int64_t column_end = (column + 1) * heat->ncolumn / ncolumn;
        for (int64_t r = row * heat->nrow / nrow; r < row_end; r++)
                for (int64_t c = column * heat->ncolumn / ncolumn; c < column_end; c++)
                        most = fmax(most, heat->value[r * heat->ncolumn + c]);
        return isfinite(most) ? most : 0;
}

/* Which colour is how much: beside the cells, as high as its eleven colours, from the same top. */
static void heat_scale(FILE *out, double most, const char *unit)
{
        enum { COLOURS = 11, HIGH = 10, WIDE = 18, LETTER = 9, GAP = 6 };
        const double x = WIDTH - RIGHT + 20, text_x = x + WIDE + GAP;
        char fill[8];
        for (int i = 0; i < COLOURS; i++) {
                heat_colour(i / (COLOURS - 1.0), fill);
                rectangle(out, x, HIGH * (COLOURS - 1 - i), WIDE, HIGH + 0.3, fill, "");
        }
        number_label(out, text_x, LETTER, "start", most, unit);
        number_label(out, text_x, HIGH * COLOURS, "start", 0, unit);
}

static void heat_cells(FILE *out, const struct page_heat *heat, int64_t nrow, int64_t ncolumn,
                       double height)
{
        double width = (double)(WIDTH - LEFT - RIGHT) / (double)ncolumn;
        double most = largest(heat, 0, 1, 0, 1);
        char fill[8];
        for (int64_t r = 0; r < nrow; r++)
                for (int64_t c = 0; c < ncolumn; c++) {
                        double value = largest(heat, r, nrow, c, ncolumn);
                        heat_colour(most > 0 ? value / most : 0, fill);
                        rectangle(out, LEFT + width * (double)c, height * (double)r, width + 0.3,
                                  height + 0.3, fill, "");
                }
        heat_scale(out, most, heat->unit);
}

void page_heat(FILE *out, const struct page_heat *heat)
{
        int64_t nrow = heat->nrow < PAGE_CELLS ? heat->nrow : PAGE_CELLS;
        int64_t ncolumn = heat->ncolumn < PAGE_CELLS ? heat->ncolumn : PAGE_CELLS;
        if (nrow < 1 || ncolumn < 1)
                return;
        double height = fmax(2, fmin(ROW, 400.0 / (double)nrow));
        double bottom = fmax(height * (double)nrow, 130);
        char text[96];
        begin_figure(out, heat->title, (int)bottom + 40);
        heat_cells(out, heat, nrow, ncolumn, height);
        snprintf(text, sizeof(text), "%s 0", heat->rows);
        label(out, LEFT - 8, fmin(height, 14), "end", text);
        snprintf(text, sizeof(text), "%lld", (long long)heat->nrow - 1);
        if (heat->nrow > 1)
                label(out, LEFT - 8, height * (double)(nrow - 1) + fmin(height, 14), "end", text);
        label(out, LEFT, height * (double)nrow + 16, "start", "0");
        double last = heat->column_width > 0 ? heat->column_width * (double)heat->ncolumn
                                             : (double)heat->ncolumn;
        snprintf(text, sizeof(text), "%.4g %s", last, heat->columns);
        label(out, WIDTH - RIGHT, height * (double)nrow + 16, "end", text);
        end_figure(out);
}

void page_histogram(FILE *out, const char *title, const char *unit, const double *value,
                    int64_t count)
{
        int64_t bin[BINS] = { 0 }, highest = 1;
        double most = 0, width = (double)(WIDTH - LEFT - RIGHT) / BINS;
        char text[32];
        for (int64_t i = 0; i < count; i++)
                if (isfinite(value[i]))
                        most = fmax(most, value[i]);
        if (most <= 0)
                return;
        for (int64_t i = 0; i < count; i++) {
                if (!(isfinite(value[i]) && value[i] >= 0))
                        continue;
                int at = (int)(value[i] / most * BINS);
                at = at < BINS ? at : BINS - 1;
                bin[at]++;
                highest = bin[at] > highest ? bin[at] : highest;
        }
        begin_figure(out, title, 190);
        axis(out, most, unit, 150, 140);
        for (int i = 0; i < BINS; i++) {
                double height = 130 * (double)bin[i] / (double)highest;
                if (bin[i] > 0)
                        rectangle(out, LEFT + width * i, 150 - height, width - 1, height, colour(0),
                                  "");
        }
        snprintf(text, sizeof(text), "%lld", (long long)highest);
        label(out, LEFT - 8, 30, "end", text);
        label(out, LEFT - 8, 150, "end", "0");
        end_figure(out);
}

/* Behind a bar; over its end where there is no room for all of it. */
static void note(FILE *out, double x, double y, const char *text)
{
        const double letter = 6.6, room = WIDTH - letter * (double)strlen(text);
        label(out, fmin(x, room), y, "start", text);
}

void page_bars(FILE *out, const char *title, const char *unit, const struct page_bar *bar,
               int32_t count)
{
        double most = 0, width = WIDTH - LEFT - RIGHT;
        int height = ROW * count;
        for (int32_t i = 0; i < count; i++)
                most = fmax(most, fmax(isfinite(bar[i].to) ? bar[i].to : 0,
                                       isfinite(bar[i].most) ? bar[i].most : 0));
        if (most <= 0)
                return;
        begin_figure(out, title, height + 30);
        axis(out, most, unit, height + 4, height + 4);
        for (int32_t i = 0; i < count; i++) {
                const struct page_bar *b = &bar[i];
                double y = ROW * i + 3, end = fmax(b->to, b->most);
                label(out, LEFT - 8, y + 13, "end", b->name);
                if (!isfinite(b->from) || !isfinite(b->to))
                        continue;
                rectangle(out, LEFT + width * b->from / most, y, width * (b->to - b->from) / most,
                          ROW - 6, colour(b->group), "");
                if (b->most > b->to)
                        rectangle(out, LEFT + width * b->to / most, y,
                                  width * (b->most - b->to) / most, ROW - 6, colour(b->group),
                                  " fill-opacity=\"0.35\"");
                note(out, LEFT + width * end / most + 6, y + 13, b->note);
        }
        end_figure(out);
}

/* ---- Lines ---- */

enum { LINES_TOP = 24, LINES_HEIGHT = 240, LINES_LEFT = 70, LINES_WIDTH = WIDTH - LINES_LEFT - 30 };

/* The mean of the values that are drawn as one; NaN where none is finite. */
static double mean_of(const struct page_line *line, int64_t first, int64_t end)
{
        double sum = 0;
        int64_t count = 0;
        for (int64_t i = first; i < end; i++)
                if (isfinite(line->value[i])) {
                        sum += line->value[i];
                        count++;
                }
        return count > 0 ? sum / (double)count : NAN;
}

/* How many values are one point of a line, where `longest` is the longest of a figure. */
static int64_t values_of_a_point(int64_t longest)
{
        return (longest + PAGE_POINTS - 1) / PAGE_POINTS;
}

struct line_scale {
        int64_t longest;
        double most;
};

static struct line_scale scale_of(const struct page_lines *lines)
{
        struct line_scale scale = { 0, isfinite(lines->level) ? fmax(lines->level, 0) : 0 };
        for (int32_t l = 0; l < lines->nline; l++) {
                const struct page_line *line = &lines->line[l];
                scale.longest = line->count > scale.longest ? line->count : scale.longest;
                for (int64_t i = 0; i < line->count; i++)
                        if (isfinite(line->value[i]))
                                scale.most = fmax(scale.most, line->value[i]);
        }
        return scale;
}

static double x_of(const struct line_scale *scale, double at)
{
        double last = scale->longest > 1 ? (double)(scale->longest - 1) : 1;
        return LINES_LEFT + LINES_WIDTH * at / last;
}

static double y_of(const struct line_scale *scale, double value)
{
        return LINES_TOP + LINES_HEIGHT * (1 - value / (1.05 * scale->most));
}

/* Of what is counted no part; numbers that the largest leaves room for. */
static void line_axes(FILE *out, const struct page_lines *lines, const struct line_scale *scale)
{
        double bottom = LINES_TOP + LINES_HEIGHT, step = step_of(scale->most);
        for (int i = 0; i * step <= scale->most * 1.0001 && i < 20; i++) {
                double y = y_of(scale, i * step);
                rectangle(out, LINES_LEFT, y, LINES_WIDTH, 0.5, "#ccc", "");
                number_label(out, LINES_LEFT - 6, y + 4, "end", i * step, lines->unit);
        }
        double last = (double)(scale->longest - 1);
        step = fmax(1, last > 0 ? step_of(last) : 1);
        for (int i = 0; i * step <= last && i < 20; i++)
                number_label(out, x_of(scale, i * step), bottom + 16, "middle", i * step, "");
        label(out, LINES_LEFT + LINES_WIDTH, bottom + 34, "end", lines->x);
}

static void line_points(FILE *out, const struct page_line *line, const struct line_scale *scale)
{
        int64_t of_point = values_of_a_point(scale->longest);
        char text[2][LB_NUMBER_SIZE];
        fprintf(out,
                "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" "
                "stroke-linejoin=\"round\" stroke-linecap=\"round\" points=\"",
                colour(line->group));
        for (int64_t i = 0; i < line->count; i += of_point) {
                int64_t end = i + of_point < line->count ? i + of_point : line->count;
                double value = mean_of(line, i, end);
                if (!isfinite(value))
                        continue;
                double x = x_of(scale, (double)(i + end - 1) / 2), y = y_of(scale, value);
                lb_number_text(round(100 * x) / 100, text[0]);
                lb_number_text(round(100 * y) / 100, text[1]);
                for (int k = 0; k < 1 + (line->count == 1); k++) /* one alone is a dot */
                        fprintf(out, "%s,%s ", text[0], text[1]);
        }
        fputs("\"/>\n", out);
}

/* Above the lines, side by side. */
static double line_key(FILE *out, double x, const char *name, const char *fill, double height)
{
        enum { SWATCH = 16, LETTER = 7, BETWEEN = 24 };
        rectangle(out, x, 9 - height / 2, SWATCH, height, fill, "");
        label(out, x + SWATCH + 5, 13, "start", name);
        return x + SWATCH + 5 + (double)LETTER * (double)strlen(name) + BETWEEN;
}

void page_lines(FILE *out, const struct page_lines *lines)
{
        struct line_scale scale = scale_of(lines);
        double key_x = LINES_LEFT;
        if (!(scale.most > 0) || scale.longest < 1)
                return;
        begin_figure(out, lines->title, LINES_TOP + LINES_HEIGHT + 40);
        line_axes(out, lines, &scale);
        if (lines->level > 0) {
                rectangle(out, LINES_LEFT, y_of(&scale, lines->level), LINES_WIDTH, 1, "#222", "");
                key_x = line_key(out, key_x, lines->level_name, "#222", 1);
        }
        for (int32_t l = 0; l < lines->nline; l++) {
                line_points(out, &lines->line[l], &scale);
                key_x = line_key(out, key_x, lines->line[l].name, colour(lines->line[l].group), 4);
        }
        end_figure(out);
}
