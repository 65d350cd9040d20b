/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacked values over time, a strip per lane, which zooms and is dragged. */
#include <math.h>

#include "base/number.h"
#include "plots/page.h"
#include "plots/page_impl.h"

enum { WIDTH = 1000, STRIP = 60, SPACE = 10 };

/* Neighbours differ in lightness; as in plots/style.gp. */
static const char *const colours[] = { "#0072b2", "#f0b340", "#00694d", "#e58a5a",
                                       "#7b3294", "#9fd3f2", "#6e6e6e", "#f0e442" };
enum { NCOLOUR = sizeof(colours) / sizeof(colours[0]) };

static void number(FILE *out, double value)
{
        char text[LB_NUMBER_SIZE];
        lb_number_text(round(100 * value) / 100, text);
        fprintf(out, "%s ", text);
}

/* The sum of the layers below `layer` in a bin. */
static double below(const struct page_timeline *t, const struct page_lane *lane, int32_t layer,
                    int32_t bin)
{
        double sum = 0;
        for (int32_t l = 0; l < layer; l++)
                sum += lane->value[(int64_t)l * t->nbin + bin];
        return fmin(sum, lane->most);
}

/* A step where the height changes, there and back again. */
static void edge(FILE *out, const struct page_timeline *t, const struct page_lane *lane,
                 int32_t layer, double bottom, bool back)
{
        double last = -1;
        for (int32_t i = 0; i <= t->nbin; i++) {
                int32_t bin = back ? t->nbin - 1 - i : i;
                bool over = i == t->nbin;
                double height = over ? last : below(t, lane, layer, bin);
                if (i > 0 && i < t->nbin && !(height < last) && !(height > last))
                        continue;
                double x = (double)WIDTH * (back ? t->nbin - i : i) / t->nbin;
                if (i > 0) {
                        number(out, x);
                        number(out, bottom - STRIP * last / lane->most);
                }
                number(out, x);
                number(out, bottom - STRIP * height / lane->most);
                last = height;
        }
}

static void layer(FILE *out, const struct page_timeline *t, const struct page_lane *lane,
                  int32_t which, double bottom)
{
        fprintf(out, "<polygon fill=\"%s\" points=\"", colours[which % NCOLOUR]);
        edge(out, t, lane, which + 1, bottom, false);
        edge(out, t, lane, which, bottom, true);
        fputs("\"/>\n", out);
}

static void lanes(FILE *out, const struct page_timeline *t, double height)
{
        for (int32_t l = 0; l < t->nlane; l++) {
                double bottom = (STRIP + SPACE) * (l + 1);
                for (int32_t a = 0; a < t->nlayer && t->lane[l].most > 0; a++)
                        layer(out, t, &t->lane[l], a, bottom);
        }
        for (int64_t m = 0; m < t->nmark && t->end_s > 0; m++) {
                double x = WIDTH * t->mark_s[m] / t->end_s;
                fputs("<path class=\"mark\" d=\"M ", out);
                number(out, x);
                fputs("0 V ", out);
                number(out, height);
                fputs("\"/>\n", out);
        }
}

static void legend(FILE *out, const struct page_timeline *t)
{
        char text[64];
        fputs("<p class=\"keys\">", out);
        for (int32_t a = 0; a < t->nlayer; a++) {
                snprintf(text, sizeof(text), "%s %d", t->layers, a);
                fprintf(out, "<span class=\"key\" style=\"background: %s\"></span> ",
                        colours[a % NCOLOUR]);
                page_element(out, "", text, " &nbsp; ");
        }
        if (t->nmark > 0)
                page_element(out, "<span class=\"key mark\"></span> ", t->marks, "");
        fputs("</p>\n", out);
}

void page_timeline(FILE *out, const struct page_timeline *t)
{
        double height = (STRIP + SPACE) * t->nlane;
        page_heading(out, t->title);
        if (t->nbin < 1 || t->nlane < 1 || !(t->end_s > 0))
                return;
        legend(out, t);
        fputs("<div class=\"timeline\" data-end=\"", out);
        number(out, t->end_s * 1000);
        fprintf(out, "\">\n<p class=\"filter\"><button type=\"button\">closer</button> <button "
                     "type=\"button\">farther</button> <button type=\"button\">all</button> or the "
                     "wheel; drag to move</p>\n<div class=\"strips\"><div class=\"names\">\n");
        for (int32_t l = 0; l < t->nlane; l++)
                page_element(out, "<span>", t->lane[l].name, "</span>\n");
        fprintf(out, "</div>\n<svg viewBox=\"0 0 %d %.0f\" preserveAspectRatio=\"none\" ", WIDTH,
                height);
        fprintf(out, "style=\"height: %.0fpx\" role=\"img\" aria-label=\"", height);
        page_element(out, "", t->title, "\">\n");
        lanes(out, t, height);
        fprintf(out, "</svg></div>\n<p class=\"scale\"><output>0 to %.4g s</output></p></div>\n",
                t->end_s);
}
