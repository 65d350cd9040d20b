/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in parts. */
#include "plots/table.h"

enum { PART = 4096 };

struct parts {
        table_part part;
        const void *of;
        int64_t first, count;
};

/* The next part, to be destroyed; NULL without memory. Where there is nothing, one without rows. */
static struct table *next_part(struct parts *parts)
{
        int64_t left = parts->count - parts->first, first = parts->first;
        parts->first += left > PART ? PART : left;
        return parts->part(parts->of, first, parts->first);
}

/* ---- Aligned text: looked at, then written ---- */

static struct table_layout *look(struct parts parts)
{
        struct table_layout *layout = NULL;
        bool failed;
        do {
                struct table *table = next_part(&parts);
                if (table && layout)
                        table_layout_look(layout, table);
                else if (table)
                        layout = table_layout_create(table);
                failed = !table;
                table_destroy(table);
        } while (!failed && parts.first < parts.count);
        if (!failed)
                return layout;
        table_layout_destroy(layout);
        return NULL;
}

static int put_text(struct parts parts, FILE *out)
{
        struct table_layout *layout = look(parts);
        int status = layout ? 0 : -1;
        for (bool first = true; status == 0 && (first || parts.first < parts.count);
             first = false) {
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
        do {
                struct table *table = next_part(&parts);
                status = table ? table_write_part(table, out, format, first) : -1;
                first = first && table && table_rows(table) == 0 && format == TABLE_JSON;
                table_destroy(table);
        } while (status == 0 && parts.first < parts.count);
        if (format == TABLE_JSON)
                fputs(first ? "]" : "\n]", out);
        return status;
}

int table_put(table_part part, const void *of, int64_t count, FILE *out, enum table_format format)
{
        const struct parts parts = { .part = part, .of = of, .count = count };
        return format == TABLE_TEXT ? put_text(parts, out) : put_rows(parts, out, format);
}
