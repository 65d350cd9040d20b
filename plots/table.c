/* SPDX-License-Identifier: BSD-3-Clause */
#include "plots/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "plots/table_impl.h"

struct table *table_create(int32_t ncolumn, const char *const *name)
{
        struct table *table = calloc(1, sizeof(*table));
        if (!table)
                return NULL;
        table->name = calloc((size_t)ncolumn + 1, sizeof(char *));
        if (!table->name)
                goto error;
        table->ncolumn = ncolumn;
        for (int32_t c = 0; c < ncolumn; c++) {
                size_t size = strlen(name[c]) + 1;
                table->name[c] = malloc(size);
                if (!table->name[c])
                        goto error;
                memcpy(table->name[c], name[c], size);
        }
        return table;
error:
        table_destroy(table);
        return NULL;
}

void table_destroy(struct table *table)
{
        if (!table)
                return;
        for (int32_t c = 0; table->name && c < table->ncolumn; c++)
                free(table->name[c]);
        free(table->name);
        free(table->cell);
        free(table->pool);
        free(table);
}

int64_t table_rows(const struct table *table)
{
        return (int64_t)table->nrow;
}

/* Room for `need` items of `size` bytes; NULL, and the table has failed, where there is none. */
static void *grown(struct table *table, void *memory, size_t *capacity, size_t need, size_t size)
{
        if (need <= *capacity)
                return memory;
        size_t room = *capacity ? *capacity : 64;
        while (room < need)
                room *= 2;
        void *more = realloc(memory, room * size);
        if (more)
                *capacity = room;
        else
                table->failed = true;
        return more;
}

/* One more cell of the last row; the caller has seen that there is room in it. */
static void add_cell(struct table *table, struct cell cell)
{
        struct cell *cells =
            grown(table, table->cell, &table->cell_capacity, table->ncell + 1, sizeof(*cells));
        if (!cells)
                return;
        table->cell = cells;
        table->cell[table->ncell++] = cell;
        table->filled++;
}

static bool has_room(const struct table *table)
{
        return !table->failed && table->nrow > 0 && table->filled < table->ncolumn;
}

void table_row(struct table *table)
{
        while (has_room(table))
                add_cell(table, (struct cell){ .number = NAN });
        table->nrow++;
        table->filled = 0;
}

static void add_text(struct table *table, const char *text, int digits)
{
        if (!has_room(table))
                return;
        size_t size = strlen(text) + 1;
        char *pool = grown(table, table->pool, &table->pool_capacity, table->npool + size, 1);
        if (!pool)
                return;
        table->pool = pool;
        memcpy(pool + table->npool, text, size);
        add_cell(table, (struct cell){ .text = table->npool, .digits = digits });
        table->npool += size;
}

void table_text(struct table *table, const char *text)
{
        add_text(table, text, CELL_TEXT);
}

void table_word(struct table *table, const char *text)
{
        add_text(table, text, CELL_WORD);
}

void table_number(struct table *table, double number, int digits)
{
        if (has_room(table))
                add_cell(table,
                         (struct cell){ .number = number, .digits = digits < 1 ? 1 : digits });
}

const char *table_cell_exact(const struct table *table, const struct cell *cell,
                             char text[static LB_NUMBER_SIZE])
{
        if (cell->digits < 0)
                return table->pool ? table->pool + cell->text : "";
        text[0] = '\0';
        if (isfinite(cell->number))
                lb_number_text(cell->number, text);
        return text;
}

/* Whole numbers are never cut to their leading digits. */
const char *table_cell_shown(const struct table *table, const struct cell *cell,
                             char text[static LB_NUMBER_SIZE])
{
        if (cell->digits < 0 || !isfinite(cell->number))
                return table_cell_exact(table, cell, text);
        bool whole = fabs(cell->number) < 1e15 && cell->number == floor(cell->number);
        snprintf(text, LB_NUMBER_SIZE, "%.*g", whole ? 15 : cell->digits, cell->number);
        return text;
}

static bool skip_digits(const char **at)
{
        const char *start = *at;
        while (**at >= '0' && **at <= '9')
                ++*at;
        return *at > start;
}

/* Is this a number as JSON spells them? */
static bool reads_as_number(const char *text)
{
        const char *at = text + (*text == '-');
        if (at[0] == '0' && at[1] >= '0' && at[1] <= '9')
                return false;
        if (!skip_digits(&at))
                return false;
        if (*at == '.' && (++at, !skip_digits(&at)))
                return false;
        if (*at == 'e' || *at == 'E') {
                at++;
                at += *at == '+' || *at == '-';
                if (!skip_digits(&at))
                        return false;
        }
        return *at == '\0';
}

enum cell_kind table_cell_kind(const struct table *table, const struct cell *cell)
{
        if (cell->digits >= 0)
                return isfinite(cell->number) ? CELL_KIND_NUMBER : CELL_KIND_NONE;
        char unused[LB_NUMBER_SIZE];
        const char *text = table_cell_exact(table, cell, unused);
        if (*text == '\0')
                return CELL_KIND_NONE;
        if (cell->digits == CELL_WORD)
                return CELL_KIND_TEXT;
        if (reads_as_number(text))
                return CELL_KIND_NUMBER;
        bool truth = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
        return truth ? CELL_KIND_TRUTH : CELL_KIND_TEXT;
}
