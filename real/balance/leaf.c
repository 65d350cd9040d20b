/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/leaf.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void path_of(char path[static PATH_MAX], const char *directory, const char *end)
{
        char host[LEAF_HOST_SIZE] = "host";
        gethostname(host, sizeof(host) - 1);
        snprintf(path, PATH_MAX, "%s/%s-%ld.%s", directory, host, (long)getpid(), end);
}

struct leaf *leaf_create(const char *directory)
{
        char path[PATH_MAX];
        path_of(path, directory, "rank");
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        void *map = MAP_FAILED;
        if (fd >= 0 && ftruncate(fd, sizeof(struct leaf)) == 0)
                map = mmap(NULL, sizeof(struct leaf), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (fd >= 0)
                close(fd);
        if (map == MAP_FAILED)
                return NULL;
        struct leaf *leaf = map;
        leaf->pid = (int64_t)getpid();
        gethostname(leaf->host, sizeof(leaf->host) - 1);
        memcpy(leaf->magic, LEAF_MAGIC, sizeof(LEAF_MAGIC));
        return leaf;
}

void leaf_wrong(const char *directory, const char *text)
{
        char path[PATH_MAX];
        path_of(path, directory, "wrong");
        FILE *file = fopen(path, "we");
        if (!file)
                return;
        fprintf(file, "%s\n", text);
        fclose(file);
}
