/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/number.h"
#include "plots/table_impl.h"

/* Cells of the last row may be missing; they are empty. */
static const struct cell *cell_at(const struct table *table, size_t row, int32_t column)
{
        static const struct cell none = { .number = 0, .text = 0, .digits = CELL_TEXT };
        size_t place = row * (size_t)table->ncolumn + (size_t)column;
        return place < table->ncell ? &table->cell[place] : &none;
}

/* ---- Text ---- */

/* Columns on the screen: characters of UTF-8, not bytes. */
static int width_of(const char *text)
{
        int width = 0;
        for (; *text; text++)
                width += ((unsigned char)*text & 0xC0) != 0x80;
        return width;
}

struct layout {
        int width;
        bool numbers; /* and nothing else: they stand right */
};

struct table_layout {
        int32_t ncolumn;
        struct layout column[]; /* [ncolumn] */
};

struct table_layout *table_layout_create(const struct table *table)
{
        size_t ncolumn = (size_t)table->ncolumn;
        struct table_layout *layout =
            calloc(1, sizeof(*layout) + ncolumn * sizeof(layout->column[0]));
        if (!layout)
                return NULL;
        layout->ncolumn = table->ncolumn;
        for (int32_t c = 0; c < table->ncolumn; c++)
                layout->column[c] =
                    (struct layout){ .width = width_of(table->name[c]), .numbers = true };
        table_layout_look(layout, table);
        return layout;
}

void table_layout_destroy(struct table_layout *layout)
{
        free(layout);
}

static void look_at_cell(struct layout *column, const struct table *table, const struct cell *cell)
{
        char text[LB_NUMBER_SIZE];
        int width = width_of(table_cell_shown(table, cell, text));
        if (width > column->width)
                column->width = width;
        enum cell_kind kind = table_cell_kind(table, cell);
        if (kind == CELL_KIND_TEXT || kind == CELL_KIND_TRUTH)
                column->numbers = false;
}

void table_layout_look(struct table_layout *layout, const struct table *table)
{
        for (size_t row = 0; row < table->nrow; row++)
                for (int32_t c = 0; c < table->ncolumn; c++)
                        look_at_cell(&layout->column[c], table, cell_at(table, row, c));
}

static void put_aligned(FILE *out, const char *text, struct layout column, bool last)
{
        int gap = column.width - width_of(text);
        if (column.numbers)
                fprintf(out, "%*s%s", gap, "", text);
        else
                fprintf(out, "%s%*s", text, last ? 0 : gap, "");
        fputs(last ? "\n" : "  ", out);
}

int table_layout_write(const struct table_layout *layout, const struct table *table, FILE *out,
                       bool first)
{
        char text[LB_NUMBER_SIZE];
        int32_t last = table->ncolumn - 1;
        if (table->failed)
                return -1;
        for (int32_t c = 0; first && c <= last; c++)
                put_aligned(out, table->name[c], layout->column[c], c == last);
        for (size_t row = 0; row < table->nrow; row++)
                for (int32_t c = 0; c <= last; c++)
                        put_aligned(out, table_cell_shown(table, cell_at(table, row, c), text),
                                    layout->column[c], c == last);
        return ferror(out) ? -1 : 0;
}

static int write_text(const struct table *table, FILE *out)
{
        struct table_layout *layout = table_layout_create(table);
        int status = layout ? table_layout_write(layout, table, out, true) : -1;
        table_layout_destroy(layout);
        return status;
}

/* ---- CSV, RFC 4180; lines end in a line feed alone ---- */

static void put_csv(FILE *out, const char *text, bool last)
{
        if (strpbrk(text, ",\"\r\n")) {
                fputc('"', out);
                for (; *text; text++) {
                        if (*text == '"')
                                fputc('"', out);
                        fputc(*text, out);
                }
                fputc('"', out);
        } else {
                fputs(text, out);
        }
        fputc(last ? '\n' : ',', out);
}

static void write_csv(const struct table *table, FILE *out, bool header)
{
        int32_t last = table->ncolumn - 1;
        for (int32_t c = 0; header && c <= last; c++)
                put_csv(out, table->name[c], c == last);
        char text[LB_NUMBER_SIZE];
        for (size_t row = 0; row < table->nrow; row++)
                for (int32_t c = 0; c <= last; c++)
                        put_csv(out, table_cell_exact(table, cell_at(table, row, c), text),
                                c == last);
}

/* ---- JSON ---- */

static void put_json_cell(const struct table *table, FILE *out, const struct cell *cell)
{
        char text[LB_NUMBER_SIZE];
        const char *exact = table_cell_exact(table, cell, text);
        switch (table_cell_kind(table, cell)) {
        case CELL_KIND_NUMBER:
        case CELL_KIND_TRUTH:
                fputs(exact, out);
                break;
        case CELL_KIND_TEXT:
                lb_json_write_string(out, exact);
                break;
        case CELL_KIND_NONE:
                fputs(cell->digits < 0 ? "\"\"" : "null", out);
                break;
        }
}

static void put_object(const struct table *table, FILE *out, size_t row)
{
        fputc('{', out);
        for (int32_t c = 0; c < table->ncolumn; c++) {
                fputs(c > 0 ? ", " : "", out);
                lb_json_write_string(out, table->name[c]);
                fputs(": ", out);
                put_json_cell(table, out, cell_at(table, row, c));
        }
        fputc('}', out);
}

static void write_objects(const struct table *table, FILE *out, bool first)
{
        for (size_t row = 0; row < table->nrow; row++) {
                fputs(first && row == 0 ? "\n" : ",\n", out);
                put_object(table, out, row);
        }
}

static void write_json(const struct table *table, FILE *out)
{
        fputc('[', out);
        write_objects(table, out, true);
        fputs(table->nrow > 0 ? "\n]" : "]", out);
}

static void write_lines(const struct table *table, FILE *out)
{
        for (size_t row = 0; row < table->nrow; row++) {
                put_object(table, out, row);
                fputc('\n', out);
        }
}

/* ---- Any ---- */

const char *const table_format_names[] = { "table", "csv", "json", NULL };

int table_write(const struct table *table, FILE *out, enum table_format format)
{
        if (table->failed)
                return -1;
        int status = 0;
        if (format == TABLE_TEXT)
                status = write_text(table, out);
        else if (format == TABLE_CSV)
                write_csv(table, out, true);
        else if (format == TABLE_JSON)
                write_json(table, out);
        else if (format == TABLE_LINES)
                write_lines(table, out);
        return status < 0 || ferror(out) ? -1 : 0;
}

int table_write_part(const struct table *table, FILE *out, enum table_format format, bool first)
{
        if (table->failed)
                return -1;
        if (format == TABLE_CSV)
                write_csv(table, out, first);
        else if (format == TABLE_JSON)
                write_objects(table, out, first);
        else if (format == TABLE_LINES)
                write_lines(table, out);
        return ferror(out) ? -1 : 0;
}
