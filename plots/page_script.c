/* SPDX-License-Identifier: BSD-3-Clause */
/* What a page has beyond text and its own figures: tables that sort and filter, figures of gnuplot.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plots/page.h"
#include "plots/page_impl.h"

/* ---- Tables that sort and filter ---- */

/* Sorting by a column: numbers by value, else as text, what is empty last; again: the other way
 * round. Filtering: rows with all the words; how many are shown. Time lines: what is shown of them.
 * Without a script they are plain tables and whole time lines. */
static const char script[] =
    "<script>\n"
    "'use strict';\n"
    "for (const part of document.querySelectorAll('.sorts')) {\n"
    "  const table = part.querySelector('table'), body = table.tBodies[0];\n"
    "  const rows = [...body.rows], shown = part.querySelector('output');\n"
    "  const value = (row, c) => {\n"
    "    const text = row.cells[c].textContent, number = Number(text.replace(/ to .*/, ''));\n"
    "    return text.trim() === '' ? null : Number.isNaN(number) ? text : number;\n"
    "  };\n"
    "  const order = (a, b, up) => a === b ? 0 : a === null ? 1 : b === null ? -1 :\n"
    "    (typeof a === typeof b ? a < b : typeof a === 'number') === up ? -1 : 1;\n"
    "  [...table.tHead.rows[0].cells].forEach((head, c) => {\n"
    "    head.querySelector('button').addEventListener('click', () => {\n"
    "      const up = head.getAttribute('aria-sort') !== 'ascending';\n"
    "      for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');\n"
    "      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n"
    "      rows.sort((a, b) => order(value(a, c), value(b, c), up));\n"
    "      body.append(...rows);\n"
    "    });\n"
    "  });\n"
    "  part.querySelector('input').addEventListener('input', event => {\n"
    "    const words = event.target.value.toLowerCase().split(/\\s+/).filter(Boolean);\n"
    "    let count = 0;\n"
    "    for (const row of rows) {\n"
    "      const cells = [...row.cells].map(cell => cell.textContent.toLowerCase());\n"
    "      row.hidden = !words.every(word => cells.some(cell => cell.includes(word)));\n"
    "      count += !row.hidden;\n"
    "    }\n"
    "    shown.value = `${count} of ${rows.length}`;\n"
    "  });\n"
    "}\n"
    "for (const part of document.querySelectorAll('.timeline')) {\n"
    "  const svg = part.querySelector('svg'), all = svg.viewBox.baseVal.width;\n"
    "  const height = svg.viewBox.baseVal.height, end = Number(part.dataset.end) / 1000;\n"
    "  const scale = part.querySelector('output'), view = { x: 0, width: all };\n"
    "  const show = () => {\n"
    "    view.width = Math.min(all, Math.max(all / 10000, view.width));\n"
    "    view.x = Math.min(all - view.width, Math.max(0, view.x));\n"
    "    svg.setAttribute('viewBox', `${view.x} 0 ${view.width} ${height}`);\n"
    "    const at = x => Number((end * x / all).toPrecision(4));\n"
    "    scale.value = `${at(view.x)} to ${at(view.x + view.width)} s`;\n"
    "  };\n"
    "  const zoom = (factor, about) => {\n"
    "    view.x += about * view.width * (1 - factor);\n"
    "    view.width *= factor;\n"
    "    show();\n"
    "  };\n"
    "  const [closer, farther, whole] = part.querySelectorAll('button');\n"
    "  closer.addEventListener('click', () => zoom(0.5, 0.5));\n"
    "  farther.addEventListener('click', () => zoom(2, 0.5));\n"
    "  whole.addEventListener('click', () => zoom(all, 0));\n"
    "  svg.addEventListener('wheel', event => {\n"
    "    event.preventDefault();\n"
    "    zoom(event.deltaY < 0 ? 0.8 : 1.25, event.offsetX / svg.clientWidth);\n"
    "  }, { passive: false });\n"
    "  svg.addEventListener('pointermove', event => {\n"
    "    if (event.buttons !== 1) return;\n"
    "    view.x -= event.movementX / svg.clientWidth * view.width;\n"
    "    show();\n"
    "  });\n"
    "}\n"
    "</script>\n";

void page_table_begin(FILE *out, const char *const *name, int32_t ncolumn)
{
        fputs("<div class=\"sorts\"><p class=\"filter\"><label>rows with the words <input "
              "type=\"search\"></label> <output></output></p>\n<div class=\"wide\"><table>\n"
              "<thead><tr>",
              out);
        for (int32_t c = 0; c < ncolumn; c++)
                page_element(out, "<th scope=\"col\"><button type=\"button\">", name[c],
                             "</button></th>");
        fputs("</tr></thead>\n<tbody>\n", out);
}

void page_table_row(FILE *out, const char *const *cell, int32_t ncolumn)
{
        fputs("<tr>", out);
        for (int32_t c = 0; c < ncolumn; c++)
                page_cell(out, cell[c]);
        fputs("</tr>\n", out);
}

void page_table_end(FILE *out)
{
        fputs("</tbody></table></div></div>\n", out);
}

void page_script(FILE *out)
{
        fputs(script, out);
}

void page_fold_begin(FILE *out, const char *text)
{
        page_element(out, "<details><summary>", text, "</summary>\n");
}

void page_fold_end(FILE *out)
{
        fputs("</details>\n", out);
}

void page_code(FILE *out, const char *text)
{
        page_element(out, "<pre>", text, "</pre>\n");
}

int page_command(FILE *out, const char *before, char *const *word)
{
        char *command = lb_text_command(before, word);
        if (!command)
                return -1;
        page_code(out, command);
        free(command);
        return 0;
}

/* ---- Figures of gnuplot ---- */

/* What is named in one figure is named in every other; on a page each needs its own. */
static const char *const before_name[] = { "id=\"", "id='", "href='#", "url(#" };

/* The first place behind any of these; NULL where there is none. */
static const char *name_in(const char *text)
{
        const char *first = NULL;
        for (size_t i = 0; i < sizeof(before_name) / sizeof(before_name[0]); i++) {
                const char *at = strstr(text, before_name[i]);
                at = at ? at + strlen(before_name[i]) : NULL;
                first = at && (!first || at < first) ? at : first;
        }
        return first;
}

static void put_line(FILE *out, const char *line, int number)
{
        const char *at = line;
        for (const char *name; (name = name_in(at)); at = name)
                fprintf(out, "%.*sf%d-", (int)(name - at), at, number);
        fputs(at, out);
}

int page_svg(FILE *out, FILE *svg, const char *words, int number)
{
        char *line = NULL;
        size_t size = 0;
        bool inside = false;
        page_element(out, "<figure class=\"wide\" aria-label=\"", words, "\">\n");
        while (getline(&line, &size, svg) > 0) {
                inside = inside || strncmp(line, "<svg", 4) == 0;
                if (inside && strncmp(line, "<title>", 7) != 0 && strncmp(line, "<desc>", 6) != 0)
                        put_line(out, line, number);
        }
        free(line);
        fputs("</figure>\n", out);
        return inside && !ferror(svg) ? 0 : -1;
}
