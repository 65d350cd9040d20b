/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/graph_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "graphs/cache.h"
#include "plots/table.h"

int graph_cache_check(const char *word, struct lb_error *err)
{
        if (strcmp(word, "list") == 0 || strcmp(word, "clear") == 0)
                return 0;
        return lb_error_set(err, "found '%.60s', allowed is list or clear", word);
}

static void put_entry(struct table *table, const struct graph_cache_entry *entry)
{
        static const char *const states[] = { [GRAPH_CACHE_GOOD] = "good",
                                              [GRAPH_CACHE_OTHER] = "of another version",
                                              [GRAPH_CACHE_DAMAGED] = "damaged" };
        char used[32] = "";
        time_t when = (time_t)entry->used_s;
        struct tm parts;
        if (gmtime_r(&when, &parts))
                strftime(used, sizeof(used), "%Y-%m-%dT%H:%M:%SZ", &parts);
        table_row(table);
        table_text(table, entry->name);
        table_number(table, (double)entry->size, 15);
        table_text(table, used);
        table_text(table, states[entry->state]);
}

static int list_all(bool json, struct lb_error *err)
{
        static const char *const names[] = { "graph", "bytes", "last_used", "state" };
        struct graph_cache_list list;
        if (graph_cache_list(&list, err) < 0)
                return -1;
        struct table *table = table_create(4, names);
        for (int32_t i = 0; table && i < list.count; i++)
                put_entry(table, &list.entry[i]);
        int status = table ? table_write(table, stdout, json ? TABLE_JSON : TABLE_TEXT) : -1;
        table_destroy(table);
        graph_cache_list_finish(&list);
        if (json)
                putchar('\n');
        return status == 0 || ferror(stdout)
                   ? 0
                   : lb_error_fail(err, "out of memory for the cache of graphs");
}

int graph_cache_work(const char *word, bool json, struct lb_error *err)
{
        int32_t count;
        int64_t bytes;
        if (strcmp(word, "list") == 0)
                return list_all(json, err);
        if (graph_cache_clear(&count, &bytes, err) < 0)
                return -1;
        printf(json ? "{\"removed\": %" PRId32 ", \"bytes\": %" PRId64 "}\n"
                    : "%" PRId32 " graphs removed, %" PRId64 " bytes\n",
               count, bytes);
        return 0;
}
