/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of results in parts. */
#include "sim/output/results.h"

enum { PART = 4096 };

/* What a table is of: the slots of runs, or the points. */
static int64_t count_of(const struct sweep *sweep, results_part part)
{
        return part == results_runs ? sweep->nslot : sweep->scenario->npoint;
}

struct parts {
        const struct sweep *sweep;
        results_part part;
        int64_t first, count;
};

/* The next part, to be destroyed; NULL behind the last (first == count) or without memory. */
static struct table *next_part(struct parts *parts)
{
        int64_t left = parts->count - parts->first, first = parts->first;
        if (left == 0)
                return NULL;
        parts->first += left > PART ? PART : left;
        return parts->part(parts->sweep, first, parts->first);
}

/* ---- Aligned text: looked at, then written ---- */

static struct table_layout *look(struct parts parts)
{
        struct table_layout *layout = NULL;
        while (parts.first < parts.count) {
                struct table *table = next_part(&parts);
                if (table && layout)
                        table_layout_look(layout, table);
                else if (table)
                        layout = table_layout_create(table);
                table_destroy(table);
                if (!table)
                        break;
        }
        if (parts.first == parts.count)
                return layout;
        table_layout_destroy(layout);
        return NULL;
}

static int put_text(struct parts parts, FILE *out)
{
        struct table_layout *layout = look(parts);
        int status = layout ? 0 : -1;
        for (bool first = true; status == 0 && parts.first < parts.count; first = false) {
                struct table *table = next_part(&parts);
                status = table ? table_layout_write(layout, table, out, first) : -1;
                table_destroy(table);
        }
        table_layout_destroy(layout);
        return status;
}

/* ---- All forms ---- */

static int put_rows(struct parts parts, FILE *out, enum table_format format)
{
        bool first = true;
        int status = 0;
        fputs(format == TABLE_JSON ? "[" : "", out);
        while (status == 0 && parts.first < parts.count) {
                struct table *table = next_part(&parts);
                status = table ? table_write_part(table, out, format, first) : -1;
                first = first && table && table_rows(table) == 0 && format == TABLE_JSON;
                table_destroy(table);
        }
        if (format == TABLE_JSON)
                fputs(first ? "]" : "\n]", out);
        return status;
}

int results_put(const struct sweep *sweep, results_part part, FILE *out, enum table_format format)
{
        const struct parts parts = { .sweep = sweep, .part = part, .count = count_of(sweep, part) };
        return format == TABLE_TEXT ? put_text(parts, out) : put_rows(parts, out, format);
}
