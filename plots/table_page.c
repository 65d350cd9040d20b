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

static bool put_heads(FILE *out, const struct table *table, page_words *words, const void *of,
                      const char **cell)
{
        char(*text)[PAGE_WORDS_SIZE] = calloc((size_t)table->ncolumn + 1, sizeof(*text));
        for (int32_t c = 0; text && c < table->ncolumn; c++) {
                words(of, table->name[c], text[c]);
                cell[c] = text[c];
        }
        if (text)
                page_table_begin(out, cell, table->ncolumn);
        bool fine = text;
        free(text);
        return fine;
}

int page_of_table(FILE *out, const struct table *table, page_words *words, const void *of)
{
        size_t ncolumn = (size_t)table->ncolumn;
        const char **cell = calloc(ncolumn + 1, sizeof(*cell));
        char(*text)[LB_NUMBER_SIZE] = calloc(ncolumn + 1, sizeof(*text));
        bool fine = cell && text && !table->failed && put_heads(out, table, words, of, cell);
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
