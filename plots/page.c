/* SPDX-License-Identifier: BSD-3-Clause */
#include "plots/page.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "plots/page_impl.h"

enum { WIDTH = 900, LEFT = 230, RIGHT = 120, ROW = 22, BINS = 24 };

/* ---- Text ---- */

/* Bytes of the UTF-8 character that text begins with, or 0. */
static int character_size(const unsigned char *text)
{
        int size = text[0] < 0x80                      ? 1
                   : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                   : (text[0] & 0xf0) == 0xe0          ? 3
                   : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                       : 0;
        for (int i = 1; i < size; i++)
                if ((text[i] & 0xc0) != 0x80)
                        return 0;
        return size;
}

void page_escaped(FILE *out, const char *text)
{
        while (*text) {
                int size = character_size((const unsigned char *)text);
                if (size == 0)
                        fputs("\xef\xbf\xbd", out);
                else if (*text == '<')
                        fputs("&lt;", out);
                else if (*text == '>')
                        fputs("&gt;", out);
                else if (*text == '&')
                        fputs("&amp;", out);
                else if (*text == '"')
                        fputs("&quot;", out);
                else if ((unsigned char)*text >= 0x20 || *text == '\n' || *text == '\t')
                        fwrite(text, 1, (size_t)size, out);
                text += size ? size : 1;
        }
}

void page_element(FILE *out, const char *open, const char *text, const char *close)
{
        fputs(open, out);
        page_escaped(out, text);
        fputs(close, out);
}

void page_begin(FILE *out, const char *title)
{
        fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width\">\n",
              out);
        page_element(out, "<title>", title, "</title>\n");
        fputs(
            "<style>\n"
            "body { font: 15px/1.45 sans-serif; max-width: 960px; margin: 2em auto; padding: 0 1em;"
            " color: #222; background: #fff }\n"
            "h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 2em }\n"
            ".lead { font-size: 1.15em; border-left: 4px solid #36c; padding-left: .8em }\n"
            "table { border-collapse: collapse; font-size: .9em; min-width: 820px } th { "
            "text-align: left }\n"
            "table:not(:has(th:nth-child(6))) { min-width: 0 }\n"
            "th, td { padding: .15em .7em; border-bottom: 1px solid #ddd; vertical-align: top }\n"
            "th { white-space: nowrap } th.n, td.n { text-align: right }\n"
            "td.n { font-variant-numeric: tabular-nums } td { white-space: nowrap } td.long { "
            "white-space: normal; overflow-wrap: break-word; min-width: 16em; max-width: 28em }\n"
            ".wide { overflow-x: auto }\n"
            "svg { width: 100%; min-width: 580px; height: auto; font: 12px sans-serif }\n"
            "figure { margin: 1em 0 } summary { cursor: pointer; margin: .5em 0 }\n"
            "pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f5f5f5; padding: "
            ".6em; font-size: .85em }\n"
            "th button { all: unset; cursor: pointer } th button:focus-visible { outline: 2px "
            "solid "
            "#36c }\n"
            "th[aria-sort=ascending] button::after { content: ' \\25B2' }\n"
            "th[aria-sort=descending] button::after { content: ' \\25BC' }\n"
            ".strips { display: flex } .strips svg { min-width: 0; flex: 1; width: 0; cursor: "
            "grab; "
            "touch-action: pan-y; background: #f7f7f7 } .names { display: flex; flex-direction: "
            "column; justify-content: space-around; padding-right: .6em; font-size: .85em }\n"
            ".mark { stroke: #000; fill: none; stroke-width: 1; vector-effect: non-scaling-stroke; "
            "opacity: .5 } .key { display: inline-block; width: .8em; height: .8em } .key.mark { "
            "border-left: 1px solid #000; width: 0; margin-right: .3em } .scale { text-align: "
            "right; font-size: .85em "
            "}\n"
            "@page { size: A4; margin: 14mm }\n"
            "@media print { body { max-width: none; margin: 0; font-size: 10pt } .filter { "
            "display: "
            "none } .wide { overflow: visible } table { min-width: 0; font-size: 6pt } th { "
            "white-space: normal } th, td, td.long { padding: .1em .2em; overflow-wrap: "
            "break-word; "
            "white-space: normal; min-width: 0 } svg { min-width: 0 } figure, tr, .timeline { "
            "break-inside: "
            "avoid } h2, .keys { break-after: avoid }\n"
            "  .sorts :is(th, td):nth-child(n + 15) { display: none }\n" /* paper has no room */
            "  .sorts:has(th:nth-child(15))::after { content: 'The first 14 columns; the page as a "
            "file has all.' } }\n"
            "</style>\n</head>\n<body>\n",
            out);
        page_element(out, "<h1>", title, "</h1>\n");
}

void page_end(FILE *out)
{
        fputs("</body>\n</html>\n", out);
}

void page_heading(FILE *out, const char *text)
{
        page_element(out, "<h2>", text, "</h2>\n");
}

void page_lead(FILE *out, const char *text)
{
        page_element(out, "<p class=\"lead\">", text, "</p>\n");
}

void page_text(FILE *out, const char *text)
{
        page_element(out, "<p>", text, "</p>\n");
}

bool page_is_number(const char *text)
{
        char *end;
        lb_number_read(text, &end);
        return end != text && *end == '\0';
}

/* What is long may be broken into lines. */
void page_cell(FILE *out, const char *text)
{
        enum { LONG = 36 };
        page_element(out,
                     page_is_number(text)  ? "<td class=\"n\">"
                     : strlen(text) > LONG ? "<td class=\"long\">"
                                           : "<td>",
                     text, "</td>");
}

void page_table(FILE *out, const char *const *name, int32_t ncolumn, const char *const *cell,
                int32_t nrow)
{
        fputs("<div class=\"wide\"><table>\n<tr>", out);
        for (int32_t c = 0; c < ncolumn; c++)
                page_element(out, nrow > 0 && page_is_number(cell[c]) ? "<th class=\"n\">" : "<th>",
                             name[c], "</th>");
        fputs("</tr>\n", out);
        for (int32_t r = 0; r < nrow; r++) {
                fputs("<tr>", out);
                for (int32_t c = 0; c < ncolumn; c++)
                        page_cell(out, cell[r * ncolumn + c]);
                fputs("</tr>\n", out);
        }
        fputs("</table></div>\n", out);
}

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
        snprintf(text, sizeof(text), "%.4g%s%s", value, *unit ? " " : "", unit);
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
                label(out, LEFT + width * end / most + 6, y + 13, "start", b->note);
        }
        end_figure(out);
}
