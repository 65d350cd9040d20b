/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_TABLE_IMPL_H
#define LB_PLOTS_TABLE_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "plots/table.h"

/* The table's inside (private to table.c, which fills it, and table_write.c, which writes it). */

enum { CELL_TEXT = -1, CELL_WORD = -2 }; /* the latter never reads as a number */

struct cell {
        double number;
        size_t text; /* place in the pool */
        int digits;  /* CELL_TEXT, CELL_WORD, or those of the number */
};

struct table {
        int32_t ncolumn;
        char **name;       /* [ncolumn] */
        struct cell *cell; /* [nrow][ncolumn]; the last row may be short */
        size_t nrow, ncell, cell_capacity;
        char *pool; /* the texts, each NUL-terminated */
        size_t npool, pool_capacity;
        int32_t filled; /* cells of the last row */
        bool failed;    /* out of memory */
};

enum cell_kind { CELL_KIND_NONE = 0, CELL_KIND_NUMBER, CELL_KIND_TRUTH, CELL_KIND_TEXT };

/* CELL_KIND_NONE: empty, or not a finite number. */
enum cell_kind table_cell_kind(const struct table *table, const struct cell *cell);

/* A cell as people see it, and as programs read it. Uses text[] where it has to. */
const char *table_cell_shown(const struct table *table, const struct cell *cell,
                             char text[static LB_NUMBER_SIZE]);
const char *table_cell_exact(const struct table *table, const struct cell *cell,
                             char text[static LB_NUMBER_SIZE]);

#endif
