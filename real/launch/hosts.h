/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_HOSTS_H
#define LB_REAL_LAUNCH_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

/* The machines of a job that runs, as its ranks say: which of them have ended all of theirs. {0} is
 * none. */
struct host {
        char name[256];
        bool runs; /* at least one of its ranks */
};

struct hosts {
        int32_t count;
        struct host *host;
};

void hosts_finish(struct hosts *hosts);

/* A rank is there, and runs or has ended. Without memory it is left out. */
void hosts_add(struct hosts *hosts, const char *name, bool runs);

int32_t hosts_done(const struct hosts *hosts);

/* The one that runs and is a word of a command line; its first part counts, without a domain. NULL:
 * none. */
const char *hosts_named(const struct hosts *hosts, const char *words);

#endif
