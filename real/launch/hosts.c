/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hosts_finish(struct hosts *hosts)
{
        free(hosts->host);
        *hosts = (struct hosts){ 0 };
}

void hosts_add(struct hosts *hosts, const char *name, bool runs)
{
        int32_t i = 0;
        while (i < hosts->count && strcmp(hosts->host[i].name, name) != 0)
                i++;
        if (i == hosts->count) {
                size_t size = (size_t)(i + 1) * sizeof(*hosts->host);
                struct host *larger = realloc(hosts->host, size);
                if (!larger)
                        return;
                hosts->host = larger;
                hosts->count++;
                hosts->host[i] = (struct host){ .runs = false };
                snprintf(hosts->host[i].name, sizeof(hosts->host[i].name), "%s", name);
        }
        hosts->host[i].runs |= runs;
}

int32_t hosts_done(const struct hosts *hosts)
{
        int32_t done = 0;
        for (int32_t i = 0; i < hosts->count; i++)
                done += !hosts->host[i].runs;
        return done;
}

/* Machines may say their domain or not, and so may who starts something on them. */
static bool is_word(const char *words, const char *name)
{
        size_t length = strcspn(name, ".");
        for (const char *at = words; *at; at += strspn(at, " ")) {
                size_t word = strcspn(at, " ");
                if (strcspn(at, ". ") == length && strncmp(at, name, length) == 0)
                        return true;
                at += word;
        }
        return false;
}

const char *hosts_named(const struct hosts *hosts, const char *words)
{
        for (int32_t i = 0; i < hosts->count; i++)
                if (hosts->host[i].runs && is_word(words, hosts->host[i].name))
                        return hosts->host[i].name;
        return NULL;
}
