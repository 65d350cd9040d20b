/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cells of a file that was read hold. */
#include "base/csv.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

int32_t lb_csv_column(const struct lb_csv *csv, const char *name)
{
        for (int32_t c = 0; c < csv->ncolumn; c++)
                if (strcmp(csv->cell[c], name) == 0)
                        return c;
        return -1;
}

int lb_csv_number(const struct lb_csv *csv, int64_t row, int32_t column, double *number,
                  struct lb_error *err)
{
        const char *text = lb_csv_cell(csv, row, column);
        if (lb_number_is(text, number) && isfinite(*number))
                return 0;
        return lb_error_set(
            err, "%.300s: row %lld, column %s: found \"%.60s\", allowed is a number", csv->file,
            (long long)(csv->before + row) + 1, lb_csv_name(csv, column), text);
}

int lb_csv_value(const struct lb_csv *csv, int64_t row, int32_t column, double *value,
                 struct lb_error *err)
{
        *value = NAN;
        if (!*lb_csv_cell(csv, row, column))
                return 0;
        return lb_csv_number(csv, row, column, value, err);
}
