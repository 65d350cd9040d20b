/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/memory_group.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512 };

static const struct version {
        const char *mark, *root; /* in /proc/self/cgroup; where groups are */
        const char *events, *limit;
} versions[] = {
        { ":memory:", "/sys/fs/cgroup/memory", "memory.oom_control", "memory.limit_in_bytes" },
        { "0::", "/sys/fs/cgroup", "memory.events", "memory.max" },
};
enum { NVERSION = sizeof(versions) / sizeof(versions[0]) };

/* The process's group: "/" and further, or empty. A container may have it mounted as the root. */
static void find_group(const struct version *version, char group[static PATH_SIZE])
{
        char line[PATH_SIZE];
        FILE *in = fopen("/proc/self/cgroup", "re");
        group[0] = '\0';
        while (in && fgets(line, sizeof(line), in)) {
                const char *at = strstr(line, version->mark);
                if (!at)
                        continue;
                line[strcspn(line, "\n")] = '\0';
                snprintf(group, PATH_SIZE, "%s", at + strlen(version->mark));
        }
        if (in)
                fclose(in);
}

static FILE *open_file(const struct version *version, bool events)
{
        char group[PATH_SIZE], path[2 * PATH_SIZE];
        const char *name = events ? version->events : version->limit;
        find_group(version, group);
        if (!group[0])
                return NULL;
        snprintf(path, sizeof(path), "%s%s/%s", version->root, group, name);
        FILE *in = fopen(path, "re");
        if (in)
                return in;
        snprintf(path, sizeof(path), "%s/%s", version->root, name);
        return fopen(path, "re");
}

static int64_t read_kills(FILE *in)
{
        char key[64];
        int64_t value, kills = -1;
        while (fscanf(in, "%63s %" SCNd64, key, &value) == 2)
                if (strcmp(key, "oom_kill") == 0)
                        kills = value;
        fclose(in);
        return kills;
}

int64_t memory_group_kills(void)
{
        for (size_t i = 0; i < NVERSION; i++) {
                FILE *in = open_file(&versions[i], true);
                int64_t kills = in ? read_kills(in) : -1;
                if (kills >= 0)
                        return kills;
        }
        return -1;
}

/* v2 says "max", v1 a number near 2^63, where there is none. */
int64_t memory_group_limit(void)
{
        const int64_t none = INT64_C(1) << 60;
        for (size_t i = 0; i < NVERSION; i++) {
                FILE *in = open_file(&versions[i], false);
                int64_t limit = 0;
                if (in && fscanf(in, "%" SCNd64, &limit) != 1)
                        limit = 0;
                if (in)
                        fclose(in);
                if (limit > 0 && limit < none)
                        return limit;
        }
        return 0;
}
