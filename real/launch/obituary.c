/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/obituary.h"

#include <stdio.h>
#include <string.h>

static void read_line(struct obituary *obituary)
{
        char host[sizeof(obituary->host)];
        int pid, end = 0;
        obituary->line[obituary->length] = '\0';
        if (sscanf(obituary->line, "= PID %d RUNNING AT %255[^ \r] %n", &pid, host, &end) != 2 ||
            obituary->line[end] != '\0')
                return;
        memcpy(obituary->host, host, sizeof(host));
        atomic_store(&obituary->known, true);
}

void obituary_read(struct obituary *obituary, const char *text, size_t size)
{
        for (size_t i = 0; i < size && !atomic_load(&obituary->known); i++) {
                if (text[i] == '\n') {
                        read_line(obituary);
                        obituary->length = 0;
                } else if (obituary->length < sizeof(obituary->line) - 1) {
                        obituary->line[obituary->length++] = text[i];
                }
        }
}

const char *obituary_host(const struct obituary *obituary)
{
        return atomic_load(&obituary->known) ? obituary->host : NULL;
}
