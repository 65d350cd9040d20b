/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "plots/page.h"
#include "plots/table_impl.h"

static const char *shown(const struct table *table, size_t row, int32_t column,
                         char text[static LB_NUMBER_SIZE])
{
        size_t place = row * (size_t)table->ncolumn + (size_t)column;
        return place < table->ncell ? table_cell_shown(table, &table->cell[place], text) : "";
}

int page_of_table(FILE *out, const struct table *table)
{
        size_t ncolumn = (size_t)table->ncolumn;
        const char **cell = calloc(ncolumn + 1, sizeof(*cell));
        char(*text)[LB_NUMBER_SIZE] = calloc(ncolumn + 1, sizeof(*text));
        bool fine = cell && text && !table->failed;
        if (fine)
                page_table_begin(out, (const char *const *)table->name, table->ncolumn);
        for (size_t row = 0; fine && row < table->nrow; row++) {
                for (int32_t c = 0; c < table->ncolumn; c++)
                        cell[c] = shown(table, row, c, text[c]);
                page_table_row(out, cell, table->ncolumn);
        }
        if (fine)
                page_table_end(out);
        free(cell);
        free(text);
        return fine ? 0 : -1;
}
