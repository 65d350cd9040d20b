/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/measure/site.h"

#include <stdio.h>
#include <string.h>

/* FNV-1a, which is the same everywhere. */
static uint32_t digest(uint32_t value, const void *data, size_t size)
{
        const unsigned char *byte = data;
        for (size_t i = 0; i < size; i++)
                value = (value ^ byte[i]) * 16777619u;
        return value;
}

static int32_t find_module(struct site_table *table, const char *path)
{
        for (int32_t i = 0; i < table->nmodule; i++)
                if (strncmp(table->module[i], path, SITE_PATH - 1) == 0)
                        return i;
        if (table->nmodule == SITE_MODULES)
                return -1;
        snprintf(table->module[table->nmodule], SITE_PATH, "%s", path);
        return table->nmodule++;
}

static void describe(struct site_table *table, struct site *site, site_look look)
{
        struct site_place place = { .title = "" };
        look(&place, site->name, site->address);
        site->offset = place.offset;
        site->is_line = place.is_line;
        site->module = place.module ? find_module(table, place.module) : -1;
        snprintf(site->title, sizeof(site->title), "%s", place.title);
        uint32_t value = digest(2166136261u, site->title, strlen(site->title));
        if (place.module)
                value = digest(value, basename(place.module), strlen(basename(place.module)));
        value = digest(value, &site->offset, sizeof(site->offset));
        site->value = value > 0 ? value : 1;
}

static struct site *rest(struct site_table *table)
{
        struct site *site = &table->site[SITE_ROOM];
        if (site->name == 0)
                *site = (struct site){ .name = -1, .module = -1, .value = 1 };
        return site;
}

struct site *site_find(struct site_table *table, int32_t name, uint64_t address, site_look look)
{
        uint64_t key = (address ^ (uint64_t)(uint32_t)name << 48) * 0x9e3779b97f4a7c15u;
        for (uint64_t at = key >> 40;; at++) {
                struct site *site = &table->site[at % SITE_ROOM];
                if (site->name == name && site->address == address)
                        return site;
                if (site->name != 0)
                        continue;
                if (table->used == SITE_USED)
                        return rest(table);
                table->used++;
                *site = (struct site){ .address = address, .name = name };
                describe(table, site, look);
                return site;
        }
}
