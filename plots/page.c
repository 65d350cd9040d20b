/* SPDX-License-Identifier: BSD-3-Clause */
#include "plots/page.h"

#include <stdbool.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "plots/page_impl.h"

/* ---- Text ---- */

void page_escaped(FILE *out, const char *text)
{
        while (*text) {
                size_t size = lb_text_character(text);
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
                        fwrite(text, 1, size, out);
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

static bool is_number(const char *text)
{
        double number;
        return lb_number_is(text, &number);
}

/* What is long may be broken into lines. */
void page_cell(FILE *out, const char *text)
{
        enum { LONG = 36 };
        page_element(out,
                     is_number(text)       ? "<td class=\"n\">"
                     : strlen(text) > LONG ? "<td class=\"long\">"
                                           : "<td>",
                     text, "</td>");
}

void page_table(FILE *out, const char *const *name, int32_t ncolumn, const char *const *cell,
                int32_t nrow)
{
        fputs("<div class=\"wide\"><table>\n<tr>", out);
        for (int32_t c = 0; c < ncolumn; c++)
                page_element(out, nrow > 0 && is_number(cell[c]) ? "<th class=\"n\">" : "<th>",
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
